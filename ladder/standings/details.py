"""What stands beside a bot on a page of a ladder: its wins by seat, and how its rating went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from ladder.database.models import Bot, RatingChange, SeatTally
from ladder.tallies import TWELFTHS

TREND: Final = 30
"""A trend is the rating after each of so many of the newest changes."""


@dataclass(frozen=True, slots=True)
class SeatWins:
    """Games of a bot on one seat, and what it won of them; a shared win is a share of one."""

    seat: int
    games: int
    wins: float


def wins_by_seat(
    session: Session, seats: int, bot_ids: Collection[int]
) -> Mapping[int, tuple[SeatWins, ...]]:
    """By bot, with all its versions; in the order of the seats, where it has played."""
    query = (
        select(SeatTally)
        .where(
            SeatTally.seats == seats,
            SeatTally.seat.in_(range(seats)),  # so that the whole key is known
            SeatTally.bot_id.in_(bot_ids),
        )
        .order_by(SeatTally.bot_id, SeatTally.seat)
    )
    found: defaultdict[int, tuple[SeatWins, ...]] = defaultdict(tuple)
    for row in session.scalars(query):
        found[row.bot_id] += (SeatWins(row.seat, row.games, row.win_twelfths / TWELFTHS),)
    return found


def trends(session: Session, seats: int, bot_ids: Collection[int]) -> Mapping[int, tuple[int, ...]]:
    """By bot: its rating in thousandths of a point after each of its newest changes, in order.

    Where a trend begins is looked up by the index, so that a bot with many games costs no more.
    """
    older = aliased(RatingChange)
    begins = (
        select(older.result_number)
        .where(older.bot_id == Bot.id, older.seats == seats)
        .order_by(older.result_number.desc())
        .limit(1)
        .offset(TREND - 1)
        .scalar_subquery()
    )
    since = (
        select(Bot.id.label("bot_id"), func.coalesce(begins, 0).label("number"))
        .where(Bot.id.in_(bot_ids))
        .cte()
    )
    query = (
        select(RatingChange.bot_id, RatingChange.after_milli)
        .join(since, since.c.bot_id == RatingChange.bot_id)
        .where(RatingChange.seats == seats, RatingChange.result_number >= since.c.number)
        .order_by(RatingChange.bot_id, RatingChange.result_number)
    )
    found: defaultdict[int, tuple[int, ...]] = defaultdict(tuple)
    for bot_id, rating in session.execute(query):
        found[bot_id] += (rating,)
    return found
