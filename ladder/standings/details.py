"""What stands beside a bot on a page of a ladder: its wins by seat, and how its rating went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import String, cast, func, select
from sqlalchemy.orm import Session

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

    The newest are found by the index, bot by bot, so that one with many games costs no more.
    """
    newest = (
        select(RatingChange.after_milli)
        .where(RatingChange.bot_id == Bot.id, RatingChange.seats == seats)
        .order_by(RatingChange.result_number.desc())
        .limit(TREND)
        .correlate(Bot)
        .subquery()
    )
    as_words = func.aggregate_strings(cast(newest.c.after_milli, String), " ")
    joined = select(as_words).select_from(newest).scalar_subquery()
    rows = session.execute(select(Bot.id, joined).where(Bot.id.in_(bot_ids)))
    return {
        bot_id: tuple(int(rating) for rating in reversed(words.split()))
        for bot_id, words in rows
        if words
    }
