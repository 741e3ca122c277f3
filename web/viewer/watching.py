"""Pages of running matches: the lobby of all; of one its frames, a stream of new ones, its notes.

Notes are what bots say beside their choices. While a match is played, only their authors see them;
after it they are in the replay, for everybody: `replays/notes.js`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final, cast

from flask import (
    Blueprint,
    after_this_request,
    current_app,
    jsonify,
    redirect,
    render_template,
    url_for,
)
from flask.typing import ResponseReturnValue

from ladder.errors import Forbidden
from ladder.live.game import AttemptStatus
from ladder.live.stream import newest, newest_notes
from ladder.matches import reading
from ladder.matches.listing import list_matches
from ladder.matches.reading import MatchRow
from ladder.model import MATCH_OVER, MatchState
from ladder.ratings import ledger
from referee.rules.trace import cells_json
from web import identity, security
from web.database import session
from web.frames import State
from web.languages import language
from web.parameters import MOST, moment
from web.viewer.hub import hub, last_word, seats_of
from web.viewer.replays import packed_answer

blueprint = Blueprint("live", __name__)

_SHOWN: Final = 48
_NOTES: Final = 12
"""How many notes are shown."""
_FRESH: Final = 1.0  # seconds for which one query serves all requests


@dataclass(frozen=True, slots=True)
class LobbyGame:
    """A match that is being played; `state` is None as long as nothing is known about it."""

    match: MatchRow
    state: State | None


@dataclass(frozen=True, slots=True)
class Lobby:
    """The running matches, newest first, and the number of the newest result."""

    games: tuple[LobbyGame, ...]
    more: bool
    queued: bool
    results: int


@dataclass(frozen=True, slots=True)
class OwnNote:
    """A note of a reader's own bot."""

    seat: int
    name: str
    said: Mapping[str, Any]


class _Cache:
    """The newest copy of the lobby, so that hundreds of requests in a second cost one query."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lobby: Lobby | None = None
        self._until = 0.0

    def lobby(self) -> Lobby:
        if lobby := self._fresh():
            return lobby
        session().connection()  # waits for none with the lock: those who wait for that may hold all
        with self._lock:
            lobby = self._fresh()
            if lobby is None:
                lobby = self._lobby = _look()
                self._until = monotonic() + _FRESH
            return lobby

    def _fresh(self) -> Lobby | None:
        return self._lobby if monotonic() < self._until else None


@blueprint.get("/live")
def lobby() -> ResponseReturnValue:
    """Show the matches that are being played, each with its state."""
    return render_template("live/lobby.html", lobby=running())


@blueprint.get("/live/news")
def news() -> ResponseReturnValue:
    """Return `results`, the number of the newest result, and `running`, the number of matches."""
    lobby = running()
    return jsonify({"results": lobby.results, "running": len(lobby.games)})


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/frames")
def frames(match_id: int) -> ResponseReturnValue:
    """Return all frames so far: the viewer's document, with the `place` to continue from."""
    return packed_answer(hub().channel(session(), match_id).document(language()))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live")
def stream(match_id: int) -> ResponseReturnValue:
    """Send server-sent events from ?from= or, if a browser reconnects, from Last-Event-ID.

    `frames` holds new frames, numbered from `from`; `before` is the new text of the frame before
    them, `begun` is true if the names of the bots are known by now, and `past` if they had happened
    before the spectator came. `standing` has a `word`: the state of the match, or "unheard" while
    no news arrive. `restart` asks the spectator to fetch all frames again, since there is another
    attempt.
    """
    row = reading.match(session(), match_id)
    if row.state in MATCH_OVER:
        return last_word(row.state)
    here = hub()
    return here.spectate(here.channel(session(), match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/end")
def end(match_id: int) -> ResponseReturnValue:
    """Return the end of the match as a part of a page."""
    return render_template("live/end.html", match=reading.match(session(), match_id))


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/words")
def in_words(match_id: int) -> ResponseReturnValue:
    """Show the game so far as a list of sentences, for readers without JavaScript."""
    row = reading.match(session(), match_id)
    if row.has_replay:
        return redirect(url_for("replays.in_words", match_id=match_id))
    texts = hub().channel(session(), match_id).sentences(language())
    return render_template("replays/words.html", match=row, sentences=texts)


@blueprint.get(f"/matches/<int(max={MOST}):match_id>/live/notes")
def notes(match_id: int) -> ResponseReturnValue:
    """Return what the reader's own bots said last in a running match, as a part of its page.

    Empty once it is over: its page may still be telling it, and the replay has all that was said.
    """
    after_this_request(security.no_store)
    row = reading.match(session(), match_id)
    if row.state in MATCH_OVER:
        return "", 204
    own = _own_notes(_as_told(row))
    if own is None:
        raise Forbidden("only its author sees what a bot says while it plays")
    return render_template("live/notes.html", own_notes=own)


def page(row: MatchRow, *, framed: bool = False, following: str | None = None) -> str:
    """Return the page of a running match; if `framed`, the viewer alone.

    `following`: the address that names the `match` to show after this one.
    """
    row, channel = _as_told(row), hub().channel(session(), row.id)
    if row.is_named:
        channel.name(seats_of(row))  # an author may have left for good
    return render_template(
        "live/match.html",
        match=row,
        still=channel.still(moment(), language()),
        framed=framed,
        following=following,
        own_notes=None if framed else _own_notes(row),
    )


def running() -> Lobby:
    """Return the running matches as they were a second ago at most."""
    cache: _Cache = current_app.extensions.setdefault("santiago.lobby", _Cache())
    return cache.lobby()


def _own_notes(row: MatchRow) -> list[OwnNote] | None:
    """Return the newest notes of the reader's own bots in a match that is played.

    None if the match is over, or the reader has no bot in it.
    """
    reader = identity.browser()
    if reader is None or not row.is_named or row.state in MATCH_OVER:
        return None
    seats = reading.seats_of(session(), row.id, reader.id)
    if not seats:
        return None
    began = _status(row).began
    found = hub().ask(
        lambda redis: newest_notes(redis, row.id, row.attempt, began, seats, limit=_NOTES)
    )
    return [OwnNote(one.seat, row.seats[one.seat].name or "", one.said) for one in found or ()]


def _as_told(row: MatchRow) -> MatchRow:
    """Name the seats of a match that runs as soon as a move has shown that it has begun."""
    if row.is_named or row.state != MatchState.RUNNING:
        return row
    begun = hub().channel(session(), row.id).place.frames > 1
    return reading.match(session(), row.id, named=True) if begun else row


def _look() -> Lobby:
    running = list_matches(session(), state=MatchState.RUNNING, limit=_SHOWN)
    states = _states(running.matches)
    begun = [row.id for row in running.matches if row.id in states and not row.is_named]
    named = {row.id: row for row in reading.by_ids(session(), begun, named=True)} if begun else {}
    games = tuple(LobbyGame(named.get(row.id, row), states.get(row.id)) for row in running.matches)
    queued = bool(list_matches(session(), state=MatchState.QUEUED, limit=1).matches)
    return Lobby(games, running.next_before is not None, queued, ledger.newest(session()))


def _states(rows: tuple[MatchRow, ...]) -> dict[int, State]:
    standings = {row.id: _status(row) for row in rows}
    events = hub().ask(lambda redis: newest(redis, standings)) if standings else None
    return {
        event.match_id: cast(State, cells_json(event.cells))
        for event in events or ()
        if event.cells and standings[event.match_id].counts(event)
    }


def _status(row: MatchRow) -> AttemptStatus:
    return AttemptStatus.of(row.state, row.attempt, row.started_at)
