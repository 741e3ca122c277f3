"""The bot that is hard to beat: the engine's search, for as long as the clock allows.

It is named after the highest mountain of Cuba, in the province of Santiago. The tree and the
learned evaluation are the engine's (`referee.engine`); here is what a decision may cost.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from time import monotonic
from typing import Final

from referee.bot import Bot, Decision
from referee.engine.collector import garbage_collector_rests
from referee.engine.search import Search
from referee.rules import Move, Position, pieces
from sample_bots.thinking import thinking_seconds

SECONDS_VARIABLE: Final = "SANTIAGO_TURQUINO_SECONDS"
MOST_SECONDS: Final = 4.0
"""More would make people wait."""
LARGEST_PART_OF_TIME_LEFT: Final = 0.4
RESERVE: Final = 0.15
"""The part of its first bank that is kept for a machine that is busy for a while."""
PART_OF_INCREMENT: Final = 0.8
SECONDS_UNTHOUGHT: Final = 0.005
"""The time that a decision costs the bank beside thinking: the way to it and back, a new tree."""
PART_USED: Final = 0.25
"""The part of its time that a decision takes in the mean, rounded up: most are clear early, half of
them at once, from the tree of the one before."""
DECISIONS_A_SHIP: Final = {2: 14.0, 3: 9.0, 4: 8.0}
"""How many decisions a seat has until a ship leaves, by the number of seats; rounded up."""
LOOKS_AT_A_TIME: Final = 8
"""How many looks it takes between two looks at the clock."""
LOOKS_REMEMBERED: Final = 40_000
"""After so many the tree forgets what is seldom visited: so many more take 40 MB, and a process may
play several games at once."""
SELDOM: Final = 1 / 8_000
"""The part of all looks below which a node counts as seldom visited."""


class TurquinoBot(Bot):
    """Shares its bank out over the decisions to come, and keeps its tree between them.

    `seconds`: the most it thinks about a decision; by default SANTIAGO_TURQUINO_SECONDS, or what
    the clock allows. `rng`: rolls the dice in the tree. `clock`: returns seconds, as `monotonic`.
    Raises ValueError if the thinking time is not above 0, InvalidSetting if that of the environment
    is not.
    """

    name = "turquino"
    author = "Santiago Arena"

    def __init__(
        self,
        seconds: float | None = None,
        rng: Random | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._most = thinking_seconds(seconds, SECONDS_VARIABLE, MOST_SECONDS)
        self._rng = rng or Random()
        self._clock = clock
        gc.collect()  # what earlier games left: meanwhile the collector rests (see below)
        self._search: Search | None = None
        self._remembered = 0
        """Looks since the tree forgot."""
        self._reserve: float | None = None
        """Seconds of the bank that it keeps; None before its first decision."""
        self._bank_after: float | None = None
        """The time in its bank after its last choice, before the increment."""

    def choose(self, decision: Decision) -> Move:
        began = self._clock()
        end = began + self._seconds_for(decision)
        with _tree_left_alone():
            search = self._search_of(decision.position)
            self._think(search, began, end)
            best = search.moves()[0]
        self._bank_after = decision.bank_left - (self._clock() - began)
        decision.note(line=(best.move, *best.line))
        return best.move

    def _seconds_for(self, decision: Decision) -> float:
        """Return how long it may think, of which it uses a fair part of bank and increment."""
        bank, increment = decision.bank_left, 0.0
        if self._bank_after is not None:
            increment = max(0.0, bank - self._bank_after)
        if self._reserve is None:
            self._reserve = bank * RESERVE
        to_come = _decisions_left(decision.position)
        free = max(0.0, bank - self._reserve - SECONDS_UNTHOUGHT * to_come)
        gained = PART_OF_INCREMENT * increment
        return min(
            (free / to_come + gained) / PART_USED,
            max(free, gained),
            decision.time_left * LARGEST_PART_OF_TIME_LEFT,
            self._most,
        )

    def _search_of(self, position: Position) -> Search:
        """Return the search of its last decision if its tree has the position, else a new one."""
        if self._search is None or not self._search.follow(position):
            self._search = Search(position, self._rng)
        return self._search

    def _think(self, search: Search, began: float, end: float) -> None:
        """Look until the time is over, or what is left of it can hardly change the choice."""
        looked, now = 0, began
        while now < end:
            search.think(LOOKS_AT_A_TIME)
            looked += LOOKS_AT_A_TIME
            self._remembered += LOOKS_AT_A_TIME
            if self._remembered >= LOOKS_REMEMBERED:
                search.forget(SELDOM * search.looks)
                self._remembered = 0
            now = self._clock()
            if now > began and search.is_decided(int(looked * (end - now) / (now - began))):
                return


@contextmanager
def _tree_left_alone() -> Iterator[None]:
    """Keep the garbage collector from the tree.

    Afterwards all that is there counts as old, without the visits by which objects grow old.
    """
    with garbage_collector_rests():
        try:
            yield
        finally:
            gc.freeze()
            gc.unfreeze()


def _decisions_left(position: Position) -> float:
    """Return about how many decisions the seat still has in this game, this one among them."""
    ships = pieces.SHIPS - position.ship + 1
    return 2.0 + ships * DECISIONS_A_SHIP[position.players]
