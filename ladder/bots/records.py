"""How a bot has played lately: its think times and faults, on which seats and behind whom it won.

Everything is read from the newest seats of the bot, or from tallies, at a bounded cost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.database.models import Bot, NeighbourTally, Seat
from ladder.tallies import TWELFTHS

NEWEST: Final = 500
"""A record is of so many of the newest matches."""
_NEIGHBOURS: Final = 6  # of each table size
_SIZES: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Thinking:
    """Think times by the referee's clock, in milliseconds: of a decision on the mean, in the median
    match and the match of which 19 of 20 were quicker; and the longest of all decisions."""

    decisions: int
    mean: float
    median: float
    most: float
    longest: int


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Faults with one stable code, and the newest match with one."""

    code: str
    times: int
    match_id: int


@dataclass(frozen=True, slots=True)
class Record:
    """The newest matches with a result: how many, think times (None where none was measured), and
    faults, the most frequent first."""

    matches: int
    thinking: Thinking | None
    faults: tuple[FaultKind, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """How a bot did at tables of `seats` when another one moved right before it."""

    seats: int
    bot_id: int
    name: str
    games: int
    wins: float


def record(session: Session, bot_id: int) -> Record:
    """Of the NEWEST matches of the bot."""
    query = (
        select(Seat.match_id, Seat.rank, Seat.fault, Seat.decisions, Seat.think_ms, Seat.longest_ms)
        .where(Seat.bot_id == bot_id)
        .order_by(Seat.match_id.desc())
        .limit(NEWEST)
    )
    rows = [row for row in session.execute(query) if row.rank is not None]
    times = Counter(row.fault for row in rows if row.fault)
    newest = {row.fault: row.match_id for row in reversed(rows) if row.fault}
    return Record(
        len(rows),
        _thinking(rows),
        tuple(FaultKind(code, count, newest[code]) for code, count in times.most_common()),
    )


def neighbours(session: Session, bot_id: int) -> tuple[Neighbour, ...]:
    """Those who moved before it most often, by table size; at tables of two everybody does."""
    found: list[Neighbour] = []
    for seats in _SIZES[1:]:
        query = (
            select(NeighbourTally, Bot.name)
            .join(Bot, Bot.id == NeighbourTally.before_id)
            .where(NeighbourTally.seats == seats, NeighbourTally.bot_id == bot_id)
            .order_by(NeighbourTally.games.desc(), NeighbourTally.before_id)
            .limit(_NEIGHBOURS)
        )
        found += [
            Neighbour(seats, row.before_id, name, row.games, row.win_twelfths / TWELFTHS)
            for row, name in session.execute(query)
        ]
    return tuple(found)


def _thinking(rows: list[Any]) -> Thinking | None:
    timed = [row for row in rows if row.decisions and row.think_ms is not None]
    if not timed:
        return None
    means = [row.think_ms / row.decisions for row in timed]
    decisions = sum(row.decisions for row in timed)
    return Thinking(
        decisions=decisions,
        mean=sum(row.think_ms for row in timed) / decisions,
        median=median(means),
        most=quantiles(means, n=20, method="inclusive")[-1] if len(means) > 1 else means[0],
        longest=max(row.longest_ms or 0 for row in timed),
    )
