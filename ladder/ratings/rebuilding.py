"""Folds the whole ledger anew, and says or mends what differs from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.ratings import comparing, counting, history, ledger, stored
from ladder.ratings.comparing import Difference
from ladder.ratings.folding import Folded, fold
from ladder.ratings.history import Others
from ladder.ratings.stored import Numbers, Table


@dataclass(frozen=True, slots=True)
class Effect:
    """What annulments did to a version: its rating had they not been, and as it is (milli-Elo)."""

    seats: int
    version_id: int
    bot_id: int
    before_milli: int
    after_milli: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A rebuild: how much was folded, what was stored otherwise, what annulments did.

    `unentered` are matches that are marked as annulled and have no entry of the ledger, or the
    other way round; a rebuild cannot mend these.
    """

    results: int
    entries: int
    differences: tuple[Difference, ...]
    unentered: tuple[int, ...]
    effects: tuple[Effect, ...]

    @property
    def sound(self) -> bool:
        """Whether all that is stored is what the results give."""
        return not self.differences and not self.unentered


def check(session: Session) -> Rebuilt:
    """Fold the ledger and compare; changes nothing and holds nobody up.

    Sees one moment of the database. Must have its transaction for itself.
    """
    if _is_postgresql(session):
        session.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    rebuilt, _ = _fold(session)
    return rebuilt


def rebuild(session: Session) -> Rebuilt:
    """Fold the ledger and store what it gives; results wait meanwhile.

    Ratings, places, meetings and tallies follow from matches, seats, inheritances, annulments and
    pins. Must have its transaction for itself; the caller commits.
    """
    ledger.lock(session)
    rebuilt, tables = _fold(session)
    for table, rows in tables.items():
        _store(
            session, table, rows, [one for one in rebuilt.differences if one.table == table.name]
        )
    session.expire_all()
    return rebuilt


def _fold(session: Session) -> tuple[Rebuilt, dict[Table, Numbers]]:
    if _is_postgresql(session):  # a long fold is no client that was stopped
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        session.execute(text("SET LOCAL work_mem = '256MB'"))  # to sort all seats at once
    others = history.others(session)
    folded = fold(history.results(session), others)
    entered = {entry.match_id for entry in others.entries if entry.kind == "annulment"}
    tables = counting.tables(folded.fold, entered)
    found: list[Difference] = []
    for table, rows in tables.items():
        found += comparing.differences(table, stored.read(session, table), rows)
    rebuilt = Rebuilt(
        results=folded.results,
        entries=len(others.entries),
        differences=tuple(found),
        unentered=tuple(sorted(_unentered(others, entered))),
        effects=tuple(_effects(folded)),
    )
    return rebuilt, tables


def _unentered(others: Others, entered: set[int]) -> set[int]:
    return entered ^ others.annulled


def _effects(folded: Folded) -> list[Effect]:
    if folded.unannulled is None:
        return []
    return [
        Effect(size, version, place.bot_id, other.rating, place.rating)
        for size, ladder in folded.fold.places.items()
        for version, place in ladder.items()
        if (other := folded.unannulled.places[size][version]).rating != place.rating
    ]


def _store(session: Session, table: Table, rows: Numbers, found: Sequence[Difference]) -> None:
    if not found:
        return
    keys = [tuple(one.key.values()) for one in found]
    wanted = {key for key, one in zip(keys, found, strict=True) if one.refolded is not None}
    width = len(table.keys)
    chosen = [row for row in rows.tolist() if tuple(row[:width]) in wanted]
    stored.write(session, table, keys, np.array(chosen, np.int64))


def _is_postgresql(session: Session) -> bool:
    return session.get_bind().dialect.name == "postgresql"
