"""Counts the folded results: the tables that a rebuild compares, as whole columns of numbers."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from ladder.ratings.folding import Fold, Record
from ladder.ratings.stored import (
    CHANGES,
    MEETINGS,
    NEIGHBOUR_TALLIES,
    PLACES,
    SEAT_TALLIES,
    Numbers,
    Table,
)
from ladder.ratings.tallies import TWELFTHS

_COLUMNS: Final = 7  # of a seat in a record
_VERSION, _BOT, _RANK, _FAULT, _BEFORE, _AFTER, _TRIBUTES = range(_COLUMNS)
_MANY: Final = 1 << 31  # more than there are bots


def tables(fold: Fold, annulled: Collection[int]) -> dict[Table, Numbers]:
    """What each table should hold, as `stored.read` gives it; annulled matches are not counted."""
    assert fold.records is not None
    changes = [np.array(fold.entries, np.int64).reshape(-1, len(CHANGES.columns))]
    meetings, seat_tallies, neighbours = [], [], []
    for size, record in fold.records.items():
        matches = np.frombuffer(record.matches, np.int64).reshape(-1, 2)
        seats = np.frombuffer(record.seats, np.int64).reshape(-1, size, _COLUMNS)
        changes.append(_changes(matches, seats))
        stands = ~np.isin(matches[:, 1], np.array(sorted(annulled), np.int64))
        meetings.append(_meetings(record, seats, stands))
        seat_tallies.append(_seats(seats[stands]))
        neighbours.append(_neighbours(seats[stands]))
    return {
        CHANGES: np.concatenate(changes),
        PLACES: _places(fold),
        MEETINGS: np.concatenate(meetings),
        SEAT_TALLIES: np.concatenate(seat_tallies),
        NEIGHBOUR_TALLIES: np.concatenate(neighbours),
    }


def _changes(matches: Numbers, seats: Numbers) -> Numbers:
    """The rows of results, in the columns of CHANGES."""
    size = seats.shape[1]
    number, match_id = np.repeat(matches, size, axis=0).T
    flat = seats.reshape(-1, _COLUMNS)
    zeros = np.zeros(len(flat), np.int64)
    version, bot, before, after = flat[:, [_VERSION, _BOT, _BEFORE, _AFTER]].T
    rows = (number, zeros + size, version, bot, zeros, match_id, zeros, before, after)
    return np.column_stack(rows)


def _places(fold: Fold) -> Numbers:
    rows = [
        (size, version, place.bot_id, place.rating, place.games, place.wins, place.faults)
        for size, ladder in fold.places.items()
        for version, place in ladder.items()
    ]
    return np.array(rows, np.int64).reshape(-1, len(PLACES.columns))


def _meetings(record: Record, seats: Numbers, stands: npt.NDArray[np.bool_]) -> Numbers:
    """Each seat against each other one, of the matches that stand."""
    size = seats.shape[1]
    pairs = list(combinations(range(size), 2))
    first = np.frombuffer(record.expected, np.int16).reshape(-1, len(pairs))[stands]
    seats = seats[stands]
    taken = _taken(record, size)[seats[:, :, _TRIBUTES]]
    parts = []
    for one, other in permutations(range(size), 2):
        rank, opponent = seats[:, one, _RANK], seats[:, other, _RANK]
        share = first[:, pairs.index((min(one, other), max(one, other)))].astype(np.int64)
        values = (
            np.ones(len(seats), np.int64),
            2 * (rank < opponent) + (rank == opponent),
            share if one < other else 1000 - share,
            taken[:, one, other],
            seats[:, one, _FAULT],
        )
        parts.append((seats[:, one, _BOT], seats[:, other, _BOT], np.stack(values, axis=1)))
    bots, opponents, sums = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _sums(size, bots, opponents, sums)


def _taken(record: Record, size: int) -> Numbers:
    """(kinds of tributes, seats): how many things were taken from each seat."""
    rows = [[int(count) for count in (one or "").split()] for one in record.tributes]
    return np.array([row or [0] * size for row in rows], np.int64)


def _seats(seats: Numbers) -> Numbers:
    wins = _wins(seats)
    size = seats.shape[1]
    return np.concatenate(
        [
            _sums(size, np.full(len(seats), seat), seats[:, seat, _BOT], wins[:, seat])
            for seat in range(size)
        ]
    )


def _neighbours(seats: Numbers) -> Numbers:
    bots = seats[:, :, _BOT]
    before = np.roll(bots, 1, axis=1)
    return _sums(seats.shape[1], bots.ravel(), before.ravel(), _wins(seats).reshape(-1, 2))


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
