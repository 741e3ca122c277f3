"""The prices of the quick look, in VP: what a thing brings by the end of the game.

They are learned from the search's own trees (`referee.training`), for each number of players by
itself. Fields are blocks of one flat table; `worth` adds up the prices of what a seat has.
"""

from typing import Final

from referee.engine import stored

SHIPS: Final = 8
"""Ships from 1 to 7, which differ in nearly all prices; there is no ship 0."""
PESOS_TOLD: Final = 16
"""Further pesos count alike."""
NEARS: Final = 5
"""How near a delivery is: the car is up to two stops from the harbour, up to five, further, there,
or there when the seat delivers no more."""
HARBOUR: Final = 9
SILENCED: Final = 10
"""The numbers of what stands at a stop if it is not a citizen who is met."""
ENDS: Final = 11
"""A stop has a citizen, one who is silenced, or the harbour."""
SIZES: Final = 3
"""Two, three and four players have prices of their own."""
SCALE: Final = 1000.0
"""The number that stands for 1 VP."""
WEIGHTS: Final = "prices.bin"
"""The file of the prices of all sizes, one after the other."""

FIELDS: Final[dict[str, tuple[int, ...]]] = {
    "pesos": (SHIPS, PESOS_TOLD),
    "further pesos": (SHIPS,),
    "good": (SHIPS, 5),
    "first good": (SHIPS, 5),
    "wanted": (SHIPS, 5, NEARS),
    "wood": (SHIPS,),
    "first wood": (SHIPS,),
    "own": (SHIPS, 12),
    "markers": (SHIPS, 4),
    "due": (SHIPS, 10),
    "drives later": (SHIPS, 4),
    "drives next": (SHIPS, 4),
    "stop": (SHIPS, ENDS),
    "second stop": (SHIPS, ENDS),
    "lead": (SHIPS,),
}
"""The fields, and by which numbers their prices are told apart."""


def start(name: str) -> int:
    """Return the place of a field's first price."""
    return stored.start(FIELDS, name)


PRICES: Final[int] = stored.size(FIELDS)
"""The number of prices for each size."""

_TABLES: Final[list[list[float]]] = []
"""The prices for two, three and four players, read when they are first needed."""


def table(players: int) -> list[float]:
    """Return the prices for a number of players, by place."""
    if not _TABLES:
        use(stored.own(WEIGHTS))
    return _TABLES[players - 2]


def use(weights: bytes) -> None:
    """Value by other prices from now on: those of all sizes, one after the other, packed."""
    every = stored.unpack(weights, PRICES * SIZES, SCALE)
    _TABLES[:] = [every[n * PRICES : (n + 1) * PRICES] for n in range(SIZES)]


def use_table(players: int, numbers: list[float]) -> None:
    """Value tables of `players` by other prices from now on; the list is not copied."""
    table(players)
    _TABLES[players - 2] = numbers


def forget() -> None:
    """Value by the package's own prices again."""
    _TABLES.clear()
