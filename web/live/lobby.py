"""The lobby of all matches that are being played, and a number that tells pages about news."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Final

from flask import Blueprint, current_app, jsonify, render_template
from flask.typing import ResponseReturnValue
from redis import RedisError

from ladder.live import stream
from ladder.live.stream import Frame
from ladder.matches import reading
from ladder.matches.listing import list_matches
from ladder.matches.rows import MatchRow
from ladder.model import MatchState
from ladder.ratings import ledger
from referee.rules.trace import cells_json
from web.database import session
from web.live.hub import hub

blueprint = Blueprint("live", __name__)

_SHOWN: Final = 48
_FRESH: Final = 1.0  # seconds for which one query serves all requests


@dataclass(frozen=True, slots=True)
class Game:
    """A match that is being played; `state` is None as long as nothing is known about it."""

    match: MatchRow
    state: Frame | None


@dataclass(frozen=True, slots=True)
class Lobby:
    """The running matches, newest first, and the number of the newest result."""

    games: tuple[Game, ...]
    more: bool
    queued: bool
    results: int


class _Cache:
    """The newest copy of the lobby, so that hundreds of requests in a second cost one query."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lobby: Lobby | None = None
        self._until = 0.0

    def lobby(self) -> Lobby:
        with self._lock:
            if self._lobby is None or monotonic() >= self._until:
                self._lobby = _look()
                self._until = monotonic() + _FRESH
            return self._lobby


@blueprint.get("/live")
def page() -> ResponseReturnValue:
    """Show the matches that are being played, each with its state."""
    return render_template("live/lobby.html", lobby=_lobby())


@blueprint.get("/live/news")
def news() -> ResponseReturnValue:
    """Return `results`, the number of the newest result, and `running`, the number of matches."""
    lobby = _lobby()
    return jsonify({"results": lobby.results, "running": len(lobby.games)})


def _lobby() -> Lobby:
    cache: _Cache = current_app.extensions.setdefault("santiago.lobby", _Cache())
    return cache.lobby()


def _look() -> Lobby:
    running = list_matches(session(), state=MatchState.RUNNING, limit=_SHOWN)
    states = _states(running.matches)
    begun = [row.id for row in running.matches if row.id in states and not row.is_named]
    named = {row.id: row for row in reading.by_ids(session(), begun, named=True)} if begun else {}
    games = tuple(Game(named.get(row.id, row), states.get(row.id)) for row in running.matches)
    queued = bool(list_matches(session(), state=MatchState.QUEUED, limit=1).matches)
    return Lobby(games, running.next_before is not None, queued, ledger.newest(session()))


def _states(rows: tuple[MatchRow, ...]) -> dict[int, Frame]:
    attempts = {row.id: row.attempt for row in rows}
    try:
        events = stream.newest(hub().redis, list(attempts)) if attempts else []
    except RedisError:
        return {}
    return {
        event.match_id: cells_json(event.cells)
        for event in events
        if event.cells and event.attempt == attempts[event.match_id]
    }
