"""One running match for all who watch it: what has come so far, and a wait for what comes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from threading import Condition
from time import monotonic
from typing import Any, Final

from ladder.live import START, Event, Frame, GameSoFar, Standing
from ladder.matches import State
from referee.rules import Layout
from web.live.messages import Place, message
from web.live.telling import Telling

OVER: Final = frozenset({State.FINISHED, State.FAILED, State.CANCELLED})
"""The states in which nothing more happens."""

_REST: Final = 30.0  # seconds for which a match is kept that nobody watches


class Channel:
    """The frames of a match's newest attempt, with their texts; one thread adds, many read.

    It is told in the languages, by their codes, that somebody has asked for.
    `place` counts the frames and names the attempt: whoever holds another attempt's starts over.
    A `veiled` match does not name its seats before the first frame shows that it has begun.
    """

    def __init__(
        self, layout: Layout, seats: Sequence[Frame], standing: Standing, *, veiled: bool = False
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
        """Where to read on in the stream of events."""
        return self._position

    @property
    def place(self) -> Place:
        """What has come so far."""
        return Place(self._game.attempt, len(self._game.frames))

    @property
    def wanted(self) -> bool:
        """Whether anybody watches it, or did a moment ago and may come back."""
        if self._watchers:
            return True
        return self._standing.state not in OVER and monotonic() - self._wanted < _REST

    # What the reader of the news tells.

    def stand(self, standing: Standing, *, hears: bool) -> None:
        """How the match stands by the database; `hears`: whether news of it come through."""
        with self._changed:
            if (standing, hears) == (self._standing, self._hears):
                return
            self._standing, self._hears = standing, hears
            if standing.attempt != self._game.attempt:
                self._begin()
            self._changed.notify_all()

    def take(self, events: Iterable[Event]) -> None:
        """Add what happened, if it is of the attempt that counts."""
        with self._changed:
            known = len(self._game.frames)
            for event in events:
                self._position = event.position
                if self._standing.counts(event):
                    self._game.take(event)
            if len(self._game.frames) > known:
                for telling in self._tellings.values():
                    telling.tell(self._whole())
                self._changed.notify_all()

    # What those who watch read.

    def document(self, code: str) -> bytes:
        """All that has come, as gzipped JSON for the viewer; its `place` says how far that is."""
        with self._changed:
            self._wanted = monotonic()
            return self._telling(code).packed(self._head(), self.place)

    def sentences(self, code: str) -> list[str]:
        """The game so far in words."""
        with self._changed:
            return list(self._telling(code).texts)

    def state(self) -> Frame:
        """The state of the game after what has come so far."""
        with self._changed:
            state: Frame = self._game.frames[-1]["state"]
            return state

    def watch(self, *, begins: bool) -> None:
        """Somebody begins to watch, or ends."""
        with self._changed:
            self._watchers += 1 if begins else -1
            self._wanted = monotonic()

    def news(
        self, seen: Place, told: str, wait: float, code: str
    ) -> tuple[bytes, Place, str] | None:
        """A message about what has come after `seen`, waiting up to some seconds for it.

        With it come the place and the word for how the match stands that are known by then. None
        where nothing has come; `told` is the word that is known already.
        """
        with self._changed:
            if seen == self.place and told == self._word():
                self._changed.wait(wait)
            place, word = self.place, self._word()
            if seen.attempt != place.attempt or seen.frames > place.frames:
                return message("restart", {"attempt": place.attempt}), place, word
            if seen != place:
                since = max(1, seen.frames)
                begun = self._veiled and seen.frames <= 1
                telling = self._telling(code)
                about = {"from": since, "before": telling.texts[since - 1], "begun": begun}
                head = json.dumps(about)
                frames = ",".join(telling.frames[since:])
                body = f'{head[:-1]},"frames":[{frames}]}}'
                return message("frames", body, str(place)), place, told
            if told != word:
                return message("standing", {"word": word}, str(place)), place, word
            return None

    def _word(self) -> str:
        if self._standing.state == State.RUNNING and not self._hears:
            return "unheard"
        return self._standing.state.value

    def _begin(self) -> None:
        """An attempt begins, and with it the game."""
        self._game = GameSoFar(self._layout, len(self._seats), self._standing.attempt)
        self._tellings: dict[str, Telling] = {}

    def _telling(self, code: str) -> Telling:
        """The game in a language, told up to now."""
        if code not in self._tellings:
            self._tellings[code] = Telling(code)
            self._tellings[code].tell(self._whole())
        return self._tellings[code]

    def _whole(self) -> dict[str, Any]:
        return self._head() | {"frames": self._game.frames}

    def _head(self) -> dict[str, Any]:
        unknown = self._veiled and len(self._game.frames) == 1
        seats = [_stranger(seat) for seat in range(len(self._seats))] if unknown else self._seats
        return {"setup": self._game.setup, "seats": seats, "result": {}, "ranks": []}


def _stranger(seat: int) -> Frame:
    """A seat that is not named yet; these words are the same in all languages of the site."""
    return {"name": f"Bot {seat + 1}", "version": "", "author": ""}
