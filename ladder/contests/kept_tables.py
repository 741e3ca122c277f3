"""Cross tables for pages: each is kept, and catches up with the results since it was last wanted.

So a page costs as much as there is new, not as there has been played. What was annulled since, and
what a restart has forgotten, is added up anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.contests.cross_table import CrossTable, entrants, not_found, table_of
from ladder.contests.tallying import Count
from ladder.model import Match, Tournament
from ladder.ratings.ledger import newest

_MOST: Final = 64  # tournaments of a database
_FORMAT: Final = select(Tournament.format)


@dataclass(slots=True)
class _Kept:
    """What has been counted up to a result, with how many annulled matches left out."""

    lock: Lock = field(default_factory=Lock)
    last: int = 0
    annulled: int = 0
    count: Count = field(default_factory=Count)
    names: dict[int, str] = field(default_factory=dict)
    table: CrossTable | None = None


_kept: Final = WeakKeyDictionary[Any, dict[int, _Kept]]()  # by engine, by tournament
_keeping: Final = Lock()  # of `_kept`: pages are made by many threads


def current_table(session: Session, tournament_id: int) -> CrossTable:
    """As `cross_table`; the same object as long as nothing has changed. Raises NotFound."""
    format_ = session.scalar(_FORMAT.where(Tournament.id == tournament_id))
    if format_ is None:
        raise not_found(tournament_id)
    kept = _kept_of(session, tournament_id)
    with kept.lock:
        _catch_up(session, tournament_id, kept)
        names = entrants(session, tournament_id)
        if kept.table is None or names != kept.names:
            kept.names, kept.table = names, table_of(names, kept.count.tally(), format_)
        return kept.table


def _kept_of(session: Session, tournament_id: int) -> _Kept:
    with _keeping:
        tables = _kept.setdefault(session.get_bind(), {})
        kept = tables.pop(tournament_id, None) or _Kept()
        tables[tournament_id] = kept  # the newest at the end
        while len(tables) > _MOST:
            tables.pop(next(iter(tables)))
        return kept


def _catch_up(session: Session, tournament_id: int, kept: _Kept) -> None:
    last = newest(session)  # before the results: of these there may be more
    annulled = session.scalar(
        select(func.count()).where(
            Match.tournament_id == tournament_id, Match.annulled_at.is_not(None)
        )
    )
    if annulled != kept.annulled or last < kept.last:
        kept.last, kept.count, kept.table = 0, Count(), None
    if kept.count.add(session, tournament_id, after=kept.last, last=last):
        kept.table = None
    kept.last, kept.annulled = last, annulled or 0
