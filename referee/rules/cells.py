"""The cells of a position: one flat list of ints, and the place of each number in it.

A search needs a flat list: it is copied in a quarter of a microsecond, and compared at once.
`cells[PLAYERS + STRIDE * seat + PESOS]` are the pesos of a seat, and so on.
"""

from typing import Final

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
