"""How a bot plays: where it drives, what it visits, where its victory points come from.

Told from the newest replays, played again by the rules: a millisecond each, once in a process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Replay, Seat
from referee.errors import ReplayError
from referee.replay import Step, read, simulate, start
from referee.rules import Position
from referee.rules.moves import DRIVES, VERB_BITS, VERB_MASK, VISITS
from referee.rules.pieces import BUILDINGS, CITIZENS

GAMES: Final = 50
"""A style is told from so many of the newest games, at most."""
_REMEMBERED: Final = 8_192  # games, of some 5 KB each with their replay


class Source(StrEnum):
    """Where victory points come from. What is paid in points counts against its source."""

    DELIVERIES = "deliveries"
    CITIZENS = "citizens"
    BUILDINGS = "buildings"
    OTHERS = "turns of others"
    """Such as the point for the owner when somebody ends a turn on its building."""


_SOURCES: Final = {
    "drive": Source.CITIZENS,
    "pick": Source.CITIZENS,
    "lawyer": Source.CITIZENS,
    "tribute": Source.CITIZENS,
    "visit": Source.BUILDINGS,
    "function": Source.BUILDINGS,
    "deliver": Source.DELIVERIES,
}
"""By the kind of decision; what follows none of these is a turn of others, too."""


@dataclass(frozen=True, slots=True)
class Points:
    """Victory points in a game on the mean: of all games, and of those won (None: none was)."""

    source: Source
    mean: float
    when_won: float | None


@dataclass(frozen=True, slots=True)
class Style:
    """`citizens` and `buildings`: how often a game each was driven to or visited, by its name in
    the notation, the favourite first. Games in which the bot faulted are left out."""

    games: int
    won: int
    citizens: tuple[tuple[str, float], ...]
    buildings: tuple[tuple[str, float], ...]
    points: tuple[Points, ...]


@dataclass(slots=True)
class _Played:
    """What one seat did in one game."""

    rank: int
    faulted: bool
    citizens: Counter[int] = field(default_factory=Counter)
    buildings: Counter[int] = field(default_factory=Counter)
    points: Counter[Source] = field(default_factory=Counter)


def style(session: Session, bot_id: int) -> Style:
    """How the bot played its newest games that have a replay."""
    newest = (
        select(Seat.match_id, Seat.seat)
        .where(Seat.bot_id == bot_id)
        .order_by(Seat.match_id.desc())
        .limit(GAMES)
        .subquery()
    )
    query = select(newest.c.seat, Replay.data).join(Replay, Replay.match_id == newest.c.match_id)
    played = [
        table[seat]
        for seat, data in session.execute(query)
        if (table := _game(data)) and not table[seat].faulted
    ]
    won = [one for one in played if one.rank == 1]
    return Style(
        games=len(played),
        won=len(won),
        citizens=_favourites(CITIZENS, [one.citizens for one in played]),
        buildings=_favourites(BUILDINGS, [one.buildings for one in played]),
        points=tuple(
            Points(
                source,
                _mean([one.points[source] for one in played]) or 0.0,
                _mean([one.points[source] for one in won]),
            )
            for source in Source
        ),
    )


@lru_cache(maxsize=_REMEMBERED)
def _game(data: bytes) -> tuple[_Played, ...]:
    """What each seat did; empty for a replay that this version of the rules cannot play again."""
    try:
        replay = read(data)
        position = start(replay)
        faulted = {one.fault.seat for one in replay.entries if one.HasField("fault")}
        table = tuple(
            _Played(rank, seat in faulted) for seat, rank in enumerate(replay.result.ranks)
        )
        _watch(position, simulate(position, replay), table)
    except ReplayError:
        return ()
    return table


def _watch(position: Position, steps: Iterator[Step], table: Sequence[_Played]) -> None:
    """Count each step when it has been taken: that is when the next one is asked for."""
    seats = range(len(table))
    before = [position.vp(seat) for seat in seats]
    taken: tuple[Step, str] | None = None
    for step in chain(steps, (None,)):
        after = [position.vp(seat) for seat in seats]
        if taken is not None:
            gains = [new - old for old, new in zip(before, after, strict=True)]
            _count(position, *taken, table, gains)
        before = after
        taken = (step, position.kind) if step is not None else None


def _count(
    position: Position, step: Step, kind: str, table: Sequence[_Played], gains: Sequence[int]
) -> None:
    for seat, gain in enumerate(gains):
        own = seat == step.seat and kind in _SOURCES
        table[seat].points[_SOURCES[kind] if own else Source.OTHERS] += gain
    if step.move is None:
        return
    verb = step.move & VERB_MASK
    if verb == VISITS:
        table[step.seat].buildings[step.move >> VERB_BITS] += 1
    elif verb == DRIVES and position.car:
        table[step.seat].citizens[position.layout.citizen_at[position.car]] += 1


def _favourites(
    names: Sequence[str], counts: Sequence[Counter[int]]
) -> tuple[tuple[str, float], ...]:
    total: Counter[int] = Counter()
    for count in counts:
        total.update(count)
    games = max(1, len(counts))
    return tuple((names[thing], times / games) for thing, times in total.most_common())


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None
