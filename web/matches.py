"""Matches: the list with its filters, and the page of one match."""

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.contests.tournaments import lookup
from ladder.matches import reading
from ladder.matches.listing import list_matches
from ladder.matches.rows import MatchPage
from ladder.model import MatchState
from web import parameters, security
from web.database import session
from web.parameters import LONGEST, MOST
from web.viewer import watching

blueprint = Blueprint("matches", __name__)

STATES = tuple(MatchState)
_PAGE = 40


@blueprint.get("/matches")
def listing() -> ResponseReturnValue:
    """List the newest matches: ?bot=, ?opponent=, ?tournament=, ?state= filter, ?before= pages.

    A bot is given by id or name; if that does not name exactly one, the page asks which.
    """
    bot, opponent = parameters.asked_bot("bot"), parameters.asked_bot("opponent")
    tournament_id = parameters.number("tournament")
    state = parameters.choice("state", STATES)
    before = parameters.number("before")
    page = MatchPage((), None)
    if not (bot.is_open or opponent.is_open):
        page = list_matches(
            session(),
            bot_id=bot.id,
            opponent_id=opponent.id,
            tournament_id=tournament_id,
            state=state,
            before=before,
            limit=_PAGE,
        )
    return render_template(
        "matches/listing.html",
        page=page,
        bot=bot,
        opponent=opponent,
        chosen={
            "bot": bot.parameter,
            "opponent": opponent.parameter,
            "tournament": tournament_id,
            "state": state,
        },
        first=before is None,
        longest=LONGEST,
        tournaments=lookup.names(session(), tournament_id),
        states=STATES,
    )


@blueprint.get(f"/matches/<int(max={MOST}):match_id>")
def match(match_id: int) -> ResponseReturnValue:
    """Show the replay of a finished match, a running match live, or what is known of another."""
    row = reading.match(session(), match_id)
    if row.state == MatchState.RUNNING:
        return watching.page(row)
    template = "replays/replay.html" if row.has_replay else "matches/match.html"
    return render_template(template, match=row)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/embed")
def embed(match_id: int) -> ResponseReturnValue:
    """Show the viewer alone, for a frame on any site; ?at= is the moment, ?theme= light or dark."""
    security.allow_framing()
    row = reading.match(session(), match_id)
    if row.state == MatchState.RUNNING:
        return watching.page(row, framed=True)
    template = "replays/replay.html" if row.has_replay else "replays/waiting.html"
    return render_template(template, match=row, framed=True)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/")
def match_with_slash(match_id: int) -> ResponseReturnValue:
    """Redirect the address with a slash at its end."""
    return redirect(url_for("matches.match", match_id=match_id))
