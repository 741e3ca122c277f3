"""The rare corners of the game, as short scenes for golden playthroughs.

Each scene is a position set by hand, and what is then chosen and rolled. Forced moves go without
saying.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from referee.rules import Position
from tests.rules.table import player, table

START: Final = player(sugar=1, citrus=1, tobacco=1)
MET: Final = "sugar:0,citrus:0,tobacco:0,rum:1"  # but for one unit


@dataclass(frozen=True)
class Scene:
    """`about` says what is to be seen; `start` makes the position anew."""

    about: str
    start: Callable[[], Position]
    choices: tuple[str, ...]


ALL_ZERO_ROLL: Final = (
    Scene(
        "H5: at the setup the ship leaves at once, twice, and the same seat rolls again.",
        lambda: table(START, START, phase="roll", turn=0, seat=1, demand="none"),
        (
            *("roll 0 0 0 0 0", "exclude rum"),
            *("roll 0 0 0 3 0", "exclude rum"),
            *("roll 0 4 0 0 0", "exclude sugar"),
        ),
    ),
    Scene(
        "H5, H6: the seventh ship leaves so, and with it the game ends.",
        lambda: table(player(vp=9, rum=4), player(vp=9), phase="roll", demand="none", ship=7),
        ("roll 0 2 0 0 0", "exclude citrus"),
    ),
)

SHIP_LEAVES_ON_THE_WAY: Final = (
    Scene(
        "D2, H4: no die can be turned until the new demand is rolled at the end of the turn.",
        lambda: table(
            player(pesos=4, sugar=3), player(), car="alonso", value=4, owners="trading-office:1"
        ),
        ("drive 2", "visit trading-office", "roll 1 2 0 3 1", "exclude tobacco"),
    ),
    Scene(
        "H4, B9: the harbour office moves the marker of the ship that has no demand yet.",
        lambda: table(player(pesos=4), player(), car="alonso", value=4),
        ("drive 2", "visit harbour-office", "raise", "roll 1 2 0 3 1", "exclude rum"),
    ),
    Scene(
        "H4, H3: a stop at the harbour in the same drive is a round in which all pass.",
        lambda: table(player(pesos=12, rum=2), player(sugar=5), car="alonso", value=4),
        ("drive 11", "roll 1 2 0 3 1", "exclude rum"),
    ),
)

SEVENTH_SHIP_IN_THE_MIDDLE: Final = (
    Scene(
        "D1, H6: the car passes the harbour; the drive is paid whole, the car is left there.",
        lambda: table(
            player(pesos=9, on="bank"), player(vp=7), car="pablo", value=4, ship=7, owners="bank:1"
        ),
        ("drive 8",),
    ),
    Scene(
        "B7, H6: the last die is turned by the trading office; its owner gets nothing more (B12).",
        lambda: table(
            player(rum=2),
            player(),
            next_stop="pedro",
            demand=MET,
            ship=7,
            owners="trading-office:1",
        ),
        ("drive 1", "visit trading-office", "ship rum"),
    ),
    Scene(
        "C5, H6: through Alonso, before the pawn has moved.",
        lambda: table(
            player(), player(), next_stop="alonso", value=4, ship=7, owners="harbour-office:0"
        ),
        ("drive 1", "use harbour-office", "raise"),
    ),
    Scene(
        "H1, H6: in a delivery round, by a seat that is not the active one; no B12 for seat 1.",
        lambda: table(
            player(sugar=1, on="bank"),
            player(rum=1),
            player(rum=1, wood=1),
            next_stop="harbour",
            demand="sugar:1,citrus:0,tobacco:0,rum:2",
            value=3,
            ship=7,
            owners="bank:1",
        ),
        ("drive 1", "deliver sugar 1", "deliver rum 1", "deliver wood 1 as rum"),
    ),
)

LONG_LAPS: Final = (
    Scene(
        "D2, D3: past the harbour once; whoever was silenced is passed and wakes.",
        lambda: table(
            player(pesos=20), player(), car="maria", silenced="pedro,jose,conchita,alonso"
        ),
        ("drive 12", "visit bank"),
    ),
    Scene(
        "D3: a whole lap from a silenced citizen to the same one, who has woken.",
        lambda: table(player(pesos=20), player(), car="pedro", silenced="pedro"),
        ("drive 10", "visit newspaper", "silence pedro"),
    ),
    Scene(
        "D2: past the harbour three times; the marker moves from 2 to 4, then the ship leaves.",
        lambda: table(player(pesos=40), player(), car="maria"),
        ("drive 31", "visit sawmill", "roll 3 3 1 0 2", "exclude citrus"),
    ),
    Scene(
        "D2, H6: the seventh ship leaves the second time; the game ends there, the drive is paid.",
        lambda: table(player(pesos=40), player(), car="maria", ship=7, value=3),
        ("drive 33",),
    ),
)

EMPTY_SUPPLY: Final = (
    Scene(
        "C1: Pedro gives 1 tobacco, since 1 is left; to the next who comes, after a lap, none.",
        lambda: table(player(tobacco=7), player(pesos=9), next_stop="pedro"),
        ("drive 1", "visit newspaper", "pass", "drive 10", "visit harbour-office", "pass"),
    ),
    Scene(
        "B4: sugar for as much rum as is left. B5: nothing is to be had that the supply lacks.",
        lambda: table(player(sugar=3), player(rum=7, cigars=8, tobacco=1), next_stop="jose"),
        ("drive 1", "visit distillery", "convert 1", "drive 1", "visit black-market", "pass"),
    ),
    Scene(
        "C3: Pablo has one kind left to choose from, then none: nothing is asked.",
        lambda: table(
            player(sugar=8, citrus=8),
            player(pesos=9, tobacco=8, rum=8, cigars=7),
            next_stop="pablo",
        ),
        ("drive 1", "visit church", "drive 10", "visit cafe", "pass"),
    ),
)

NO_BUILDING_FREE: Final = (
    Scene(
        "B1: others stand on all three; the pawn stays, and its own building is used again.",
        lambda: table(
            player(on="cafe", rum=1, cigars=1),
            player(on="harbour-office"),
            player(on="trading-office"),
            player(on="newspaper"),
            next_stop="pedro",
        ),
        ("drive 1", "serve rum cigars"),
    ),
    Scene(
        "B1, B12: others stand on two and it on the third; it stays, and the owner gets a VP.",
        lambda: table(
            player(on="bank"),
            player(on="cigar-factory"),
            player(on="black-market"),
            next_stop="martinez",
            owners="bank:2",
        ),
        ("drive 1",),
    ),
    Scene(
        "B1: a pawn off the board stays off, and there is nothing to use.",
        lambda: table(
            player(), player(on="church"), player(on="cafe"), player(on="casino"), next_stop="maria"
        ),
        ("drive 1",),
    ),
)

TIES: Final = (
    Scene(
        "E2: all three are equal in VP, left-over goods and pesos, and share rank 1.",
        lambda: table(
            player(pesos=1, vp=8, sugar=2),
            player(pesos=1, vp=7, sugar=3, citrus=2),
            player(pesos=1, vp=6, tobacco=8),
            next_stop="harbour",
            demand=MET,
            value=4,
            ship=7,
        ),
        ("drive 1",),
    ),
    Scene(
        "E2: equal in VP; goods decide, then pesos, and two share rank 1.",
        lambda: table(
            player(pesos=9, vp=8, sugar=1),
            player(pesos=0, vp=8, sugar=2),
            player(pesos=3, vp=8, citrus=2),
            player(pesos=3, vp=7, citrus=5),
            next_stop="harbour",
            demand=MET,
            value=4,
            ship=7,
        ),
        ("drive 1",),
    ),
)

CORNERS: Final = {
    "all-zero-roll": ALL_ZERO_ROLL,
    "ship-leaves-on-the-way": SHIP_LEAVES_ON_THE_WAY,
    "seventh-ship-in-the-middle": SEVENTH_SHIP_IN_THE_MIDDLE,
    "long-laps": LONG_LAPS,
    "empty-supply": EMPTY_SUPPLY,
    "no-building-free": NO_BUILDING_FREE,
    "ties": TIES,
}
"""Each corner's scenes, by the name of its file."""
