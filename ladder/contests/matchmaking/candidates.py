"""Who may be dealt in on a ladder, and what is known of them; from the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import datetime
from itertools import combinations
from typing import Any, Final

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from ladder.contests.matchmaking.choosing import Candidate, pair
from ladder.matches import Kind
from ladder.matches.tables import Guest, ready_for
from ladder.model import Bot, LadderPlace, Match, Seat, Strength, Version
from ladder.ratings import elo

_NEW: Final = 350.0  # Elo points by which a bot may be stronger or weaker that has not played
_LATELY: Final = 300  # deals in which repeats are counted
_MIXED: Final = 120  # matches among which each ladder has its share


def candidates(
    session: Session, seats: int, at: datetime, dealt: Collection[int]
) -> list[tuple[Candidate, Guest]]:
    """All that may play on the ladder of this table size now. `dealt`: who got a deal just now."""
    query = (
        select(
            Bot.id,
            Bot.user_id,
            Bot.house,
            Bot.slots,
            Bot.usual_think_ms,
            Bot.last_match_at,
            Bot.created_at,
            LadderPlace.rating_milli,
            LadderPlace.games,
            Strength.strength_milli,
            Strength.low_milli,
            Strength.high_milli,
        )
        .join(Version, Version.bot_id == Bot.id)
        .outerjoin(
            LadderPlace, and_(LadderPlace.version_id == Version.id, LadderPlace.seats == seats)
        )
        .outerjoin(Strength, and_(Strength.version_id == Version.id, Strength.seats == seats))
        .where(Version.active, ready_for(Kind.LADDER))
        .order_by(Bot.id)
    )
    return [
        (_candidate(row, at, row.id in dealt), Guest(row.id, row.slots, True, row.usual_think_ms))
        for row in session.execute(query)
    ]


def made_lately(session: Session) -> Counter[int]:
    """The newest matches of all ladders, by the number of seats."""
    newest = (
        select(Match.seats).where(Match.kind == Kind.LADDER).order_by(Match.id.desc()).limit(_MIXED)
    )
    return Counter(session.scalars(newest))


def met_lately(session: Session, seats: int) -> Counter[tuple[int, int]]:
    """In how many of the ladder's last deals each two bots met; a deal is one, all its matches."""
    deals = (
        select(Match.id)
        .where(Match.kind == Kind.LADDER, Match.seats == seats, Match.rotation == 0)
        .order_by(Match.id.desc())
        .limit(_LATELY)
        .subquery()
    )
    tables = defaultdict(list)
    seated = select(Seat.match_id, Seat.bot_id).join(deals, deals.c.id == Seat.match_id)
    for match_id, bot_id in session.execute(seated):
        tables[match_id].append(bot_id)
    return Counter(pair(*two) for table in tables.values() for two in combinations(table, 2))


def _candidate(row: Any, at: datetime, just_dealt: bool) -> Candidate:
    """By the interval of its strength where there is one, else by rating and games."""
    if row.strength_milli is not None:
        strength, doubt = row.strength_milli / 1000, (row.high_milli - row.low_milli) / 2000
    else:
        strength = (elo.START if row.rating_milli is None else row.rating_milli) / 1000
        doubt = _NEW / (1 + (row.games or 0) / 4) ** 0.5
    since = at if just_dealt else row.last_match_at or row.created_at
    return Candidate(row.id, row.user_id, row.house, strength, doubt, (at - since).total_seconds())
