"""The state of a game: the layout of the board, and the cells, one flat list of ints.

The layout never changes during a game; the cells hold everything that does. Each constant here is
the place of a number in that list: `cells[PLAYERS + STRIDE * seat + PESOS]` are a seat's pesos. A
search needs a flat list: it is copied in a quarter of a microsecond, and compared at once.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any, Final

from referee.rules import pieces
from referee.rules.errors import InvalidLayout
from referee.rules.moves import VISITS, Move, make_move

# The turn.
PHASE: Final = 0
SEAT: Final = 1  # who decides or rolls
ACTIVE: Final = 2  # whose turn it is
TURN: Final = 3  # from 1, turns of all players counted together; 0 during the setup
REASON: Final = 4  # why the game ended
# The harbour and the street.
SHIP: Final = 5  # 1 to 7
VALUE: Final = 6  # 2 to 4
CAR: Final = 7  # stop 0 to 9
SILENCED: Final = 8  # bit c: citizen c is silenced
EXCLUDED: Final = 9  # the good that the ship does not want; NO_DEMAND while none is rolled
# Decisions that run over more than one move.
ROUND: Final = 10  # bit s: seat s is still in the delivery round
LAWYER: Final = 11  # 1 + the building that is used through Alonso, before the pawn moves; else 0
# Blocks.
OCCUPIED: Final = 12  # bit s: a pawn stands on the building of space s
OWNED: Final = 13  # bit b: somebody owns building b
DEMAND: Final = 14  # 5 cells by plain good; at a `demand` decision the dice as they were rolled
SUPPLY: Final = 19  # 6 cells by good
OWNER: Final = 25  # 13 cells by building: a seat or NOBODY; nobody owns the one of OFF_BOARD
PLAYERS: Final = 38  # STRIDE cells a seat

# Within the block of a player.
PESOS: Final = 0
VP: Final = 1
HELD: Final = 2  # 6 cells by good
PAWN: Final = 8  # a building or OFF_BOARD
MARKERS: Final = 9  # ownership markers left
STRIDE: Final = 10

PLAYER: Final[tuple[int, ...]] = (
    PLAYERS,
    PLAYERS + STRIDE,
    PLAYERS + 2 * STRIDE,
    PLAYERS + 3 * STRIDE,
)
"""The first cell of each seat's block."""

OWNERSHIP_MARKERS: Final = 3
NO_DEMAND: Final = 5
NOBODY: Final = -1
OFF_BOARD: Final = 12
BIT: Final[tuple[int, ...]] = (*(1 << building for building in range(OFF_BOARD)), 0)
"""The bit of a building in OWNED; none for OFF_BOARD."""

# Values of PHASE: the kinds of decision, and three states in which nobody decides or dice fall.
DRIVE: Final = 0
VISIT: Final = 1
FUNCTION: Final = 2
DELIVER: Final = 3
PICK: Final = 4
LAWYER_CHOICE: Final = 5
TRIBUTE: Final = 6
DEMAND_CHOICE: Final = 7
ROLL: Final = 8
OVER: Final = 9
PHASES: Final = (
    "drive",
    "visit",
    "function",
    "deliver",
    "pick",
    "lawyer",
    "tribute",
    "demand",
    "roll",
    "over",
)

# Values of REASON.
PLAYING: Final = 0
SHIPS_LEFT: Final = 1  # H6
TURNS_PLAYED: Final = 2  # H7
REASONS: Final = ("playing", "ships", "turns")

_NOBODY_AT_THE_HARBOUR: Final = -1
_STARTING_GOODS: Final = (pieces.SUGAR, pieces.TOBACCO, pieces.CITRUS)


@dataclass(frozen=True, slots=True)
class Layout:
    """The board of one game: citizens and buildings as shuffled (S2), flowers of the citizens (S3).

    Raises InvalidLayout if a citizen or a building is missing or stands twice. Only the first three
    fields are given; the others are derived from them, for quick look-up.

    >>> layout = Layout.shuffled(Random(7))
    >>> CITIZENS[layout.citizen_at[1]]      # the citizen at the first stop after the harbour
    'maria'
    """

    citizens: tuple[int, ...]
    """The citizens at stops 1 to 9."""
    buildings: tuple[int, ...]
    """The buildings on spaces 0 to 11: three under each flower of SPACE_FLOWERS."""
    citizen_flowers: tuple[int, ...] = pieces.CITIZEN_FLOWERS
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
        if sorted(self.citizens) != list(range(len(pieces.CITIZENS))):
            raise InvalidLayout("A layout needs each of the nine citizens once.")
        if sorted(self.buildings) != list(range(len(pieces.BUILDINGS))):
            raise InvalidLayout("A layout needs each of the twelve buildings once.")
        if len(self.citizen_flowers) != len(pieces.CITIZENS) or not all(
            0 <= flower <= pieces.NO_FLOWER for flower in self.citizen_flowers
        ):
            raise InvalidLayout("A layout needs a flower, or none, for each of the nine citizens.")
        spaces = range(len(pieces.BUILDINGS))
        derived = {
            "citizen_at": (_NOBODY_AT_THE_HARBOUR, *self.citizens),
            "flower_at": (pieces.NO_FLOWER, *(self.citizen_flowers[c] for c in self.citizens)),
            "before": (0, 0, *accumulate(1 << citizen for citizen in self.citizens)),
            "space_bit": (*(1 << self.buildings.index(b) for b in spaces), 0),
            "visits": (*(_visits(self.buildings[s : s + 3]) for s in spaces[::3]), ((),) * 8),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Tell `pickle` and `copy` how to make it anew: compiled, its fields cannot be set."""
        return Layout, (self.citizens, self.buildings, self.citizen_flowers)

    @classmethod
    def shuffled(cls, rng: Random) -> "Layout":
        """Return a random layout.

        Args:
            rng: The generator to shuffle with. The same state of the generator gives the same
                layout; the rules have no randomness of their own.

        Example:
            >>> Layout.shuffled(Random(7)) == Layout.shuffled(Random(7))
            True
        """
        citizens, buildings = list(range(len(pieces.CITIZENS))), list(range(len(pieces.BUILDINGS)))
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
    """A layout, the number of players, the cells and the legal moves."""

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Tell `pickle` and `copy` how to make it anew: compiled, it needs its arguments."""
        return type(self), (self.layout, self.players, self.cells, self.legal_moves)

    def end(self, reason: int) -> None:
        """End the game."""
        self.cells[PHASE] = OVER
        self.cells[REASON] = reason
        self.cells[LAWYER] = 0
        self.legal_moves = ()


def empty_cells(players: int) -> list[int]:
    """Return cells of 0, but with all goods in the supply, no demand, and buildings of nobody."""
    cells = [0] * (PLAYERS + STRIDE * players)
    cells[EXCLUDED] = NO_DEMAND
    cells[SUPPLY : SUPPLY + len(pieces.GOODS)] = [pieces.UNITS_OF_EACH_GOOD] * len(pieces.GOODS)
    cells[OWNER:PLAYERS] = [NOBODY] * (PLAYERS - OWNER)
    return cells


def starting_cells(players: int) -> list[int]:
    """Return the cells before the first roll (S1, S4): the last seat is to roll."""
    cells = empty_cells(players)
    cells[PHASE] = ROLL
    cells[SEAT] = players - 1
    cells[SHIP] = 1
    cells[VALUE] = pieces.LOWEST_VALUE
    for seat in range(players):
        base = PLAYER[seat]
        cells[base + PESOS] = 3
        cells[base + VP] = 2
        cells[base + PAWN] = OFF_BOARD
        cells[base + MARKERS] = OWNERSHIP_MARKERS
        for good in _STARTING_GOODS:
            cells[base + HELD + good] = 1
            cells[SUPPLY + good] -= 1
    return cells
