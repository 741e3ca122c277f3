"""The fold of the ledger: from results and entries, in order, to ratings and counts.

It does what `ladder.ratings.ledger` does entry by entry, from numbers in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from ladder.contests.pairings.tables import TABLE_SIZES
from ladder.ratings import elo
from ladder.ratings.history import Entry, Others, Seat
from ladder.ratings.ledger import carriers
from ladder.ratings.stored import KINDS

_, _INHERITANCE, _ANNULMENT, _PIN = range(len(KINDS))


@dataclass(slots=True)
class Place:
    """A version on the ladder of one table size."""

    bot_id: int
    rating: int = elo.START
    games: int = 0
    wins: int = 0
    faults: int = 0


@dataclass(slots=True)
class Record:
    """The results of one table size, in flat columns.

    `matches`: result number and match. `seats`, for each seat of each match: version, bot, rank,
    whether it faulted, rating before, rating after, and the place of its tributes in `tributes`.
    `expected`, for each pair of seats of each match: what the first may expect, in thousandths.
    """

    matches: array[int] = field(default_factory=lambda: array("q"))
    seats: array[int] = field(default_factory=lambda: array("q"))
    expected: array[int] = field(default_factory=lambda: array("h"))
    tributes: dict[str | None, int] = field(default_factory=lambda: {None: 0})

    def add(
        self,
        table: Sequence[Seat],
        ratings: Sequence[int],
        gains: Sequence[int],
        pairs: Sequence[elo.Pair],
    ) -> None:
        """Put down a result."""
        self.matches.extend(table[0][:2])
        for seat, before, gain in zip(table, ratings, gains, strict=True):
            _, _, _, version, bot_id, rank, faulted, tributes = seat
            kind = self.tributes.setdefault(tributes, len(self.tributes))
            self.seats.extend((version, bot_id, rank, faulted, before, before + gain, kind))
        for strong, weak, expectation in pairs:
            share = round(1000 * expectation)
            self.expected.append(share if strong < weak else 1000 - share)


@dataclass(slots=True)
class _Annullable:
    """What a result did, kept for the annulment that comes later."""

    table: Sequence[Seat]
    gains: tuple[int, ...]
    inherited: list[tuple[int, int]] = field(default_factory=list)


class Fold:
    """The state of all ladders after some entries.

    `entries` are the rows of the ledger that no results made, in the columns of `stored.CHANGES`.
    """

    def __init__(self, others: Others) -> None:
        self.places: dict[int, dict[int, Place]] = {size: {} for size in TABLE_SIZES}
        self.entries: list[tuple[int, ...]] = []
        self.records: dict[int, Record] | None = {size: Record() for size in TABLE_SIZES}
        self._pinned = set(others.pinned)
        self._pinned -= {entry.bot_id for entry in others.entries if entry.kind == "pin"}
        self._annulled = {entry.match_id for entry in others.entries if entry.kind == "annulment"}
        self._annullable: dict[int, _Annullable] = {}

    def without_records(self) -> Fold:
        """A second fold that begins where this one stands, and keeps no records."""
        records, self.records = self.records, None
        twin = deepcopy(self)
        self.records = records
        return twin

    def result(self, table: Sequence[Seat]) -> None:
        """Rate and count a result, as `ledger.record` does."""
        match_id, size = table[0][1:3]
        ladder, pinned = self.places[size], self._pinned
        places = [ladder.get(seat[3]) or self._new_place(size, seat[3], seat[4]) for seat in table]
        ratings = [place.rating for place in places]
        ranks = [seat[5] for seat in table]
        pairs = elo.pairs(ratings)
        still = [place.bot_id in pinned for place in places]
        new = [place.games < elo.PROVISIONAL and place.bot_id not in pinned for place in places]
        gains = elo.gains(pairs, ranks, new, still)
        for place, gain, rank, seat in zip(places, gains, ranks, table, strict=True):
            place.rating += gain
            place.games += 1
            if rank == 1:
                place.wins += 1
            if seat[6]:
                place.faults += 1
        if match_id in self._annulled:
            self._annullable[match_id] = _Annullable(table, gains)
        if self.records is not None:
            self.records[size].add(table, ratings, gains, pairs)

    def entry(self, entry: Entry) -> None:
        """Do what an entry that is no result says."""
        if entry.kind == "inheritance":
            self._inherit(entry)
        elif entry.kind == "annulment":
            self._take_back(entry)
        else:
            self._pin(entry)

    def _inherit(self, entry: Entry) -> None:
        for size in TABLE_SIZES:
            place = self.places[size].get(entry.old)
            if place is not None:
                heir = self.places[size].get(entry.new) or self._new_place(
                    size, entry.new, place.bot_id
                )
                self._enter(entry, size, entry.new, heir, place.rating, _INHERITANCE)
        for annullable in self._annullable.values():
            if entry.old in self.places[len(annullable.table)]:
                annullable.inherited.append((entry.old, entry.new))

    def _take_back(self, entry: Entry) -> None:
        undone = self._annullable.pop(entry.match_id, None)
        if undone is None:
            return
        size = len(undone.table)
        for seat, gain in zip(undone.table, undone.gains, strict=True):
            version, bot_id = seat[3:5]
            taken = 0 if bot_id in self._pinned else gain
            holding = carriers(version, undone.inherited)
            for holder in {version: None, **dict.fromkeys(holding)}:
                place = self.places[size][holder]
                after = place.rating - (taken if holder in holding else 0)
                self._enter(entry, size, holder, place, after, _ANNULMENT)
            place = self.places[size][version]
            place.games -= 1
            place.wins -= seat[5] == 1
            place.faults -= bool(seat[6])

    def _pin(self, entry: Entry) -> None:
        self._pinned.add(entry.bot_id)
        for size, ladder in self.places.items():
            for version, place in ladder.items():
                if place.bot_id == entry.bot_id:
                    self._enter(entry, size, version, place, elo.START, _PIN)

    def _enter(
        self, entry: Entry, size: int, version: int, place: Place, after: int, kind: int
    ) -> None:
        row = (entry.number, size, version, place.bot_id, kind, entry.match_id)
        old = entry.old if kind == _INHERITANCE else 0
        self.entries.append((*row, old, place.rating, after))
        place.rating = after

    def _new_place(self, size: int, version: int, bot_id: int) -> Place:
        place = self.places[size][version] = Place(bot_id)
        return place


@dataclass(frozen=True, slots=True)
class Folded:
    """The fold of the whole ledger, and where ratings would stand had nothing been annulled."""

    results: int
    fold: Fold
    unannulled: Fold | None


def fold(results: Iterable[Sequence[Sequence[Seat]]], others: Others) -> Folded:
    """Fold results and entries in the order of their numbers."""
    true, other, count = Fold(others), None, 0
    entries = list(reversed(others.entries))
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


def _enter(true: Fold, other: Fold | None, entry: Entry) -> Fold | None:
    if entry.kind == "annulment":
        other = other or true.without_records()
    elif other is not None:
        other.entry(entry)
    true.entry(entry)
    return other
