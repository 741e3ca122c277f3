"""Tournaments: the list, and one with its progress, cross table and matches."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches, tournaments
from ladder.standings import cross_table
from web import parameters
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("tournaments", __name__)

_PAGE = 50
_LATEST = 8


@blueprint.get("/tournaments")
def listing() -> ResponseReturnValue:
    """The newest tournaments; ?before= pages."""
    before = parameters.number("before")
    found = tournaments.page(session(), before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return render_template(
        "tournaments/listing.html",
        tournaments=shown,
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )


@blueprint.get(f"/tournaments/<int(max={MOST}):tournament_id>")
def tournament(tournament_id: int) -> ResponseReturnValue:
    """One tournament; its progress updates itself."""
    return render_template(
        "tournaments/tournament.html",
        tournament=tournaments.tournament(session(), tournament_id),
        progress=tournaments.progress(session(), tournament_id),
        table=cross_table(session(), tournament_id),
        latest=matches.page(session(), tournament_id=tournament_id, limit=_LATEST).matches,
    )
