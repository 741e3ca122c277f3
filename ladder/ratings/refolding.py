"""Fold the ledger, count the tables that follow, and compare them with those that are stored.

What was folded is counted in whole columns of numbers: a million matches take seconds.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.model import EntryKind, is_postgresql, take_your_time
from ladder.ratings import ledger, stored
from ladder.ratings.entries import OtherEntries, other_entries, results
from ladder.ratings.folding import Fold, Folded, ResultColumns, fold, go_on
from ladder.ratings.stored import Numbers, RatingTable
from ladder.ratings.tallies import TWELFTHS

_COLUMNS: Final = 9  # of a seat in `ResultColumns`
_VERSION, _BOT, _RANK, _FAULT, *_SKILLS, _TRIBUTES = range(_COLUMNS)
_MANY: Final = 1 << 31  # more than any number of bots


@dataclass(frozen=True, slots=True)
class Refolded:
    """The fold of a ledger up to the entry of number `newest`."""

    newest: int
    folded: Folded
    others: OtherEntries

    @property
    def entered(self) -> frozenset[int]:
        """Return the ids of matches with an annulment."""
        entries = self.others.entries
        return frozenset(one.match_id for one in entries if one.kind is EntryKind.ANNULMENT)

    def tables(self) -> dict[RatingTable, Numbers]:
        """Compute the rows of each table that follow from it."""
        return counted_tables(self.folded.fold, self.entered)

    def places(self) -> Numbers:
        """Compute the rows of `stored.PLACES` alone."""
        return _places(self.folded.fold)


@dataclass(frozen=True, slots=True)
class Unlike:
    """The rows of a table that differ: as stored, and as they follow from the fold; by key."""

    table: RatingTable
    stored: Numbers
    refolded: Numbers

    def __bool__(self) -> bool:
        """Return True if anything differs."""
        return bool(len(self.stored) or len(self.refolded))

    def parts(self, size: int) -> Iterator["Unlike"]:
        """Yield the rows in parts; each has all rows of at most `size` values of the first key."""
        firsts = np.unique(np.concatenate([self.stored[:, 0], self.refolded[:, 0]]))
        for start in range(0, len(firsts), size):
            ends = firsts[start], firsts[min(start + size, len(firsts)) - 1] + 1
            before, after = (
                rows[slice(*np.searchsorted(rows[:, 0], ends))]
                for rows in (self.stored, self.refolded)
            )
            yield Unlike(self.table, before, after)

    def corrections(self) -> Numbers:
        """Return what has to be added to the values under each key."""
        width = len(self.table.keys)
        rows = np.concatenate([self.refolded, self.stored])
        rows[len(self.refolded) :, width:] *= -1
        keys, place = np.unique(rows[:, :width], axis=0, return_inverse=True)
        sums = np.zeros((len(keys), len(self.table.values)), np.int64)
        np.add.at(sums, place.ravel(), rows[:, width:])
        return np.column_stack([keys, sums])


def take_snapshot(session: Session) -> None:
    """Begin a transaction that sees the database as it is now; none must be under way."""
    if is_postgresql(session):
        session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


def refold(session: Session, known: Refolded | None = None) -> Refolded:
    """Fold the ledger; go on from what is `known` if that is possible (which changes it)."""
    take_your_time(session)
    if is_postgresql(session):
        session.execute(text("SET LOCAL work_mem = '256MB'"))  # to sort all seats at once
    further = known and go_further(session, known)
    if further is not None:
        return further
    newest, others = ledger.newest(session), other_entries(session)
    return Refolded(newest, fold(results(session), others), others)


def go_further(session: Session, known: Refolded) -> Refolded | None:
    """Fold what came since; None if that changes what came before, as an annulment does."""
    newest, others = ledger.newest(session), other_entries(session)
    if not others.continues(known.others):
        return None
    came = results(session, after=known.newest)
    return Refolded(newest, go_on(known.folded, came, others, after=known.newest), others)


def compare(session: Session, table: RatingTable, rows: Numbers) -> Unlike:
    """Compare what is stored in a table with the rows that follow from the fold."""
    before, after = _sorted(table, stored.read(session, table)), _sorted(table, rows)
    if np.array_equal(before, after):
        return Unlike(table, before[:0], after[:0])
    one, other = _whole(before), _whole(after)
    return Unlike(table, before[~np.isin(one, other)], after[~np.isin(other, one)])


def compare_all(session: Session, fold: Refolded) -> list[Unlike]:
    """Compare every table that follows from the fold, also those that are equal."""
    return [compare(session, table, rows) for table, rows in fold.tables().items()]


def counted_tables(fold: Fold, annulled: Collection[int]) -> dict[RatingTable, Numbers]:
    """Compute the rows of each table, as `stored.read` gives them; leave out annulled matches."""
    assert fold.records is not None
    changes = [np.array(fold.entries, np.int64).reshape(-1, len(stored.CHANGES.columns))]
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
        stored.CHANGES: np.concatenate(changes),
        stored.PLACES: _places(fold),
        stored.MEETINGS: np.concatenate(meetings),
        stored.SEAT_TALLIES: np.concatenate(seat_tallies),
        stored.NEIGHBOUR_TALLIES: np.concatenate(neighbours),
    }


def _changes(matches: Numbers, seats: Numbers) -> Numbers:
    """Return the ledger's rows of results, in the columns of CHANGES."""
    size = seats.shape[1]
    number, match_id = np.repeat(matches, size, axis=0).T
    flat = seats.reshape(-1, _COLUMNS)
    zeros = np.zeros(len(flat), np.int64)
    version, bot, before, was, after, now = flat[:, [_VERSION, _BOT, *_SKILLS]].T
    ratings = before, after, was, now
    rows = (number, zeros + size, version, bot, zeros, match_id, zeros, *ratings)
    return np.column_stack(rows)


def _places(fold: Fold) -> Numbers:
    rows = [
        (size, version, place.bot_id, *place.skill, place.games, place.wins, place.faults)
        for size, ladder in fold.places.items()
        for version, place in ladder.items()
    ]
    return np.array(rows, np.int64).reshape(-1, len(stored.PLACES.columns))


def _meetings(record: ResultColumns, seats: Numbers, stands: npt.NDArray[np.bool_]) -> Numbers:
    """Sum up each seat against each other one over the matches where `stands` is true."""
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


def _taken(record: ResultColumns, size: int) -> Numbers:
    """Return how many things were taken from each seat: (kinds of tributes, seats)."""
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
    """Return one game and the twelfths of its win: (matches, seats, 2)."""
    first = seats[:, :, _RANK] == 1
    share = TWELFTHS // np.maximum(1, first.sum(axis=1))
    return np.stack([np.ones_like(seats[:, :, _RANK]), first * share[:, None]], axis=2)


def _sums(size: int, one: Numbers, other: Numbers, values: Numbers) -> Numbers:
    """Sum the values under each pair of keys; a row is the table size, both keys, the sums."""
    keys, place = np.unique(one * _MANY + other, return_inverse=True)
    sums = np.empty((len(keys), values.shape[1]), np.int64)
    for column in range(values.shape[1]):
        # bincount adds floats: exact for whole numbers up to 2^53
        sums[:, column] = np.bincount(place, values[:, column], minlength=len(keys))
    return np.column_stack([np.full(len(keys), size), keys // _MANY, keys % _MANY, sums])


def _sorted(table: RatingTable, rows: Numbers) -> Numbers:
    """Sort rows by key, so that equal tables have equal rows in the same places."""
    return rows[np.lexsort([rows[:, column] for column in reversed(range(len(table.keys)))])]


def _whole(rows: Numbers) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """View each row as a single value that can be compared."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
