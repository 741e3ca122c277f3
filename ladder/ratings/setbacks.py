"""Matches of a ladder that were not played at the first call: missed by a bot, or interrupted.

Both are counted for each bot, so that nobody gains by them unseen.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from ladder.model import Bot, EntryKind, Match, MatchKind, MatchState, Seat

MOST: Final = 20
"""Bots that each list names at most."""

# CROSS JOIN makes SQLite begin with the missed seats, which have an index, not with all matches.
_MISSES: Final = text(
    "SELECT b.id, b.name, count(*) AS matches, sum(s.misses),"
    f" count(CASE WHEN m.reason = '{EntryKind.MISSED}' AND s.rank > 0 AND m.annulled_at IS NULL"
    " THEN 1 END) AS lost,"
    " count(d.match_id)"
    " FROM seats s CROSS JOIN matches m CROSS JOIN bots b"
    " LEFT JOIN debts d ON d.match_id = s.match_id AND d.bot_id = s.bot_id"
    " WHERE s.misses > 0 AND m.id = s.match_id AND b.id = s.bot_id"
    f" AND m.seats = :seats AND m.kind = '{MatchKind.LADDER}'"
    " GROUP BY b.id, b.name ORDER BY lost DESC, matches DESC, b.id LIMIT :most"
)


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
    rows = session.execute(_MISSES, {"seats": seats, "most": MOST})
    return [BotMisses(*row) for row in rows]


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
