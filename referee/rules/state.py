"""The state that the rules work on: layout, cells, legal moves, and how a game starts (S1 to S4).

`Position` is its public face.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import Final

from referee.rules import cells as at
from referee.rules.errors import InvalidLayout
from referee.rules.moves import VISITS, Move, make_move
from referee.rules.pieces import (
    BUILDINGS,
    CITIZEN_FLOWERS,
    CITIZENS,
    CITRUS,
    GOODS,
    LOWEST_VALUE,
    NO_FLOWER,
    SUGAR,
    TOBACCO,
    UNITS_OF_EACH_GOOD,
)

_NOBODY_AT_THE_HARBOUR: Final = -1
_STARTING_GOODS: Final = (SUGAR, TOBACCO, CITRUS)


@dataclass(frozen=True, slots=True)
class Layout:
    """The board of one game: citizens and buildings as shuffled (S2), flowers of the citizens (S3).

    Raises InvalidLayout if a citizen or a building is missing or stands twice. Only the first three
    fields are given; the others are derived from them, for quick look-up.

        layout = Layout.shuffled(Random(7))
        CITIZENS[layout.citizen_at[1]]      # the citizen at the first stop after the harbour
    """

    citizens: tuple[int, ...]
    """The citizens at stops 1 to 9."""
    buildings: tuple[int, ...]
    """The buildings on spaces 0 to 11: three under each flower of SPACE_FLOWERS."""
    citizen_flowers: tuple[int, ...] = CITIZEN_FLOWERS
    """The flower of each citizen, or NO_FLOWER."""
    citizen_at: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The citizen at each stop; -1 at the harbour."""
    flower_at: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The flower of the citizen at each stop; NO_FLOWER at the harbour."""
    before: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """Bit mask of the citizens before each stop, from 0 to 10."""
    space_bit: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The bit of each building's space; 0 for OFF_BOARD."""
    visits: tuple[tuple[tuple[Move, ...], ...], ...] = field(init=False, repr=False, compare=False)
    """[flower][mask]: the visits to those of the flower's three spaces that the mask leaves free.

    NO_FLOWER has no spaces, and no visits."""

    def __post_init__(self) -> None:
        if sorted(self.citizens) != list(range(len(CITIZENS))):
            raise InvalidLayout("A layout needs each of the nine citizens once.")
        if sorted(self.buildings) != list(range(len(BUILDINGS))):
            raise InvalidLayout("A layout needs each of the twelve buildings once.")
        if len(self.citizen_flowers) != len(CITIZENS) or not all(
            0 <= flower <= NO_FLOWER for flower in self.citizen_flowers
        ):
            raise InvalidLayout("A layout needs a flower, or none, for each of the nine citizens.")
        spaces = range(len(BUILDINGS))
        derived = {
            "citizen_at": (_NOBODY_AT_THE_HARBOUR, *self.citizens),
            "flower_at": (NO_FLOWER, *(self.citizen_flowers[c] for c in self.citizens)),
            "before": (0, 0, *accumulate(1 << citizen for citizen in self.citizens)),
            "space_bit": (*(1 << self.buildings.index(b) for b in spaces), 0),
            "visits": (*(_visits(self.buildings[s : s + 3]) for s in spaces[::3]), ((),) * 8),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def shuffled(cls, rng: Random) -> "Layout":
        """Return a random layout.

        Args:
            rng: The generator to shuffle with. The same state of the generator gives the same
                layout; the rules have no randomness of their own.
        """
        citizens, buildings = list(range(len(CITIZENS))), list(range(len(BUILDINGS)))
        rng.shuffle(citizens)
        rng.shuffle(buildings)
        return cls(tuple(citizens), tuple(buildings))


@cache
def _visits(three: tuple[int, ...]) -> tuple[tuple[Move, ...], ...]:
    """Return, by mask of the occupied ones among three buildings, the visits to the others."""
    return tuple(
        tuple(make_move(VISITS, b) for n, b in enumerate(three) if not occupied >> n & 1)
        for occupied in range(1 << len(three))
    )


class GameState:
    """A layout, the number of players, the cells (see cells.py) and the legal moves."""

    __slots__ = ("cells", "layout", "legal_moves", "players")

    layout: Layout
    players: int
    cells: list[int]
    legal_moves: tuple[Move, ...]

    def __init__(
        self, layout: Layout, players: int, cells: list[int], legal_moves: tuple[Move, ...]
    ) -> None:
        self.layout = layout
        self.players = players
        self.cells = cells
        self.legal_moves = legal_moves

    def ask(self, phase: int, seat: int, moves: tuple[Move, ...]) -> None:
        """Wait until `seat` has chosen one of `moves`."""
        cells = self.cells
        cells[at.PHASE] = phase
        cells[at.SEAT] = seat
        self.legal_moves = moves

    def end(self, reason: int) -> None:
        """End the game."""
        self.cells[at.PHASE] = at.OVER
        self.cells[at.REASON] = reason
        self.cells[at.LAWYER] = 0
        self.legal_moves = ()


def starting_cells(players: int) -> list[int]:
    """Return the cells before the first roll (S1, S4): the last seat is to roll."""
    cells = [0] * (at.PLAYERS + at.STRIDE * players)
    cells[at.PHASE] = at.ROLL
    cells[at.SEAT] = players - 1
    cells[at.SHIP] = 1
    cells[at.VALUE] = LOWEST_VALUE
    cells[at.EXCLUDED] = at.NO_DEMAND
    cells[at.SUPPLY : at.SUPPLY + len(GOODS)] = [UNITS_OF_EACH_GOOD] * len(GOODS)
    cells[at.OWNER : at.PLAYERS] = [at.NOBODY] * (at.PLAYERS - at.OWNER)
    for seat in range(players):
        base = at.PLAYER[seat]
        cells[base + at.PESOS] = 3
        cells[base + at.VP] = 2
        cells[base + at.PAWN] = at.OFF_BOARD
        cells[base + at.MARKERS] = at.OWNERSHIP_MARKERS
        for good in _STARTING_GOODS:
            cells[base + at.HELD + good] = 1
            cells[at.SUPPLY + good] -= 1
    return cells
