"""Pages that show one running match after the other: the featured ones, and those of a bot.

The page of a match stays until the match is told and its result was seen; then it asks for the
next one. So a featured match is never replaced by a better one while it is played.
"""

from collections.abc import Sequence
from typing import Final

from flask import Blueprint, Response, jsonify, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.bots import profiles
from ladder.live import game
from ladder.matches import reading
from ladder.matches.listing import list_bot_matches, list_matches
from ladder.matches.reading import MatchRow
from ladder.model import Bot, BotState, MatchState
from web import security
from web.database import session
from web.parameters import MOST
from web.viewer import watching
from web.viewer.hub import hub

blueprint = Blueprint("following", __name__)

_KEY: Final = "santiago:featured"
"""The id of the featured match in Redis, so that all processes of the site feature the same."""
_EXPIRY: Final = 3600  # seconds after which it is forgotten if nobody asks for it
_LATEST: Final = 4


@blueprint.get("/live/featured")
def featured() -> ResponseReturnValue:
    """Show the featured match live, and the next one once it is over."""
    if (row := featured_match()) is not None:
        return watching.page(row, following=url_for("following.after_featured"))
    latest = list_matches(session(), state=MatchState.FINISHED, limit=_LATEST).matches
    return render_template("live/between.html", bot=None, latest=latest)


@blueprint.get("/live/featured/next")
def after_featured() -> Response:
    """Return the id of the featured `match`, null if none is played."""
    return _next(featured_match())


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/live")
def of_bot(bot_id: int) -> ResponseReturnValue:
    """Show the running match of a bot live, and its next one once that is over.

    A retired bot has none: then its page is shown.
    """
    bot = profiles.found(session(), bot_id)
    row = _match_of(bot_id)
    if row is not None:
        return watching.page(row, following=url_for("following.after_bot", bot_id=bot_id))
    if session().get_one(Bot, bot_id).state is BotState.RETIRED:
        return redirect(url_for("bots.bot", bot_id=bot_id))
    latest = list_bot_matches(session(), bot_id, state=MatchState.FINISHED, limit=_LATEST).matches
    return render_template("live/between.html", bot=bot, latest=latest)


@blueprint.get(f"/bots/<int(max={MOST}):bot_id>/live/next")
def after_bot(bot_id: int) -> Response:
    """Return the id of the `match` that the bot plays, null if it plays none."""
    return _next(_match_of(bot_id))


def featured_match() -> MatchRow | None:
    """Return the featured match: the one before as long as it is played, then the strongest."""
    games = watching.running().games
    running = [one.match for one in games if one.state] or [one.match for one in games]
    stored = hub().ask(lambda redis: redis.getex(_KEY, ex=_EXPIRY))
    match_id = int(stored) if stored else None
    found = [row for row in running if row.id == match_id]
    if match_id is not None and (row := found[0] if found else _still_running(match_id)):
        return row
    chosen = _strongest(running)
    if chosen is not None:
        hub().ask(lambda redis: redis.set(_KEY, chosen.id, ex=_EXPIRY))
    return chosen


def _strongest(running: Sequence[MatchRow]) -> MatchRow | None:
    ratings = game.mean_ratings(session(), [row.id for row in running]) if running else {}
    return max(running, key=lambda row: (ratings.get(row.id, 0.0), -row.id), default=None)


def _still_running(match_id: int) -> MatchRow | None:
    rows = reading.by_ids(session(), [match_id])
    return rows[0] if rows and rows[0].state == MatchState.RUNNING else None


def _match_of(bot_id: int) -> MatchRow | None:
    """Return the newest running match of a bot that may be known to be its own."""
    for one in watching.running().games:
        if any(seat.bot_id == bot_id for seat in one.match.seats):
            return _still_running(one.match.id)
    found = list_bot_matches(session(), bot_id, state=MatchState.RUNNING, limit=1).matches
    return found[0] if found else None


def _next(row: MatchRow | None) -> Response:
    return security.no_store(jsonify({"match": row.id if row else None}))
