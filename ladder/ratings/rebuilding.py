"""Rebuild the ratings: fold the whole ledger again, compare with what is stored, store the result.

`renew` does so when the rule of rating has changed (`elo.RULE`).

The folded results are counted in whole columns of numbers: a million matches take seconds.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from ladder.model import EntryKind, Ledger, postgresql
from ladder.ratings import elo, ledger, stored
from ladder.ratings.folding import (
    Fold,
    Folded,
    OtherEntries,
    ResultColumns,
    fold,
    go_on,
    other_entries,
    results,
)
from ladder.ratings.stored import Numbers, RatingTable
from ladder.ratings.tallies import TWELFTHS

_COLUMNS: Final = 9  # of a seat in `ResultColumns`
_VERSION, _BOT, _RANK, _FAULT, *_SKILLS, _TRIBUTES = range(_COLUMNS)
_MANY: Final = 1 << 31  # more than any number of bots
_FOLDS: Final = 2  # before the ledger is locked: the second takes in what came during the first


_RULE: Final = select(Ledger.rule)


@dataclass(frozen=True, slots=True)
class Difference:
    """A row whose stored values differ from the fold's.

    `key`, `stored` and `refolded` map columns to values; None if the row is missing on that side. A
    kind of entry is its index in `stored.KINDS`.
    """

    table: str
    key: dict[str, int]
    stored: dict[str, int] | None
    refolded: dict[str, int] | None


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of annulments on a version: its rating without them, and as it is (milli-Elo)."""

    seats: int
    version_id: int
    bot_id: int
    before_milli: int
    after_milli: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The outcome of a rebuild: numbers of folded results and entries, differences, effects.

    `unentered` are the ids of matches that are marked as annulled but have no entry in the ledger,
    or the reverse; a rebuild can't repair these.
    """

    results: int
    entries: int
    differences: tuple[Difference, ...]
    unentered: tuple[int, ...]
    effects: tuple[Effect, ...]

    @property
    def sound(self) -> bool:
        """Return True if everything stored equals what the results give."""
        return not self.differences and not self.unentered


def check(session: Session) -> Rebuilt:
    """Fold the ledger and compare, without changing or locking anything.

    Sees a snapshot of the database. Needs a transaction of its own.
    """
    _take_snapshot(session)
    rebuilt, _ = _compared(session)
    return rebuilt


def rebuild(session: Session) -> Rebuilt:
    """Fold the ledger and store the result; new results wait until the caller commits.

    Computes ratings, places, meetings and tallies from matches, seats, inheritances, annulments and
    pins. Needs a transaction of its own.
    """
    ledger.lock(session)
    _renew_locked(session, None)
    rebuilt, tables = _compared(session)
    for table, rows in tables.items():
        found = [one for one in rebuilt.differences if one.table == table.name]
        if found:
            _store(session, table, rows, found)
    session.expire_all()
    return rebuilt


def renew(session: Session) -> int | None:
    """Fold the ledger by the rule of today if it was folded by another one; return the results.

    None if nothing had to be done. Everything is replaced in one transaction, so nobody sees a half
    of it. It folds snapshots; the ledger is locked only to fold the results that came meanwhile,
    and to store. Ends the session's transactions.
    """
    if session.scalar(_RULE) == elo.RULE:
        return None
    known: _Fold | None = None
    for _ in range(_FOLDS):
        session.rollback()
        _take_snapshot(session)
        known = _fold(session, known)
    session.rollback()
    ledger.lock(session)
    results = _renew_locked(session, known)
    session.commit()
    return results


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


@dataclass(frozen=True, slots=True)
class _Fold:
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


def _renew_locked(session: Session, known: _Fold | None) -> int | None:
    """Do what `renew` does, with the ledger locked."""
    if session.scalar(_RULE) == elo.RULE:
        return None
    found = _fold(session, known)
    for table, rows in found.tables().items():
        if table is not stored.CHANGES or not stored.write_skills(session, rows):
            stored.replace_all(session, table, rows)
    session.execute(update(Ledger).values(rule=elo.RULE))
    session.expire_all()
    return found.folded.results


def _take_snapshot(session: Session) -> None:
    if _is_postgresql(session):
        session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))


def _fold(session: Session, known: _Fold | None = None) -> _Fold:
    """Fold the ledger; go on from what is `known` if only results have come since."""
    if _is_postgresql(session):  # the fold takes longer than a stopped client may
        session.execute(text(postgresql.TAKE_YOUR_TIME))
        session.execute(text("SET LOCAL work_mem = '256MB'"))  # to sort all seats at once
    newest, others = ledger.newest(session), other_entries(session)
    if known is None or others != known.others:
        return _Fold(newest, fold(results(session), others), others)
    return _Fold(newest, go_on(known.folded, results(session, after=known.newest)), others)


def _compared(session: Session) -> tuple[Rebuilt, dict[RatingTable, Numbers]]:
    """Fold the ledger; return how it differs from what is stored, and what should be."""
    fold = _fold(session)
    tables = fold.tables()
    found: list[Difference] = []
    for table, rows in tables.items():
        found += _differences(table, stored.read(session, table), rows)
    rebuilt = Rebuilt(
        results=fold.folded.results,
        entries=len(fold.others.entries),
        differences=tuple(found),
        unentered=tuple(sorted(fold.entered ^ fold.others.annulled)),
        effects=tuple(_effects(fold.folded)),
    )
    return rebuilt, tables


def _effects(folded: Folded) -> list[Effect]:
    if folded.unannulled is None:
        return []
    return [
        Effect(size, version, place.bot_id, other.skill.rating, place.skill.rating)
        for size, ladder in folded.fold.places.items()
        for version, place in ladder.items()
        if (other := folded.unannulled.places[size][version]).skill.rating != place.skill.rating
    ]


def _store(
    session: Session, table: RatingTable, rows: Numbers, found: Sequence[Difference]
) -> None:
    """Replace the rows that differ."""
    keys = [tuple(one.key.values()) for one in found]
    wanted = {key for key, one in zip(keys, found, strict=True) if one.refolded is not None}
    width = len(table.keys)
    chosen = [row for row in rows.tolist() if tuple(row[:width]) in wanted]
    stored.write(session, table, keys, np.array(chosen, np.int64))


def _is_postgresql(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"


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


def _differences(table: RatingTable, stored: Numbers, refolded: Numbers) -> list[Difference]:
    """Return every row that differs between the two sides, in the order of the keys."""
    stored, refolded = _sorted(table, stored), _sorted(table, refolded)
    if np.array_equal(stored, refolded):
        return []
    before, after = _unlike(table, stored, refolded), _unlike(table, refolded, stored)
    return [
        Difference(
            table.name,
            dict(zip(table.keys, key, strict=True)),
            _by_column(table, before.get(key)),
            _by_column(table, after.get(key)),
        )
        for key in sorted(before.keys() | after.keys())
    ]


def _sorted(table: RatingTable, rows: Numbers) -> Numbers:
    """Sort rows by key, so that equal tables have equal rows in the same places."""
    return rows[np.lexsort([rows[:, column] for column in reversed(range(len(table.keys)))])]


def _unlike(table: RatingTable, rows: Numbers, others: Numbers) -> dict[tuple[int, ...], list[int]]:
    """Return the rows that are not among `others`, by key."""
    width = len(table.keys)
    unlike = rows[~np.isin(_whole(rows), _whole(others))]
    return {tuple(row[:width]): row[width:] for row in unlike.tolist()}


def _whole(rows: Numbers) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """View each row as a single value that can be compared."""
    rows = np.ascontiguousarray(rows)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def _by_column(table: RatingTable, values: list[int] | None) -> dict[str, int] | None:
    return None if values is None else dict(zip(table.values, values, strict=True))
