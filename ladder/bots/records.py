"""How a bot has played lately: its think times and faults, on which seats and behind whom it won.

Everything is read from the newest seats of the bot, or from tallies, at a bounded cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from ladder.model import Bot, NeighbourTally, Seat
from ladder.ratings.elo import TABLE_SIZES
from ladder.ratings.tallies import TWELFTHS

NEWEST: Final = 200
"""A record is of so many of the newest matches."""
_MOST: Final = 6  # neighbours at tables of each size


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


# Built once: these are asked for each bot's page.
_RECORD: Final = (
    select(Seat.match_id, Seat.rank, Seat.fault, Seat.decisions, Seat.think_ms, Seat.longest_ms)
    .where(Seat.bot_id == bindparam("bot"))
    .order_by(Seat.match_id.desc())
    .limit(bindparam("newest"))
)
_COUNTED: Final = (
    select(
        NeighbourTally.seats,
        NeighbourTally.before_id,
        NeighbourTally.games,
        NeighbourTally.win_twelfths,
        func.row_number()
        .over(
            partition_by=NeighbourTally.seats,
            order_by=(NeighbourTally.games.desc(), NeighbourTally.before_id),
        )
        .label("place"),
    )
    .where(NeighbourTally.seats.in_(TABLE_SIZES[1:]), NeighbourTally.bot_id == bindparam("bot"))
    .subquery()
)
_NEIGHBOURS: Final = (
    select(
        _COUNTED.c.seats,
        _COUNTED.c.before_id,
        Bot.name,
        _COUNTED.c.games,
        _COUNTED.c.win_twelfths,
    )
    .join(Bot, Bot.id == _COUNTED.c.before_id)
    .where(_COUNTED.c.place <= _MOST)
    .order_by(_COUNTED.c.seats, _COUNTED.c.place)
)


def record(session: Session, bot_id: int) -> Record:
    """Of the NEWEST matches of the bot."""
    newest = session.execute(_RECORD, {"bot": bot_id, "newest": NEWEST}).all()
    rows = [row for row in newest if row[1] is not None]
    faulted = [(fault, match_id) for match_id, _, fault, *_ in rows if fault]
    times = Counter(fault for fault, _ in faulted)
    last = dict(reversed(faulted))
    return Record(
        len(rows),
        _thinking([(made, think, longest) for *_, made, think, longest in rows]),
        tuple(FaultKind(code, count, last[code]) for code, count in times.most_common()),
    )


def neighbours(session: Session, bot_id: int) -> tuple[Neighbour, ...]:
    """Those who moved before it most often, by table size; at tables of two everybody does."""
    return tuple(
        Neighbour(size, before, name, games, win_twelfths / TWELFTHS)
        for size, before, name, games, win_twelfths in session.execute(
            _NEIGHBOURS, {"bot": bot_id}
        ).all()
    )


def _thinking(rows: Iterable[tuple[int | None, int | None, int | None]]) -> Thinking | None:
    """Of decisions, think time and longest decision in each match."""
    timed = [(made, think, most) for made, think, most in rows if made and think is not None]
    if not timed:
        return None
    means = [think / made for made, think, _ in timed]
    decisions = sum(made for made, _, _ in timed)
    return Thinking(
        decisions=decisions,
        mean=sum(think for _, think, _ in timed) / decisions,
        median=median(means),
        most=quantiles(means, n=20, method="inclusive")[-1] if len(means) > 1 else means[0],
        longest=max(longest or 0 for *_, longest in timed),
    )
