"""The matches of one bot by opponent, table size, kind and faults."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, aliased

from ladder.database.models import Match, Seat
from ladder.matches.kinds import Kind
from ladder.matches.naming import is_named
from ladder.matches.reading import by_ids
from ladder.matches.rows import MatchPage

WINDOW: Final = 2_000
"""So many matches of the bot are looked through for one page, whatever fits of them."""


def of_bot(
    session: Session,
    bot_id: int,
    *,
    opponent_id: int | None = None,
    seats: int | None = None,
    kind: Kind | None = None,
    faulted: bool = False,
    before: int | None = None,
    limit: int = 20,
) -> MatchPage:
    """The newest matches of a bot with a lower id than `before`; `faulted`: where the bot faulted.

    A page may hold few matches, or none, and yet have a next one: see WINDOW. Those whose seats are
    not named are left out.
    """
    window = (
        select(Seat.match_id, Seat.fault)
        .where(Seat.bot_id == bot_id, is_named(session, Seat.match_id))
        .order_by(Seat.match_id.desc())
    )
    if before is not None:
        window = window.where(Seat.match_id < before)
    looked = window.limit(WINDOW).subquery()
    query = select(looked.c.match_id).order_by(looked.c.match_id.desc()).limit(limit + 1)
    if opponent_id is not None:
        other = aliased(Seat)
        there = exists().where(other.match_id == looked.c.match_id, other.bot_id == opponent_id)
        query = query.where(there)
    if seats is not None or kind is not None:
        query = query.join(Match, Match.id == looked.c.match_id)
        wanted: list[Any] = [] if seats is None else [Match.seats == seats]
        query = query.where(*wanted, *([] if kind is None else [Match.kind == kind]))
    if faulted:
        query = query.where(looked.c.fault.is_not(None))
    ids = list(session.scalars(query))
    rows = by_ids(session, ids[:limit])
    if len(ids) > limit:
        return MatchPage(rows, rows[-1].id)
    oldest = session.scalars(window.with_only_columns(Seat.match_id).offset(WINDOW - 1).limit(1))
    return MatchPage(rows, oldest.one_or_none())
