"""Look at many positions at once: which prices the quick look adds up, and how often each.

It says the same as `referee.engine.worth`, for arrays; a test holds them together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.engine.prices import ENDS, HARBOUR, NEARS, PESOS_TOLD, PRICES, SILENCED, start
from referee.engine.worth import MOST_PESOS, SOON, VERY_SOON
from referee.rules import cells as at
from referee.rules.pieces import STOPS, WOOD
from referee.training.searching import Lessons

Whole: TypeAlias = NDArray[np.int64]
Amounts: TypeAlias = NDArray[np.float32]
Fact: TypeAlias = tuple[Whole, NDArray[np.generic]]
"""Places of prices, and how often each counts; True counts once."""


@dataclass(frozen=True, slots=True)
class QuickFacts:
    """The prices of what each seat has: places of the table, and the rows of priors behind them."""

    vp: Amounts
    """[move][seat]"""
    places: NDArray[np.int16]
    """[move][seat][number]: a place of the table, or PRICES and more for the rows of priors."""
    amounts: Amounts
    """[move][seat][number]: how often the price counts."""
    ship: Whole
    """[move]"""


def quick_facts(seen: Lessons) -> QuickFacts:
    """Return what the quick look sees after the moves, with what the priors add for the chooser."""
    board = _Board(seen)
    pairs = [*board.facts(), *_of_priors(seen)]
    shape = board.pesos.shape
    places = [np.broadcast_to(place, shape).astype(np.int16) for place, _ in pairs]
    amounts = [np.broadcast_to(amount, shape).astype(np.float32) for _, amount in pairs]
    vp = board.of_seats(at.VP).astype(np.float32)
    return QuickFacts(vp, np.stack(places, 2), np.stack(amounts, 2), board.ship[:, 0])


def _of_priors(seen: Lessons) -> Iterator[Fact]:
    is_chooser = seen.chooser[:, None] == np.arange(seen.players)
    for row in seen.rows.T.astype(np.int64):
        yield PRICES + row[:, None], is_chooser & (row > 0)[:, None]


class _Board:
    """The positions, as columns that go with one column for each seat."""

    def __init__(self, seen: Lessons) -> None:
        self._cells = seen.cells.astype(np.int64)
        self._citizens = seen.citizens.astype(np.int64)
        self._players = seen.players
        self._seats = np.arange(seen.players)
        self.ship = self._column(at.SHIP)
        self._phase = self._column(at.PHASE)
        self._decides = self._column(at.SEAT) == self._seats
        self.pesos = self.of_seats(at.PESOS)

    def _column(self, cell: int) -> Whole:
        return self._cells[:, cell : cell + 1]

    def of_seats(self, cell: int) -> Whole:
        """Return a cell of the seats' blocks: [move][seat]."""
        return self._cells[:, [block + cell for block in at.PLAYER[: self._players]]]

    def facts(self) -> Iterator[Fact]:
        """Yield places and amounts of each kind of price."""
        one = np.ones_like(self.pesos)
        yield start("pesos") + self.ship * PESOS_TOLD + np.minimum(self.pesos, PESOS_TOLD - 1), one
        further = np.clip(self.pesos, PESOS_TOLD - 1, MOST_PESOS) - (PESOS_TOLD - 1)
        yield start("further pesos") + self.ship, further
        yield start("markers") + self.ship * 4 + self.of_seats(at.MARKERS), one
        wood = self.of_seats(at.HELD + WOOD)
        yield start("wood") + self.ship, wood
        yield start("first wood") + self.ship, wood > 0
        for good in range(WOOD):
            yield from self._good(good)
        for building in range(at.OFF_BOARD):
            owned = self._column(at.OWNER + building) == self._seats
            yield start("own") + self.ship * at.OFF_BOARD + building, owned
        yield start("due") + self.ship * 10 + self._phase, self._decides
        yield from self._turns()

    def _good(self, good: int) -> Iterator[Fact]:
        units = self.of_seats(at.HELD + good)
        yield start("good") + self.ship * 5 + good, units
        yield start("first good") + self.ship * 5 + good, units > 0
        wanted = self._column(at.DEMAND + good)
        offered = np.minimum(units, wanted)
        part = np.minimum(1, wanted / np.maximum(1, offered.sum(1, keepdims=True)))
        value = self._column(at.VALUE)
        place = start("wanted") + (self.ship * 5 + value) * NEARS + self._near()
        yield place, (offered * part).astype(np.float32)

    def _near(self) -> Whole:
        to_go = STOPS - self._column(at.CAR)
        before = np.where(to_go <= VERY_SOON, 0, np.where(to_go <= SOON, 1, 2))
        there = np.where(self._column(at.ROUND) >> self._seats & 1, 3, 4)
        return np.where(self._phase == at.DELIVER, there, before)

    def _turns(self) -> Iterator[Fact]:
        drives = self._phase == at.DRIVE
        later = (self._seats - self._column(at.SEAT)) % self._players
        yield start("drives later") + self.ship * 4 + later, drives
        later = (self._seats - self._column(at.ACTIVE) - 1) % self._players
        yield start("drives next") + self.ship * 4 + later, ~drives
        for name, steps in (("stop", 1), ("second stop", 2)):
            sees = drives & self._decides & ((steps == 1) | (self.pesos > 0))
            yield start(name) + self.ship * ENDS + self._end(steps), sees

    def _end(self, steps: int) -> Whole:
        stop = self._column(at.CAR) + steps
        citizen = np.take_along_axis(self._citizens, stop % STOPS, 1)
        silenced = self._column(at.SILENCED) >> np.maximum(citizen, 0) & 1
        return np.where(stop == STOPS, HARBOUR, np.where(silenced == 1, SILENCED, citizen))
