"""The words of the game, and the shapes of the dicts that the rules work on."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

PLAIN_GOODS = ("sugar", "citrus", "tobacco", "rum", "cigars")
GOODS = (*PLAIN_GOODS, "wood")
FLOWERS = ("yellow", "blue", "red", "white")
BUILDINGS = (
    "bank",
    "church",
    "distillery",
    "cigar-factory",
    "black-market",
    "sawmill",
    "cafe",
    "customs",
    "casino",
    "harbour-office",
    "trading-office",
    "newspaper",
)

# S3: two citizens for each flower, none for El Zorro.
CITIZEN_FLOWERS: dict[str, str | None] = {
    "pedro": "white",
    "maria": "red",
    "jose": "yellow",
    "martinez": "blue",
    "conchita": "yellow",
    "el-zorro": None,
    "miguel": "blue",
    "pablo": "red",
    "alonso": "white",
}

# S5: the six faces of each die.
FACES = dict.fromkeys(PLAIN_GOODS, (0, 1, 1, 2, 2, 3)) | {"citrus": (0, 1, 2, 2, 3, 4)}

STOPS = 10  # the harbour (0) and nine citizens
LAST_SHIP = 7
LOWEST_VALUE, HIGHEST_VALUE = 2, 4
LAST_TURN = 300  # H7


class Player(TypedDict):
    """What one player has."""

    pesos: int
    vp: int
    goods: dict[str, int]
    pawn: str | None
    markers: int


class Table(TypedDict):
    """The STATE of the notation, field by field."""

    ship: int
    value: int
    demand: dict[str, int]
    car: int
    silenced: list[str]
    supply: dict[str, int]
    owners: dict[str, int]
    active: int
    turn: int
    players: list[Player]


class Setup(TypedDict):
    """The setup line of a trace."""

    type: str
    players: int
    citizens: list[str]
    buildings: list[str]
    space_flowers: list[str]
    citizen_flowers: dict[str, str | None]
    seed: str | None


@dataclass(frozen=True)
class Roll:
    """A roll of five dice is due; the answer is a dict from plain good to face."""

    seat: int


@dataclass(frozen=True)
class Decision:
    """A choice is due; the answer is one of the legal moves."""

    seat: int
    kind: str
    legal: tuple[str, ...]


Due = Roll | Decision
T = TypeVar("T")
Rule = Generator[Due, Any, T]


def ask(seat: int, kind: str, legal: list[str]) -> Rule[str]:
    """Ask for one of the legal moves; a single one is made without asking."""
    if len(legal) == 1:
        return legal[0]
    chosen: str = yield Decision(seat, kind, tuple(legal))
    return chosen


def clockwise(first: int, players: int) -> list[int]:
    """All seats in playing order, beginning with the first."""
    return [(first + place) % players for place in range(players)]
