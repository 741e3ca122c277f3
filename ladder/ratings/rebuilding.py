"""Rebuild the ratings: fold the whole ledger again, compare with what is stored, store the result.

`renew` does so if the rule of rating has changed (`elo.RULE`), `rebuild` if anything differs. Both
do it while results come, and hold the ledger's lock for moments only:

1. It folds the ledger from snapshots, then, with the ledger locked, on to the newest entry, and
   sets all places. From then on every result is rated right, and counted right.
2. It compares everything else with the fold at a snapshot, and mends what differs in slices, each
   in a transaction of its own: rows of the ledger never change, so they are replaced; tallies
   grow, so the difference is added.
3. It does both again until nothing differs: an annulment may have rested on a row not yet mended.

The ledger says by which rule it was folded. From the first to the last of these transactions it
bears the mark of the run instead: what is stored is no rule's. Only the last one writes the rule.
A run that is killed leaves its mark, so the next one finishes the work; a run that finds
another's mark ends.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from secrets import randbelow
from time import sleep
from typing import Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.model import Ledger
from ladder.ratings import elo, ledger, refolding, stored, tallies
from ladder.ratings.folding import Folded

_FOLDS: Final = 2  # before the ledger is locked: the second takes in what came during the first
_ROUNDS: Final = 10  # an annulment may ask for another one, seldom two
_SLICE: Final = 300  # entries of the ledger, or rows of another table
_REST: Final = 0.1  # seconds between locks; SQLite looks at least so often if it may write
_MARKS: Final = 1 << 31
_RULE: Final = select(Ledger.rule)


class _Overtaken(Exception):
    """Another run folds the ledger anew, or has done so."""


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
    refolding.take_snapshot(session)
    fold = refolding.refold(session)
    found = refolding.compare_all(session, fold)
    return Rebuilt(
        results=fold.folded.results,
        entries=len(fold.others.entries),
        differences=tuple(chain.from_iterable(map(_differences, found))),
        unentered=tuple(sorted(fold.entered ^ fold.others.annulled)),
        effects=tuple(_effects(fold.folded)),
    )


def rebuild(session: Session) -> Rebuilt:
    """Fold the ledger, store what differs while results come, and return what differed.

    Computes ratings, places, meetings and tallies from matches, seats, inheritances, annulments and
    pins. If `is_outdated` then, another run goes on with it. Ends the session's transactions.
    """
    renew(session)
    session.rollback()
    rebuilt = check(session)
    if rebuilt.differences:
        _fold_anew(session)
    return rebuilt


def is_outdated(session: Session) -> bool:
    """Return True while what is stored follows another rule than today's, if only in part."""
    return session.scalar(_RULE) != elo.RULE


def renew(session: Session) -> int | None:
    """Fold the ledger by the rule of today if it was folded by another one; return the results.

    None if nothing had to be done, if another run does it, or if rows that were mended differ again
    and again; then the next run goes on. Ends the session's transactions.
    """
    return _fold_anew(session) if is_outdated(session) else None


def _fold_anew(session: Session) -> int | None:
    """Mend what differs until nothing does; return as `renew` does."""
    mark = -1 - randbelow(_MARKS)
    _begin(session, mark)
    known: refolding.Refolded | None = None
    try:
        for _ in range(_ROUNDS):
            known = _at_snapshot(session, _set_places(session, mark, known))
            found = [unlike for unlike in refolding.compare_all(session, known) if unlike]
            if not found:
                with _locked(session, mark):
                    session.execute(update(Ledger).values(rule=elo.RULE))
                return known.folded.results
            for unlike in found:
                _mend(session, mark, unlike)
    except _Overtaken:
        pass
    return None


def _begin(session: Session, mark: int) -> None:
    """Mark the ledger as folded by no rule."""
    session.rollback()
    ledger.lock(session)
    session.execute(update(Ledger).values(rule=mark))
    session.commit()


@contextmanager
def _locked(session: Session, mark: int) -> Iterator[None]:
    """Run a transaction with the ledger locked; raise _Overtaken if it bears another mark."""
    session.rollback()
    ledger.lock(session)
    if session.scalar(_RULE) != mark:
        session.rollback()
        raise _Overtaken
    yield
    session.commit()
    sleep(_REST)


def _set_places(
    session: Session, mark: int, known: refolding.Refolded | None
) -> refolding.Refolded:
    """Fold the ledger to its newest entry, and set all places: what comes next is rated right."""
    while True:
        for _ in range(_FOLDS):
            known = _at_snapshot(session, known)
        assert known is not None
        with _locked(session, mark):
            further = refolding.go_further(session, known)
            if further is not None:
                _store(session, refolding.compare(session, stored.PLACES, further.places()))
                return further


def _at_snapshot(session: Session, known: refolding.Refolded | None) -> refolding.Refolded:
    """Fold the ledger as it is now, without a lock; go on from what is `known`."""
    session.rollback()
    refolding.take_snapshot(session)
    return refolding.refold(session, known)


def _mend(session: Session, mark: int, unlike: refolding.Unlike) -> None:
    """Correct the rows of a table in slices, while results come."""
    if unlike.table is stored.CHANGES:
        for entries in unlike.parts(_SLICE):
            with _locked(session, mark):
                _store(session, entries)
    elif unlike.table is not stored.PLACES:  # `_set_places` sets them
        for start in range(0, len(rows := unlike.corrections()), _SLICE):
            part = [
                dict(zip(unlike.table.columns, row, strict=True))
                for row in rows[start : start + _SLICE].tolist()
            ]
            with _locked(session, mark):
                tallies.correct(session, unlike.table.model, part)


def _store(session: Session, unlike: refolding.Unlike) -> None:
    stored.replace(session, unlike.table, unlike.stored, unlike.refolded)


def _effects(folded: Folded) -> list[Effect]:
    if folded.unannulled is None:
        return []
    return [
        Effect(size, version, place.bot_id, other.skill.rating, place.skill.rating)
        for size, ladder in folded.fold.places.items()
        for version, place in ladder.items()
        if (other := folded.unannulled.places[size][version]).skill.rating != place.skill.rating
    ]


def _differences(unlike: refolding.Unlike) -> Iterator[Difference]:
    """Yield every row that differs, in the order of the keys."""
    table, width = unlike.table, len(unlike.table.keys)
    before, after = (
        {tuple(row[:width]): dict(zip(table.values, row[width:], strict=True)) for row in rows}
        for rows in (unlike.stored.tolist(), unlike.refolded.tolist())
    )
    for key in sorted(before.keys() | after.keys()):
        named = dict(zip(table.keys, key, strict=True))
        yield Difference(table.name, named, before.get(key), after.get(key))
