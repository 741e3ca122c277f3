"""How a bot has played lately: think times, faults, neighbours, and what it does in its games.

The record and the neighbours are read from the newest seats of the bot, and from tallies, at a
bounded cost. The style is told from the newest replays, which the rules play again: a millisecond
each, once in a process.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from statistics import median, quantiles
from typing import Final

from sqlalchemy import bindparam, select, union_all
from sqlalchemy.orm import Session

from ladder.matches.reading import ABSENT
from ladder.model import Bot, NeighbourTally, Replay, Seat, User
from ladder.ratings.elo import TABLE_SIZES
from ladder.ratings.tallies import TWELFTHS
from referee.errors import ReplayError
from referee.replay import Step, read, simulate, start
from referee.rules import Position
from referee.rules.moves import DRIVES, VERB_BITS, VERB_MASK, VISITS
from referee.rules.pieces import BUILDINGS, CITIZENS

NEWEST: Final = 200
"""How many of a bot's newest matches with a result its record covers."""
GAMES: Final = 50
"""How many of a bot's newest games make its style."""
_MOST: Final = 6  # neighbours at tables of each size
_REMEMBERED: Final = 8_192  # games, of some 5 KB each with their replay


@dataclass(frozen=True, slots=True)
class Thinking:
    """Think times for a decision by the referee's clock, in milliseconds."""

    decisions: int
    """How many decisions were timed."""
    mean: float
    median: float
    """The mean in the median match."""
    most: float
    """The mean in the match than which 19 of 20 were quicker."""
    longest: int
    """The longest of all decisions."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Faults with one stable code, and the newest match with one."""

    code: str
    times: int
    match_id: int


@dataclass(frozen=True, slots=True)
class Record:
    """A summary of the newest matches with a result."""

    matches: int
    thinking: Thinking | None
    """None if nothing was measured."""
    faults: tuple[FaultKind, ...]
    """The most frequent ones first."""
    absences: int = 0
    """Matches of tournaments at which it did not appear."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The games and wins of a bot at tables of `seats` when this one moved right before it."""

    seats: int
    bot_id: int
    name: str
    author: str
    games: int
    wins: float


class Source(StrEnum):
    """The sources of victory points. Points that are paid count against their source."""

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
"""The source by the kind of decision; points after any other kind count as OTHERS, too."""


@dataclass(frozen=True, slots=True)
class Points:
    """The mean victory points in a game from one source."""

    source: Source
    mean: float
    when_won: float | None
    """The mean of the games that were won; None if none was."""


@dataclass(frozen=True, slots=True)
class Style:
    """The habits of a bot in its games, without those in which it faulted."""

    games: int
    won: int
    citizens: tuple[tuple[str, float], ...]
    """How often a game each was driven to, by its name in the notation, the favourite first."""
    buildings: tuple[tuple[str, float], ...]
    """How often a game each was visited, likewise."""
    points: tuple[Points, ...]


@dataclass(slots=True)
class _Played:
    """The counts of one seat in one game."""

    rank: int
    faulted: bool
    citizens: Counter[int] = field(default_factory=Counter)
    buildings: Counter[int] = field(default_factory=Counter)
    points: Counter[Source] = field(default_factory=Counter)


def record(session: Session, bot_id: int) -> Record:
    """Summarise the NEWEST matches of the bot that have a result."""
    rows = session.execute(_RECORD, {"bot": bot_id, "newest": NEWEST}).all()
    faulted = [(fault, match_id) for match_id, fault, *_ in rows if fault and fault != ABSENT]
    times = Counter(fault for fault, _ in faulted)
    last = dict(reversed(faulted))
    return Record(
        len(rows),
        _thinking([(made, think, longest) for *_, made, think, longest in rows]),
        tuple(FaultKind(code, count, last[code]) for code, count in times.most_common()),
        absences=sum(fault == ABSENT for _, fault, *_ in rows),
    )


def neighbours(session: Session, bot_id: int) -> tuple[Neighbour, ...]:
    """Return the bots that most often moved before it, by table size from three on."""
    return tuple(
        Neighbour(seats, before, name, author, games, win_twelfths / TWELFTHS)
        for seats, before, name, author, games, win_twelfths in session.execute(
            _NEIGHBOURS, {"bot": bot_id}
        )
    )


def style(session: Session, bot_id: int) -> Style:
    """Tell the style of a bot from its newest games that have a replay."""
    newest = (
        select(Seat.match_id, Seat.seat)
        .where(Seat.bot_id == bot_id, Seat.rank.is_not(None))
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


def _thinking(rows: Iterable[tuple[int | None, int | None, int | None]]) -> Thinking | None:
    """Summarise (decisions, think time, longest decision) of each match."""
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


@lru_cache(maxsize=_REMEMBERED)
def _game(data: bytes) -> tuple[_Played, ...]:
    """Count by seat; return () for a replay that this version of the rules cannot play again."""
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


# Built once: these are asked for each bot's page.
_RECORD: Final = (
    select(Seat.match_id, Seat.fault, Seat.decisions, Seat.think_ms, Seat.longest_ms)
    .where(Seat.bot_id == bindparam("bot"), Seat.rank.is_not(None))
    .order_by(Seat.match_id.desc())
    .limit(bindparam("newest"))
)
_BY_SIZE: Final = [
    select(
        NeighbourTally.seats,
        NeighbourTally.before_id,
        NeighbourTally.games,
        NeighbourTally.win_twelfths,
    )
    .where(NeighbourTally.seats == size, NeighbourTally.bot_id == bindparam("bot"))
    .order_by(NeighbourTally.games.desc(), NeighbourTally.before_id)
    .limit(_MOST)
    .subquery()
    for size in TABLE_SIZES[1:]
]
_BEFORE: Final = union_all(*map(select, _BY_SIZE)).subquery()
_NEIGHBOURS: Final = (
    select(
        _BEFORE.c.seats,
        _BEFORE.c.before_id,
        Bot.name,
        User.name,
        _BEFORE.c.games,
        _BEFORE.c.win_twelfths,
    )
    .join(Bot, Bot.id == _BEFORE.c.before_id)
    .join(Bot.user)
    .order_by(_BEFORE.c.seats, _BEFORE.c.games.desc(), _BEFORE.c.before_id)
)
