"""What stands beside a bot on a page of a ladder: its wins by seat, and how its rating went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import String, bindparam, cast, func, select
from sqlalchemy.orm import Session

from ladder.contests.pairings.tables import TABLE_SIZES
from ladder.model import Bot, RatingChange, SeatTally
from ladder.ratings.tallies import TWELFTHS

TREND: Final = 30
"""A trend is the rating after each of so many of the newest changes."""


@dataclass(frozen=True, slots=True)
class SeatWins:
    """Games of a bot on one seat, and what it won of them; a shared win is a share of one."""

    seat: int
    games: int
    wins: float


# Built once: these are asked for each page of a ladder and of a bot.
_WINS: Final = (
    select(
        SeatTally.seats,
        SeatTally.bot_id,
        SeatTally.seat,
        SeatTally.games,
        SeatTally.win_twelfths,
    )
    .where(
        SeatTally.seats.in_(bindparam("ladders", expanding=True)),
        SeatTally.seat.in_(range(4)),  # so that the whole key is known
        SeatTally.bot_id.in_(bindparam("bots", expanding=True)),
    )
    .order_by(SeatTally.seats, SeatTally.bot_id, SeatTally.seat)
)
_NEWEST: Final = (
    select(RatingChange.after_milli)
    .where(RatingChange.bot_id == Bot.id, RatingChange.seats == bindparam("seats"))
    .order_by(RatingChange.result_number.desc())
    .limit(bindparam("trend"))
    .correlate(Bot)
    .subquery()
)
_TRENDS: Final = select(
    Bot.id,
    select(func.aggregate_strings(cast(_NEWEST.c.after_milli, String), " "))
    .select_from(_NEWEST)
    .scalar_subquery(),
).where(Bot.id.in_(bindparam("bots", expanding=True)))


def wins_by_seat(
    session: Session, seats: int, bot_ids: Collection[int]
) -> Mapping[int, tuple[SeatWins, ...]]:
    """By bot, with all its versions; in the order of the seats, where it has played."""
    found: defaultdict[int, tuple[SeatWins, ...]] = defaultdict(tuple)
    for (_, bot_id), wins in _wins(session, (seats,), bot_ids).items():
        found[bot_id] = tuple(wins)
    return found


def wins_on_ladders(session: Session, bot_id: int) -> Mapping[int, tuple[SeatWins, ...]]:
    """Of one bot: by table size, in the order of the seats, where it has played."""
    found: defaultdict[int, tuple[SeatWins, ...]] = defaultdict(tuple)
    for (seats, _), wins in _wins(session, TABLE_SIZES, (bot_id,)).items():
        found[seats] = tuple(wins)
    return found


def trends(session: Session, seats: int, bot_ids: Collection[int]) -> Mapping[int, tuple[int, ...]]:
    """By bot: its rating in thousandths of a point after each of its newest changes, in order.

    The newest are found by the index, bot by bot, so that one with many games costs no more.
    """
    rows = session.execute(_TRENDS, {"seats": seats, "trend": TREND, "bots": list(bot_ids)}).all()
    return {
        bot_id: tuple(int(rating) for rating in reversed(words.split()))
        for bot_id, words in rows
        if words
    }


def _wins(
    session: Session, ladders: Collection[int], bot_ids: Collection[int]
) -> Mapping[tuple[int, int], list[SeatWins]]:
    """By table size and bot."""
    found: defaultdict[tuple[int, int], list[SeatWins]] = defaultdict(list)
    wanted = {"ladders": list(ladders), "bots": list(bot_ids)}
    for seats, bot_id, seat, games, twelfths in session.execute(_WINS, wanted).all():
        found[seats, bot_id].append(SeatWins(seat, games, twelfths / TWELFTHS))
    return found
