"""How the ratings of some bots went, at evenly spaced results: each value is found by an index, so
that a long history costs no more than a short one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import CTE, Integer, Select, column, func, select, values
from sqlalchemy.orm import Session

from ladder.database.models import Bot, Ledger, Match, RatingChange

POINTS: Final = 60
"""Values of one history, at most."""
MOST_BOTS: Final = 6
"""Histories that are read together, at most."""


@dataclass(frozen=True, slots=True)
class History:
    """A bot's rating at each of the times, in thousandths; None before its first change."""

    bot_id: int
    name: str
    ratings: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Histories:
    """Bots in the order asked for; `times` are when the results were finished."""

    times: tuple[datetime, ...]
    bots: tuple[History, ...]


@dataclass(frozen=True, slots=True)
class LadderHistories:
    """One bot's rating by table size at each of the times; None before its first change there."""

    times: tuple[datetime, ...]
    ladders: tuple[tuple[int, tuple[int | None, ...]], ...]


def histories(
    session: Session, seats: int, bot_ids: Sequence[int], *, since: datetime | None = None
) -> Histories:
    """The ratings of these bots on one ladder, since their first game or a later time.

    Bots that are not there, and those beyond MOST_BOTS, are left out.
    """
    wanted = list(dict.fromkeys(bot_ids))[:MOST_BOTS]
    names = dict(session.execute(select(Bot.id, Bot.name).where(Bot.id.in_(wanted))).all())
    times = _times(session, _first_number(session, (seats,), list(names)), since)
    found = _ratings(session, seats, list(names), list(times))
    return Histories(
        tuple(times.values()),
        tuple(
            History(bot, names[bot], tuple(found.get((bot, number)) for number in times))
            for bot in wanted
            if bot in names
        ),
    )


def on_ladders(session: Session, bot_id: int, ladders: Sequence[int]) -> LadderHistories:
    """The ratings of one bot on the ladders of these table sizes, since its first game."""
    times = _times(session, _first_number(session, ladders, [bot_id]), None)
    lines = []
    for seats in ladders:
        found = _ratings(session, seats, [bot_id], list(times))
        lines.append((seats, tuple(found.get((bot_id, number)) for number in times)))
    return LadderHistories(tuple(times.values()), tuple(lines))


def _spaced(first: int, last: int) -> list[int]:
    """At most POINTS result numbers from the first to the last."""
    steps = min(POINTS - 1, last - first)
    if steps < 1:
        return [last]
    return [first + (last - first) * step // steps for step in range(steps + 1)]


def _times(session: Session, first: int | None, since: datetime | None) -> dict[int, datetime]:
    """By result number: when the newest match up to it was finished, from the first or a time."""
    last = session.scalar(select(Ledger.last_result)) or 0
    if first is None or last == 0:
        return {}
    if since is not None:
        first = max(first, _number_at(session, since, first, last))
    sample = _sample(_spaced(first, last))
    finished = (
        select(Match.finished_at)
        .where(Match.result_number <= sample.c.number)
        .order_by(Match.result_number.desc())
        .limit(1)
        .scalar_subquery()
    )
    rows = session.execute(select(sample.c.number, finished).order_by(sample.c.number))
    return {number: at for number, at in rows if at is not None}


def _ratings(
    session: Session, seats: int, bot_ids: list[int], numbers: list[int]
) -> dict[tuple[int, int], int]:
    """By bot and result number: the rating at that time."""
    if not numbers:
        return {}
    sample, change = _sample(numbers), RatingChange
    rating = (
        select(change.after_milli)
        .where(
            change.bot_id == Bot.id,
            change.seats == seats,
            change.result_number <= sample.c.number,
        )
        .order_by(change.result_number.desc())
        .limit(1)
        .correlate(Bot, sample)
        .scalar_subquery()
    )
    query: Select[Any] = (
        select(Bot.id, sample.c.number, rating).select_from(sample).join(Bot, Bot.id.in_(bot_ids))
    )
    return {
        (bot, number): after for bot, number, after in session.execute(query) if after is not None
    }


def _sample(numbers: Sequence[int]) -> CTE:
    rows = [(number,) for number in numbers]
    return values(column("number", Integer), name="sample").data(rows).cte("sample")


def _first_number(session: Session, ladders: Sequence[int], bot_ids: list[int]) -> int | None:
    """The first change of any of the bots on any of the ladders."""
    change = RatingChange
    found: list[int | None] = []
    for seats in ladders:
        first = (
            select(func.min(change.result_number))
            .where(change.bot_id == Bot.id, change.seats == seats)
            .scalar_subquery()
        )
        found += session.scalars(select(first).select_from(Bot).where(Bot.id.in_(bot_ids)))
    return min((number for number in found if number is not None), default=None)


def _number_at(session: Session, when: datetime, low: int, high: int) -> int:
    """The newest result that had been finished by then; results are numbered as they end."""
    while low < high:
        middle = (low + high + 1) // 2
        at = session.scalar(
            select(Match.finished_at)
            .where(Match.result_number <= middle)
            .order_by(Match.result_number.desc())
            .limit(1)
        )
        low, high = (middle, high) if at is None or at <= when else (low, middle - 1)
    return low
