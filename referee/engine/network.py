"""The network: a score for each seat, from the rows that it adds up.

Each row is a vector of UNITS whole numbers, one for each hidden unit. A seat adds up its rows; what
is then below 0 counts as 0; half of the units count for the seat, half against it. So there is one
hidden layer, and no multiplication, as rows stand for facts (an idea of NNUE, Nasu 2018). A vector
is packed into one int, one number in each lane of its bits: Python adds two such ints in 50 ns.
All is whole numbers: compiled and pure code give the same scores.
"""

import zlib
from typing import Final

from referee.engine.features import seat_rows, street_rows
from referee.engine.fields import ROWS
from referee.engine.stored import own
from referee.rules.cells import Layout
from referee.rules.position import Position

UNITS: Final = 16
"""Hidden units: the even ones count for a seat, the odd ones against it."""
LANE: Final = 20
"""Bits of a lane: the sum of 60 rows fits in."""
MOST: Final = 8191
"""The largest number of a row."""
SCALE: Final = 1024.0
"""The number that stands for 1."""
WEIGHTS: Final = "weights.bin"
"""The rows, then what every seat begins with: UNITS lanes each, compressed."""
_BYTES: Final = UNITS * LANE // 8


def _in_lanes(value: int, count: int, width: int) -> int:
    return sum(value << width * lane for lane in range(count))


_TWO: Final = 2 * LANE
_HALF: Final = UNITS // 2
_SIGN: Final = _in_lanes(1 << LANE - 1, UNITS, LANE)
_EVEN: Final = _in_lanes((1 << LANE) - 1, _HALF, _TWO)
_ONES: Final = _in_lanes(1, _HALF, _TWO)
_LAST_LANE: Final = _TWO * (_HALF - 1)
_ROUND: Final = 1 << _LAST_LANE - 1
_RANGE: Final = 1 << _TWO


def pack(rows: list[list[int]]) -> bytes:
    """Return weights from the rows by number, then what every seat begins with."""
    return zlib.compress(b"".join(_packed(row) for row in rows), 9)


def _packed(row: list[int]) -> bytes:
    lanes = sum((number + (1 << LANE - 1)) << LANE * unit for unit, number in enumerate(row))
    return lanes.to_bytes(_BYTES, "little")


def unpack(weights: bytes) -> list[list[int]]:
    """Return the rows by number, then what every seat begins with: `pack` the other way round."""
    lowest, lanes = 1 << LANE - 1, range(0, UNITS * LANE, LANE)
    return [[(row >> lane & (1 << LANE) - 1) - lowest for lane in lanes] for row in _ints(weights)]


def _unpacked(weights: bytes) -> list[int]:
    rows = [row - _SIGN for row in _ints(weights)]
    rows[ROWS] += _SIGN
    return rows


def _ints(weights: bytes) -> list[int]:
    data = zlib.decompress(weights)
    if len(data) != (ROWS + 1) * _BYTES:
        raise ValueError("These weights belong to other features: train the network again.")
    starts = range(0, len(data), _BYTES)
    return [int.from_bytes(data[start : start + _BYTES], "little") for start in starts]


_ROWS: Final[list[int]] = []
"""The rows, read when they are first needed; the last one is what every seat begins with, with half
of the range added in each lane, so that no lane of a sum is below 0."""


def use(weights: bytes) -> None:
    """Judge by other weights from now on; `pack` makes them."""
    _ROWS[:] = _unpacked(weights)
    _LAST.clear()


def forget() -> None:
    """Judge by the package's own weights again."""
    _ROWS.clear()
    _LAST.clear()


class _Street:
    """The sums of the rows of one layout's street, as far as they were needed."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.sums: dict[int, int] = {}

    def sum(self, key: int) -> int:
        total = _ROWS[ROWS]
        for row in street_rows(self.layout, key):
            total += _ROWS[row]
        self.sums[key] = total
        return total


_LAST: Final[list[_Street]] = []
"""The street of the last layout: most positions in a row are of one game."""


def _street(layout: Layout) -> _Street:
    for street in _LAST:
        if street.layout is layout:
            return street
    street = _Street(layout)
    _LAST[:] = [street]
    return street


def scores(position: Position) -> list[float]:
    """Return by seat a score: seats end in the order of chances proportional to its exponential."""
    if not _ROWS:
        use(own(WEIGHTS))
    street = _street(position.layout)
    common, all_rows, keys = seat_rows(position)
    found: list[float] = []
    shared = 0
    for row in common:
        shared += _ROWS[row]
    for seat in range(position.players):
        key = keys[seat]
        total = street.sums.get(key, 0)
        if not total:
            total = street.sum(key)
        total += shared
        for row in all_rows[seat]:
            total += _ROWS[row]
        found.append(float(_score(total)) / SCALE)
    return found


def _score(total: int) -> int:
    """Return the sum of the even lanes less that of the odd ones, each 0 if it is below."""
    signs = total & _SIGN
    hidden = total & (signs - (signs >> LANE - 1))
    pairs = (hidden & _EVEN) - (hidden >> LANE & _EVEN)
    score = (pairs * _ONES + _ROUND >> _LAST_LANE) & (_RANGE - 1)
    return score - _RANGE if score >= _RANGE >> 1 else score
