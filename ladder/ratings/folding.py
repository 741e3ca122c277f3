"""Fold the ledger: go through results and entries in order and compute ratings and counts.

It does in memory what `ladder.ratings.ledger` does in the database, result by result.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from ladder.model import EntryKind
from ladder.ratings import elo
from ladder.ratings.elo import TABLE_SIZES, Skill
from ladder.ratings.entries import LedgerEntry, OtherEntries, SeatRow
from ladder.ratings.ledger import carriers
from ladder.ratings.stored import KINDS

_, _INHERITANCE, _ANNULMENT, _PIN, _MISSED = range(len(KINDS))


@dataclass(slots=True)
class FoldedPlace:
    """The skill and counts of a version on the ladder of one table size."""

    bot_id: int
    skill: Skill = elo.NEWCOMER
    games: int = 0
    wins: int = 0
    faults: int = 0


@dataclass(slots=True)
class ResultColumns:
    """The results of one table size, in flat columns.

    `matches` holds result number and match id of each match. `seats` holds for each seat of each
    match: version, bot, rank, 1 if it faulted, rating and deviation before, both after, and the
    number of its tributes in `tributes`. `expected` holds for each pair of seats of each match the
    first one's expected score, in thousandths.
    """

    matches: array[int] = field(default_factory=lambda: array("q"))
    seats: array[int] = field(default_factory=lambda: array("q"))
    expected: array[int] = field(default_factory=lambda: array("h"))
    tributes: dict[str | None, int] = field(default_factory=lambda: {None: 0})

    def add(
        self, table: Sequence[SeatRow], before: Sequence[Skill], after: Sequence[Skill]
    ) -> None:
        """Append a result."""
        self.matches.extend(table[0][:2])
        for seat, one, other in zip(table, before, after, strict=True):
            _, _, _, version, bot_id, rank, faulted, tributes = seat
            kind = self.tributes.setdefault(tributes, len(self.tributes))
            self.seats.extend((version, bot_id, rank, faulted, *one, *other, kind))
        for strong, weak, expectation in elo.pairs(before):
            share = round(1000 * expectation)
            self.expected.append(share if strong < weak else 1000 - share)


@dataclass(slots=True)
class _Annullable:
    """The changes of a result, or of a missed match, that is annulled later."""

    size: int
    table: Sequence[SeatRow]
    """The seats that were rated."""
    before: Sequence[Skill]
    after: Sequence[Skill]
    inherited: list[tuple[int, int]] = field(default_factory=list)


class Fold:
    """The state of all ladders after some entries.

    `entries` are the rows of the ledger that don't come from results, in the columns of
    `stored.CHANGES`; `missed` are the tables of missed matches, those yet to be folded included.
    """

    def __init__(self, others: OtherEntries) -> None:
        self.places: dict[int, dict[int, FoldedPlace]] = {size: {} for size in TABLE_SIZES}
        self.entries: list[tuple[int, ...]] = []
        self.records: dict[int, ResultColumns] | None = {
            size: ResultColumns() for size in TABLE_SIZES
        }
        self._pinned = set(others.pinned)
        self._pinned -= {entry.bot_id for entry in others.entries if entry.kind is EntryKind.PIN}
        self._annulled = {
            entry.match_id for entry in others.entries if entry.kind is EntryKind.ANNULMENT
        }
        self._annullable: dict[int, _Annullable] = {}
        self.missed = others.missed

    def without_records(self) -> Fold:
        """Return a copy of this fold that keeps no records."""
        records, self.records = self.records, None
        twin = deepcopy(self)
        self.records = records
        return twin

    def result(self, table: Sequence[SeatRow]) -> None:
        """Rate and count a result, as `ledger.record` does."""
        match_id, size = table[0][1:3]
        ladder = self.places[size]
        places = [ladder.get(seat[3]) or self._new_place(size, seat[3], seat[4]) for seat in table]
        before = [place.skill for place in places]
        after = elo.rate(before, [seat[5] for seat in table])
        for place, skill, seat in zip(places, after, table, strict=True):
            place.skill = skill
            place.games += 1
            place.wins += seat[5] == 1
            place.faults += bool(seat[6])
        if match_id in self._annulled:
            self._annullable[match_id] = _Annullable(size, table, before, after)
        if self.records is not None:
            self.records[size].add(table, before, after)

    def entry(self, entry: LedgerEntry) -> None:
        """Apply an entry other than a result."""
        if entry.kind is EntryKind.INHERITANCE:
            self._inherit(entry)
        elif entry.kind is EntryKind.ANNULMENT:
            self._take_back(entry)
        elif entry.kind is EntryKind.MISSED:
            self._miss(entry)
        else:
            self._pin(entry)

    def _miss(self, entry: LedgerEntry) -> None:
        """Rate a missed match as `ledger.miss` does: for one bot alone."""
        table = self.missed[entry.match_id]
        size, seat = len(table), [row[3] for row in table].index(entry.new)
        ladder = self.places[size]
        places = [ladder.get(row[3]) or self._first_place(row[4]) for row in table]
        after = elo.rate_missed([place.skill for place in places], seat)
        place = ladder[entry.new] = places[seat]
        if entry.match_id in self._annulled:
            self._annullable[entry.match_id] = _Annullable(
                size, (table[seat],), (place.skill,), (after,)
            )
        self._enter(entry, size, entry.new, place, after, _MISSED)
        place.games += 1

    def _inherit(self, entry: LedgerEntry) -> None:
        for size in TABLE_SIZES:
            place = self.places[size].get(entry.old)
            if place is not None:
                heir = self.places[size].setdefault(entry.new, FoldedPlace(place.bot_id))
                after = elo.new_version(place.skill)
                self._enter(entry, size, entry.new, heir, after, _INHERITANCE)
        for annullable in self._annullable.values():
            if entry.old in self.places[annullable.size]:
                annullable.inherited.append((entry.old, entry.new))

    def _take_back(self, entry: LedgerEntry) -> None:
        undone = self._annullable.pop(entry.match_id, None)
        if undone is None:
            return
        size = undone.size
        for seat, before, then in zip(undone.table, undone.before, undone.after, strict=True):
            version = seat[3]
            holding = carriers(version, undone.inherited)
            for holder in {version: None, **dict.fromkeys(holding)}:
                place = self.places[size][holder]
                after = place.skill
                if holder in holding:
                    after = elo.without(after, before, then)
                self._enter(entry, size, holder, place, after, _ANNULMENT)
            place = self.places[size][version]
            place.games -= 1
            place.wins -= seat[5] == 1
            place.faults -= bool(seat[6])

    def _pin(self, entry: LedgerEntry) -> None:
        self._pinned.add(entry.bot_id)
        for size, ladder in self.places.items():
            for version, place in ladder.items():
                if place.bot_id == entry.bot_id:
                    self._enter(entry, size, version, place, elo.ANCHOR, _PIN)

    def _enter(
        self,
        entry: LedgerEntry,
        size: int,
        version: int,
        place: FoldedPlace,
        after: Skill,
        kind: int,
    ) -> None:
        row = (entry.number, size, version, place.bot_id, kind, entry.match_id)
        old = entry.old if kind == _INHERITANCE else 0
        before = place.skill
        ratings = before.rating, after.rating, before.deviation, after.deviation
        self.entries.append((*row, old, *ratings))
        place.skill = after

    def _new_place(self, size: int, version: int, bot_id: int) -> FoldedPlace:
        place = self.places[size][version] = self._first_place(bot_id)
        return place

    def _first_place(self, bot_id: int) -> FoldedPlace:
        return FoldedPlace(bot_id, elo.ANCHOR if bot_id in self._pinned else elo.NEWCOMER)


@dataclass(frozen=True, slots=True)
class Folded:
    """The fold of the whole ledger.

    `unannulled` is the fold as if nothing had been annulled; None if nothing was.
    """

    results: int
    fold: Fold
    unannulled: Fold | None


def fold(results: Iterable[Sequence[Sequence[SeatRow]]], others: OtherEntries) -> Folded:
    """Fold results and entries in the order of their numbers."""
    return go_on(Folded(0, Fold(others), None), results, others)


def go_on(
    folded: Folded,
    results: Iterable[Sequence[Sequence[SeatRow]]],
    others: OtherEntries,
    *,
    after: int = 0,
) -> Folded:
    """Fold further results, and the entries of numbers above `after`; changes what was folded.

    The entries up to `after` must be those that were folded: see `OtherEntries.continues`.
    """
    true, other, count = folded.fold, folded.unannulled, folded.results
    true.missed = others.missed
    if other is not None:
        other.missed = others.missed
    entries = [entry for entry in reversed(others.entries) if entry.number > after]
    for tables in results:
        count += len(tables)
        for table in tables:
            while entries and entries[-1].number < table[0][0]:
                other = _enter(true, other, entries.pop())
            true.result(table)
            if other is not None:
                other.result(table)
    while entries:
        other = _enter(true, other, entries.pop())
    return Folded(count, true, other)


def _enter(true: Fold, other: Fold | None, entry: LedgerEntry) -> Fold | None:
    if entry.kind is EntryKind.ANNULMENT:
        other = other or true.without_records()
    elif other is not None:
        other.entry(entry)
    true.entry(entry)
    return other
