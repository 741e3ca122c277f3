"""Counts the folded results: the tables that a rebuild compares, as whole columns of numbers."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from ladder.ratings.folding import Counted, Fold
from ladder.ratings.stored import (
    CHANGES,
    MEETINGS,
    NEIGHBOUR_TALLIES,
    PLACES,
    SEAT_TALLIES,
    Numbers,
    Table,
)
from ladder.tallies import TWELFTHS

_BOT, _RANK, _FAULT = range(3)
_MANY: Final = 1 << 31  # more than there are bots


def tables(fold: Fold, annulled: Collection[int]) -> dict[Table, Numbers]:
    """What each table should hold, as `stored.read` gives it; annulled matches are not counted."""
    sized = [(size, *_columns(counted, size, annulled)) for size, counted in fold.counted.items()]
    return {
        CHANGES: np.frombuffer(fold.changes, np.int64).reshape(-1, len(CHANGES.columns)),
        PLACES: _places(fold),
        MEETINGS: np.concatenate([_meetings(*each) for each in sized]),
        SEAT_TALLIES: np.concatenate([_seats(size, seats) for size, seats, *_ in sized]),
        NEIGHBOUR_TALLIES: np.concatenate([_neighbours(size, seats) for size, seats, *_ in sized]),
    }


def _columns(
    counted: Counted, size: int, annulled: Collection[int]
) -> tuple[Numbers, Numbers, Numbers]:
    """(matches, seats, 3), and for ordered pairs (matches, seats, seats): expected, tributes."""
    matches = np.frombuffer(counted.matches, np.int64)
    stands = ~np.isin(matches, np.array(sorted(annulled), np.int64))
    seats = np.frombuffer(counted.seats, np.int64).reshape(-1, size, 3)
    expected = np.frombuffer(counted.expected, np.int16).reshape(-1, size, size)
    tributes = np.frombuffer(counted.tributes, np.int16).reshape(-1, size, size)
    return seats[stands], expected[stands].astype(np.int64), tributes[stands].astype(np.int64)


def _places(fold: Fold) -> Numbers:
    rows = [
        (size, version, place.bot_id, place.rating, place.games, place.wins, place.faults)
        for size, ladder in fold.places.items()
        for version, place in ladder.items()
    ]
    return np.array(rows, np.int64).reshape(-1, len(PLACES.columns))


def _meetings(size: int, seats: Numbers, expected: Numbers, tributes: Numbers) -> Numbers:
    parts = []
    for one in range(size):
        for other in (other for other in range(size) if other != one):
            rank, opponent = seats[:, one, _RANK], seats[:, other, _RANK]
            values = np.stack(
                [
                    np.ones(len(seats), np.int64),
                    2 * (rank < opponent) + (rank == opponent),
                    expected[:, one, other],
                    tributes[:, one, other],
                    seats[:, one, _FAULT],
                ],
                axis=1,
            )
            parts.append((seats[:, one, _BOT], seats[:, other, _BOT], values))
    bots, opponents, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _sums(size, bots, opponents, values)


def _seats(size: int, seats: Numbers) -> Numbers:
    wins = _wins(seats)
    return np.concatenate(
        [
            _sums(size, np.full(len(seats), seat), seats[:, seat, _BOT], wins[:, seat])
            for seat in range(size)
        ]
    )


def _neighbours(size: int, seats: Numbers) -> Numbers:
    bots = seats[:, :, _BOT]
    before = np.roll(bots, 1, axis=1)
    return _sums(size, bots.ravel(), before.ravel(), _wins(seats).reshape(-1, 2))


def _wins(seats: Numbers) -> Numbers:
    """(matches, seats, 2): one game, and the twelfths of its win."""
    first = seats[:, :, _RANK] == 1
    share = TWELFTHS // np.maximum(1, first.sum(axis=1))
    return np.stack([np.ones_like(seats[:, :, _RANK]), first * share[:, None]], axis=2)


def _sums(size: int, one: Numbers, other: Numbers, values: Numbers) -> Numbers:
    """Rows of size, both keys, and the sums of the values under these."""
    keys, place = np.unique(one * _MANY + other, return_inverse=True)
    sums = np.empty((len(keys), values.shape[1]), np.int64)
    for column in range(values.shape[1]):
        # Floats add whole numbers exactly up to 2^53.
        sums[:, column] = np.bincount(place, values[:, column], minlength=len(keys))
    return np.column_stack([np.full(len(keys), size), keys // _MANY, keys % _MANY, sums])
