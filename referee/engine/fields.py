"""The rows of the network: fields of facts, and the bounds within which facts are told apart.

A field is a block of rows of which a seat has one, none or several. Its rows are told apart by
numbers, such as the ship, the kind of good and how many of it the seat has.
"""

from typing import Final

from referee.engine import stored
from referee.rules.pieces import SHIPS, STOPS

FARTHEST_LEAD: Final = 24
"""VP; farther leads count as this one, and so it is with the other bounds."""
LEADS: Final = 2 * FARTHEST_LEAD + 1
MOST_PESOS: Final = 14
MOST_WOOD: Final = 6
MOST_HELD: Final = 5
MOST_GOODS: Final = 12
REACHES: Final = 5
"""Pesos from 0 to 3, and more: how far a seat can drive."""
NEAR: Final = 5
"""Stops ahead of which the buildings count."""
SILENT: Final = 10
"""The number of what stands at a stop: the harbour, the citizens, or one who is silenced."""

FIELDS: Final[dict[str, tuple[int, ...]]] = {
    "turn": (3, 4, 10, 3),
    "lead": (3, SHIPS, LEADS),
    "mean lead": (2, SHIPS, LEADS),
    "purse": (SHIPS, MOST_PESOS + 1, MOST_WOOD + 1),
    "good": (5, MOST_HELD, 5, 3, 4),
    "stock": (5, MOST_HELD, SHIPS),
    "glut": (2, 4, 4, 5),
    "goods": (4, MOST_GOODS + 1),
    "own": (12, SHIPS),
    "marks": (SHIPS, 4, 13),
    "cargo": (4, 10, 8),
    "clock": (SHIPS, 3, 8),
    "open": (3, 6),
    "visit": (12, 4, 2),
    "function": (12, 4, 2),
    "due": (1,),
    "gift": (4,),
    "round": (4, 2, 3),
    "stop": (4, REACHES, STOPS, 11),
    "house": (4, NEAR, 12),
}
"""The fields, and by which numbers their rows are told apart."""


START: Final[dict[str, int]] = {name: stored.start(FIELDS, name) for name in FIELDS}
"""The first row of each field."""
ROWS: Final[int] = stored.size(FIELDS)
"""The number of all rows."""
