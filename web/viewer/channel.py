"""One running match for all its spectators: the frames so far, and a wait for the next ones.

Its news are server-sent events (HTML Living Standard, 9.2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Condition
from time import monotonic
from typing import Any, Final, cast

from ladder.live.game import AttemptStatus, GameSoFar
from ladder.live.stream import START, LiveEvent
from ladder.model import MATCH_OVER, MatchState
from referee.rules import Layout
from web.delivery import as_json, packed
from web.frames import Document, Frame, Head, Seat, Setup, You, read_by
from web.parameters import whole
from web.viewer.replays import surroundings, worded
from web.viewer.stills import Still, of_game
from web.words import words_of

_REST: Final = 30.0  # seconds for which a match without spectators stays in memory
HEARTBEAT: Final = b"event: beat\ndata: 1\n\n"
"""Keeps the connection open, and shows each side if the other one has left."""


@dataclass(frozen=True, slots=True)
class FramesSeen:
    """How much of a match is known: a number of frames of an attempt. As text `attempt-frames`."""

    attempt: int
    frames: int

    def __str__(self) -> str:
        return f"{self.attempt}-{self.frames}"

    @classmethod
    def parse(cls, text: str) -> FramesSeen:
        """Parse a place; any other text is the place at which nothing is known."""
        match [whole(word) for word in text.split("-")]:
            case [int(attempt), int(frames)]:
                return cls(attempt, frames)
            case _:
                return cls(0, 0)


class Channel:
    """The frames of a match's newest attempt, with their texts; one thread writes, many read.

    The texts are made in the languages that spectators have asked for. `place` counts the frames
    and names the attempt: a spectator who holds frames of another attempt starts over. A `veiled`
    match does not name its seats before a frame shows that it has begun.
    """

    def __init__(
        self,
        layout: Layout,
        seats: Sequence[Seat],
        standing: AttemptStatus,
        *,
        veiled: bool = False,
    ) -> None:
        self._layout = layout
        self._seats = list(seats)
        self._veiled = veiled
        self._standing = standing
        self._hears = True
        self._changed = Condition()
        self._watchers = 0
        self._wanted = monotonic()
        self._position = START
        self._begin()

    @property
    def position(self) -> str:
        """The position in the stream of events to read on from."""
        return self._position

    @property
    def place(self) -> FramesSeen:
        """The number of frames so far, and their attempt."""
        return FramesSeen(self._game.attempt, len(self._game.frames))

    @property
    def watched(self) -> bool:
        """True while it has spectators."""
        return self._watchers > 0

    @property
    def wanted(self) -> bool:
        """True while it has spectators, and for a moment after the last one has left."""
        if self.watched:
            return True
        return self._standing.state not in MATCH_OVER and monotonic() - self._wanted < _REST

    # Called by the thread that reads the news.

    def stand(self, standing: AttemptStatus, *, hears: bool) -> None:
        """Take over the match's standing in the database; `hears` is False if no news arrive."""
        with self._changed:
            if (standing, hears) == (self._standing, self._hears):
                return
            self._standing, self._hears = standing, hears
            if standing.attempt != self._game.attempt:
                self._begin()
            self._changed.notify_all()

    def name(self, seats: Sequence[Seat]) -> None:
        """Tell the game with these seats from now on: who plays may sign in, or leave for good."""
        with self._changed:
            if seats != self._seats:
                self._seats = list(seats)
                self._narratives.clear()

    def take(self, events: Iterable[LiveEvent]) -> None:
        """Add events, if they belong to the attempt that counts."""
        with self._changed:
            before = len(self._game.frames)
            for event in filter(self._standing.knows, events):
                self._position = event.position
                if self._standing.counts(event):
                    self._game.take(event)
            if len(self._game.frames) > before:
                for narrative in self._narratives.values():
                    narrative.add(self._whole())
                self._changed.notify_all()

    # Called by spectators.

    def document(self, code: str, you: You | None = None) -> bytes:
        """Return the game so far as gzipped JSON for the viewer; its field `place` says how far."""
        with self._changed:
            self._wanted = monotonic()
            return self._narrative(code, you).packed(self._head(), self.place)

    def sentences(self, code: str) -> list[str]:
        """Return the game so far in words."""
        with self._changed:
            return list(self._narrative(code).texts)

    def meanwhile(self, code: str, you: You) -> list[str]:
        """Return in words, for a player, what has happened since that player's last choice."""
        with self._changed:
            frames = self._game.frames
            own = (at for at, frame in enumerate(frames) if _chosen_by(frame, you.seat))
            return self._narrative(code, you).texts[max(own, default=0) + 1 :]

    def game(self) -> Document:
        """Return the game so far."""
        with self._changed:
            whole = self._whole()
            return {**whole, "frames": list(whole["frames"])}

    def still(self, at: int | None, code: str, you: You | None = None) -> Still:
        """Return a moment of the game so far, the newest if `at` is None."""
        with self._changed:
            self._wanted = monotonic()
            return of_game(self.game(), at, code, you)

    def watch(self, *, begins: bool) -> None:
        """Count a spectator who begins or ends to watch."""
        with self._changed:
            self._watchers += 1 if begins else -1
            self._wanted = monotonic()

    def news(
        self, seen: FramesSeen, word: str, wait: float, code: str, you: You | None
    ) -> tuple[bytes, FramesSeen, str] | None:
        """Wait up to `wait` seconds for news after `seen`; return a message about them, or None.

        `word` is the match's standing that the spectator knows. The place and the word that the
        spectator knows after the message are returned with it.
        """
        with self._changed:
            if seen == self.place and word == self._word():
                self._changed.wait(wait)
            place, current = self.place, self._word()
            if seen.attempt != place.attempt or seen.frames > place.frames:
                return message("restart", {"attempt": place.attempt}), place, current
            if seen != place:
                since = max(1, seen.frames)
                begun = self._veiled and seen.frames <= 1
                narrative = self._narrative(code, you)
                about = {
                    "from": since,
                    "before": narrative.texts[since - 1],
                    "begun": begun,
                    "past": not word,
                }
                head = json.dumps(about)
                frames = ",".join(narrative.frames[since:])
                body = f'{head[:-1]},"frames":[{frames}]}}'
                return message("frames", body, str(place)), place, word
            if word != current:
                return message("standing", {"word": current}, str(place)), place, current
            return None

    def _word(self) -> str:
        if self._standing.state == MatchState.RUNNING and not self._hears:
            return "unheard"
        return self._standing.state.value

    def _begin(self) -> None:
        """Begin an attempt, and with it the game."""
        self._game = GameSoFar(self._layout, len(self._seats), self._standing.attempt)
        self._narratives: dict[tuple[str, You | None], _Narrative] = {}

    def _narrative(self, code: str, you: You | None = None) -> _Narrative:
        """Return the game so far in a language, for who only watches or for who plays."""
        if (code, you) not in self._narratives:
            self._narratives[code, you] = _Narrative(code, you)
            self._narratives[code, you].add(self._whole())
        return self._narratives[code, you]

    def _whole(self) -> Document:
        return {**self._head(), "frames": cast(list[Frame], self._game.frames)}

    def _head(self) -> Head:
        unknown = self._veiled and len(self._game.frames) == 1
        seats = [_stranger(seat) for seat in range(len(self._seats))] if unknown else self._seats
        setup = cast(Setup, self._game.setup)
        return {"setup": setup, "seats": seats, "result": {}, "ranks": []}


class _Narrative:
    """A running game in one language: `frames` as JSON, `texts`. The caller holds the lock."""

    def __init__(self, code: str, you: You | None) -> None:
        self.texts: list[str] = []
        self.frames: list[str] = []
        self._words, self._you = words_of(code), you
        self._packed: bytes | None = None

    def add(self, game: Document) -> None:
        """Add the game's new frames; redo the last one, since its text may depend on the next."""
        since = max(0, len(self.frames) - 1)
        fresh = worded(read_by(game, self._you, self._words), self._words, since)
        self.texts[since:] = [frame["text"] for frame in fresh]
        self.frames[since:] = map(as_json, fresh)
        self._packed = None

    def packed(self, head: Head, place: FramesSeen) -> bytes:
        """Return the game as gzipped JSON for the viewer."""
        if self._packed is None:
            seen = read_by(head, self._you, self._words)
            about = {**surroundings(seen, self._words), "place": str(place)}
            json_text = f'{as_json(about)[:-1]},"frames":[{",".join(self.frames)}]}}'
            self._packed = packed(json_text)
        return self._packed


def message(event: str, data: dict[str, Any] | str, place: str | None = None) -> bytes:
    """Return a server-sent event; `data` is JSON, `place` where to continue after it."""
    text = data if isinstance(data, str) else json.dumps(data)
    head = f"id: {place}\n" if place else ""
    return f"{head}event: {event}\ndata: {text}\n\n".encode()


def _chosen_by(frame: Mapping[str, Any], seat: int) -> bool:
    return frame.get("by") == "bot" and frame["seat"] == seat


def _stranger(seat: int) -> Seat:
    """Return a seat without its name; these words are the same in all languages of the site."""
    return {"name": f"Bot {seat + 1}", "version": "", "author": ""}
