"""Matches of a ladder that were not played at the first call: missed by a bot, or interrupted.

Both are counted for each bot, so that nobody gains by them unseen.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import and_, case, func, select
from sqlalchemy.orm import Session

from ladder import model

MOST: Final = 20
"""Bots that each list names at most."""


@dataclass(frozen=True, slots=True)
class BotMisses:
    """The matches of a ladder that a bot was called to and did not accept, or owes.

    `matches` counts those that it was called to in vain, `calls` how often; `lost` are those that
    count as its loss, `owed` are still to be played, without those that it owes while offline.
    """

    bot_id: int
    name: str
    matches: int
    calls: int
    lost: int
    owed: int


@dataclass(frozen=True, slots=True)
class BotInterruptions:
    """How often the platform interrupted the matches of a bot, which were then played again.

    `expected` is how often, if interruptions met all bots alike. A bot that can cause them stands
    out: they are its own, and only a part of each opponent's.
    """

    bot_id: int
    name: str
    matches: int
    """All its matches among the newest of the ladder."""
    interrupted: int
    """Those of them that were interrupted at least once."""
    interruptions: int
    expected: float


def misses(session: Session, seats: int, *, limit: int = MOST) -> list[BotMisses]:
    """Count what the bots missed on one ladder: first those that lost, then missed, most."""
    lost = case((and_(model.Match.reason == model.EntryKind.MISSED, model.Seat.rank > 0), 1))
    matches, times = func.count().label("matches"), func.sum(model.Seat.misses)
    losses = func.count(lost).label("lost")
    query = (
        select(
            model.Bot.id, model.Bot.name, matches, times, losses, func.count(model.Debt.match_id)
        )
        .join(model.Seat, model.Seat.bot_id == model.Bot.id)
        .join(model.Match, model.Match.id == model.Seat.match_id)
        .outerjoin(
            model.Debt,
            and_(
                model.Debt.match_id == model.Seat.match_id, model.Debt.bot_id == model.Seat.bot_id
            ),
        )
        .where(model.Seat.misses > 0, model.Match.seats == seats)
        .group_by(model.Bot.id, model.Bot.name)
        .order_by(losses.desc(), matches.desc(), model.Bot.id)
        .limit(limit)
    )
    return [BotMisses(*row) for row in session.execute(query)]


def interruptions(
    session: Session, seats: int, *, newest_of: int, limit: int = MOST
) -> list[BotInterruptions]:
    """Count the interruptions of each bot's matches, among the `newest_of` newest of one ladder.

    The bots whose matches were interrupted most come first; those without are left out.
    """
    newest = (
        select(model.Match.id, model.Match.interruptions)
        .where(
            model.Match.state.in_((model.MatchState.FINISHED, model.MatchState.FAILED)),
            model.Match.seats == seats,
        )
        .order_by(model.Match.id.desc())
        .limit(newest_of)
        .subquery()
    )
    summed = func.sum(newest.c.interruptions)
    query = (
        select(
            model.Bot.id,
            model.Bot.name,
            func.count(),
            func.count(func.nullif(newest.c.interruptions, 0)),
            summed,
        )
        .join(model.Seat, model.Seat.bot_id == model.Bot.id)
        .join(newest, newest.c.id == model.Seat.match_id)
        .group_by(model.Bot.id, model.Bot.name)
        .order_by(summed.desc(), model.Bot.id)
    )
    rows = session.execute(query).all()
    played, interrupted = sum(row[2] for row in rows), sum(row[4] for row in rows)
    return [
        BotInterruptions(
            bot_id, name, matches, of_them, int(times), matches * int(interrupted) / played
        )
        for bot_id, name, matches, of_them, times in rows[:limit]
        if times
    ]
