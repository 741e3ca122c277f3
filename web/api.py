"""The JSON API, version 1: the same as the pages, for programs and for the pages' scripts."""

from dataclasses import asdict

from flask import Blueprint, abort, jsonify
from flask.typing import ResponseReturnValue

from ladder import tournaments
from ladder.standings import standings
from web.database import session
from web.formats import SEATS
from web.parameters import MOST
from web.replays import frames_answer

blueprint = Blueprint("api", __name__, url_prefix="/api/v1")


@blueprint.get("/standings/<int:seats>")
def standings_of(seats: int) -> ResponseReturnValue:
    """{"seats", "standings": [Standing, …]}, best first."""
    if seats not in SEATS:
        abort(400, f"There are ladders for {', '.join(map(str, SEATS))} seats.")
    rows = [asdict(row) for row in standings(session(), seats)]
    return jsonify({"seats": seats, "standings": rows})


@blueprint.get(f"/tournaments/<int(max={MOST}):tournament_id>/progress")
def progress(tournament_id: int) -> ResponseReturnValue:
    """{"total", "queued", "running", "finished", "failed", "cancelled", "over"}."""
    found = tournaments.progress(session(), tournament_id)
    return jsonify({**asdict(found), "over": found.over})


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/frames")
def frames(match_id: int) -> ResponseReturnValue:
    """All that the replay viewer shows of a finished match."""
    return frames_answer(match_id)
