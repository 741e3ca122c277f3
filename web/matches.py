"""Matches: the list with its filters, and the page of one match."""

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder import bots, matches, tournaments
from web import parameters, security
from web.database import session
from web.live import watching
from web.parameters import MOST

blueprint = Blueprint("matches", __name__)

STATES = ("queued", "running", "finished", "failed", "cancelled")
_PAGE = 40


@blueprint.get("/matches")
def listing() -> ResponseReturnValue:
    """The newest matches: ?bot=, ?opponent=, ?tournament=, ?state= filter, ?before= pages."""
    chosen = {
        "bot_id": parameters.number("bot"),
        "opponent_id": parameters.number("opponent"),
        "tournament_id": parameters.number("tournament"),
    }
    state = parameters.choice("state", STATES)
    before = parameters.number("before")
    return render_template(
        "matches/listing.html",
        page=matches.page(session(), **chosen, state=state, before=before, limit=_PAGE),
        chosen={**chosen, "state": state},
        first=before is None,
        bots=bots.every(session()),
        tournaments=tournaments.page(session()),
        states=STATES,
    )


@blueprint.get(f"/matches/<int(max={MOST}):match_id>")
def match(match_id: int) -> ResponseReturnValue:
    """The replay of a finished match, or a running one live; what is known of any other."""
    row = matches.match(session(), match_id)
    if row.state == "running":
        return watching.page(row)
    template = "replays/replay.html" if row.has_replay else "matches/match.html"
    return render_template(template, match=row)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/embed")
def embed(match_id: int) -> ResponseReturnValue:
    """The viewer alone, for a frame on any site; ?at= is the moment, ?theme= light or dark."""
    security.allow_framing()
    row = matches.match(session(), match_id)
    if row.state == "running":
        return watching.page(row, framed=True)
    template = "replays/replay.html" if row.has_replay else "replays/waiting.html"
    return render_template(template, match=row, framed=True)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/")
def match_with_slash(match_id: int) -> ResponseReturnValue:
    """The same address as people type it."""
    return redirect(url_for("matches.match", match_id=match_id))
