"""Casual games as this process of the site knows them: a channel for each, and who has to choose.

A game is read from the database. While people watch one, a thread looks for news of all watched
games, with one query for all of them.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from datetime import datetime
from threading import Event, Lock, Thread
from time import sleep
from typing import Final, NamedTuple

from flask import Flask, current_app
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.casual import record
from ladder.live.game import AttemptStatus, frame
from ladder.live.stream import LiveEvent
from ladder.model import CasualGame, CasualSeat, CasualState, MatchState, own_words
from referee.game import Game
from web.database import sessions
from web.frames import Seat, You
from web.viewer.channel import Channel
from web.viewer.choices import OpenDecision, decision, open_choice

_EXTENSION: Final = "santiago.tables"
_MOST: Final = 64  # games that are kept in memory though nobody watches, up to 3 MB each
_LOOK: Final = 0.15  # seconds between two looks for news
_LOG: Final = logging.getLogger(__name__)

_STANDINGS: Final = {
    CasualState.GATHERING: MatchState.QUEUED,
    CasualState.PLAYING: MatchState.RUNNING,
    CasualState.FINISHED: MatchState.FINISHED,
    CasualState.CLOSED: MatchState.CANCELLED,
}


_RUNS: Final = AttemptStatus(MatchState.RUNNING, record.ATTEMPT)


class _Mark(NamedTuple):
    """Changes with everything that happens in a game."""

    decisions: int
    state: CasualState
    asked_at: datetime | None


_MARKS: Final = select(CasualGame.id, CasualGame.decisions, CasualGame.state, CasualGame.asked_at)


def init_app(app: Flask) -> None:
    """Create the application's tables; they are idle until somebody plays."""
    app.extensions[_EXTENSION] = Tables(sessions(app))


def reader(seat: CasualSeat) -> You:
    """Return a person who reads of the game from the own seat."""
    return You(seat.seat, seat.user.name if seat.user is not None else "")


def tables() -> Tables:
    """Return the tables of the current application."""
    found: Tables = current_app.extensions[_EXTENSION]
    return found


class CasualTable:
    """One game: its channel, and its position."""

    def __init__(self, row: CasualGame) -> None:
        self.id = row.id
        self.channel = Channel(record.stored(row).layout, _seats_of(row), _standing(row))
        self.mark = _Mark(-1, row.state, None)
        self._game: Game | None = None
        self._entries = 0
        self._happened = 0
        self._news: list[LiveEvent] = []
        self._lock = Lock()

    def catch_up(self, row: CasualGame) -> None:
        """Add what has happened in the game since."""
        with self._lock:
            mark = _mark(row)
            if mark == self.mark or mark.decisions < self.mark.decisions:
                return
            self._play(row)
            self.mark = mark
            if self._news:  # the bots have accepted: until then nothing counts
                self.channel.stand(_RUNS, hears=True)
            self.channel.take(self._news)
            self._news.clear()
            self.channel.stand(_standing(row), hears=True)

    def decision(self, row: CasualGame, code: str) -> OpenDecision | None:
        """Return the decision that is open, in words of a language; None if there is none."""
        with self._lock:
            if self._game is None or row.deciding is None or row.decisions != self.mark.decisions:
                return None
            if not self._game.position.legal_moves:
                return None
            asked = open_choice(self._game.position)
        return decision(row.decisions, asked, self.channel.game(), code)

    def _play(self, row: CasualGame) -> None:
        stored = record.stored(row)
        if any(nonce is None for nonce in stored.nonces):
            return
        if self._game is None:
            self._game = record.begun(stored, self._note)
        self._entries = record.extend(self._game, stored.entries, self._entries)
        if row.state is CasualState.PLAYING:
            self._game.run_to_decision()

    def _note(self, game: Game) -> None:
        self._happened += 1
        cells = game.position.cells[:]
        happened = frame(game.newest)
        self._news.append(LiveEvent(self.id, record.ATTEMPT, self._happened, happened, cells))


class Tables:
    """The games that this process knows. The thread starts with the first one that is watched."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions
        self._tables: OrderedDict[int, CasualTable] = OrderedDict()
        self._lock = Lock()
        self._wanted = Event()
        self._thread: Thread | None = None

    def table(self, row: CasualGame) -> CasualTable:
        """Return a game as it stands in its row."""
        with self._lock:
            found = self._tables.get(row.id)
            if found is not None:
                self._tables.move_to_end(row.id)
        if found is None:
            made = CasualTable(row)  # without the lock: it may wait for a connection
            with self._lock:
                found = self._tables.setdefault(row.id, made)
                self._forget()
        found.channel.name(_seats_of(row))  # not in the thread, which has too many to look at
        found.catch_up(row)
        return found

    def look_out(self) -> None:
        """Look for news of the games that are watched, from now on."""
        with self._lock:
            self._wanted.set()
            if self._thread is None:
                thread = Thread(target=self._run, name="tables", daemon=True)
                thread.start()  # raises if there is none left; the next one tries again
                self._thread = thread

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            watched = self._watched()
            try:
                self._look(watched)
            except SQLAlchemyError as error:
                _LOG.warning(
                    "the database does not answer: casual games stand still: %s", own_words(error)
                )
            except Exception:
                _LOG.exception("reading the news of casual games failed")
            sleep(_LOOK)

    def _watched(self) -> dict[int, CasualTable]:
        with self._lock:
            watched = {at: one for at, one in self._tables.items() if one.channel.wanted}
            if not watched:
                self._wanted.clear()
            return watched

    def _look(self, watched: dict[int, CasualTable]) -> None:
        if not watched:
            return
        with self._sessions() as session:
            marks = session.execute(_MARKS.where(CasualGame.id.in_(watched))).all()
            for game_id, decisions, state, asked_at in marks:
                if _Mark(decisions, state, asked_at) != watched[game_id].mark:
                    _catch_up(watched[game_id], session.get_one(CasualGame, game_id))

    def _forget(self) -> None:
        """Forget the games that were asked for longest ago, unless they are watched."""
        for game_id, table in list(self._tables.items())[: max(0, len(self._tables) - _MOST)]:
            if not table.channel.watched:
                del self._tables[game_id]


def _catch_up(table: CasualTable, row: CasualGame) -> None:
    """Add a game's news; one that cannot be played on leaves the others as they are."""
    try:
        table.catch_up(row)
    except Exception:
        _LOG.exception("casual game %d cannot be shown", row.id)
        table.mark = _mark(row)


def _seats_of(row: CasualGame) -> list[Seat]:
    """Return the seats of a game for the viewer."""
    return [
        {
            "name": record.shown_name(seat),
            "version": seat.version.name if seat.version else "",
            "author": seat.version.bot.user.name if seat.version else "",
        }
        for seat in row.table
    ]


def _standing(row: CasualGame) -> AttemptStatus:
    """Return how a game stands; until somebody is asked to choose, it waits for its bots."""
    waits = row.state is CasualState.PLAYING and row.asked_at is None
    return AttemptStatus(MatchState.QUEUED if waits else _STANDINGS[row.state], record.ATTEMPT)


def _mark(row: CasualGame) -> _Mark:
    return _Mark(row.decisions, row.state, row.asked_at)
