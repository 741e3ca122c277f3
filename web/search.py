"""Search: bots, authors, tournaments and matches on one page."""

from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ladder.bots import authors, profiles
from ladder.contests.tournaments import lookup
from ladder.errors import NotFound
from ladder.matches import reading
from ladder.matches.rows import MatchRow
from web import parameters
from web.database import session

blueprint = Blueprint("search", __name__)

_MOST: Final = 20
"""How many of each kind are shown."""


@blueprint.get("/search")
def page() -> ResponseReturnValue:
    """Find ?q= in the names of bots, authors and tournaments; a number is a match's, too.

    Two names with "-", "vs" or "against" between them also lead to the two bots head to head.
    """
    text = request.args.get("q", "").strip()[: parameters.LONGEST]
    bots = profiles.called(session(), text, most=_MOST) if text else ()
    return render_template(
        "site/search.html",
        text=text,
        longest=parameters.LONGEST,
        most=_MOST,
        bots=bots,
        authors=authors.called(session(), text, most=_MOST) if text else (),
        tournaments=lookup.called(session(), text, most=_MOST) if text else (),
        match=_match(text),
        pair=_pair(text),
    )


def _match(text: str) -> MatchRow | None:
    match_id = parameters.as_number(text.removeprefix("#"))
    try:
        return reading.match(session(), match_id) if match_id else None
    except NotFound:
        return None


def _pair(text: str) -> tuple[profiles.Called, profiles.Called] | None:
    """Return the two bots that the text names."""
    for between in (" vs ", " against ", " - ", " – "):
        names = text.split(between)
        if len(names) == 2 and all(names):
            one, other = (profiles.called(session(), name, most=2) for name in names)
            if len(one) == len(other) == 1 and one[0].id != other[0].id:
                return one[0], other[0]
    return None
