"""Matches of a ladder that were not played at the first call: missed by a bot, or interrupted.

Both are counted for each bot, so that nobody gains by them unseen.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import and_, case, func, select
from sqlalchemy.orm import Session

from ladder.model import Bot, Debt, EntryKind, Match, MatchKind, MatchState, Seat

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


def misses(session: Session, seats: int) -> list[BotMisses]:
    """Count what the bots missed on one ladder: first those that lost, then missed, most."""
    lost = case((and_(Match.reason == EntryKind.MISSED, Seat.rank > 0), 1))
    matches, times = func.count().label("matches"), func.sum(Seat.misses)
    losses = func.count(lost).label("lost")
    query = (
        select(Bot.id, Bot.name, matches, times, losses, func.count(Debt.match_id))
        .join(Seat, Seat.bot_id == Bot.id)
        .join(Match, Match.id == Seat.match_id)
        .outerjoin(Debt, and_(Debt.match_id == Seat.match_id, Debt.bot_id == Seat.bot_id))
        .where(Seat.misses > 0, Match.seats == seats, Match.kind == MatchKind.LADDER)
        .group_by(Bot.id, Bot.name)
        .order_by(losses.desc(), matches.desc(), Bot.id)
        .limit(MOST)
    )
    return [BotMisses(*row) for row in session.execute(query)]


def interruptions(session: Session, seats: int, *, newest_of: int) -> list[BotInterruptions]:
    """Count the interruptions of each bot's matches, among the `newest_of` newest of one ladder.

    The bots whose matches were interrupted most come first; those without are left out.
    """
    newest = (
        select(Match.id, Match.interruptions)
        .where(Match.state.in_((MatchState.FINISHED, MatchState.FAILED)))
        .where(Match.seats == seats, Match.rated)
        .order_by(Match.id.desc())
        .limit(newest_of)
        .subquery()
    )
    summed = func.sum(newest.c.interruptions)
    query = (
        select(
            Bot.id,
            Bot.name,
            func.count(),
            func.count(func.nullif(newest.c.interruptions, 0)),
            summed,
        )
        .join(Seat, Seat.bot_id == Bot.id)
        .join(newest, newest.c.id == Seat.match_id)
        .group_by(Bot.id, Bot.name)
        .order_by(summed.desc(), Bot.id)
    )
    rows = session.execute(query).all()
    played, interrupted = sum(row[2] for row in rows), sum(row[4] for row in rows)
    return [
        BotInterruptions(
            bot_id, name, matches, of_them, int(times), matches * int(interrupted) / played
        )
        for bot_id, name, matches, of_them, times in rows[:MOST]
        if times
    ]
