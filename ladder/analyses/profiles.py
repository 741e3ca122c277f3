"""The mistakes of a bot over its newest analysed games, and what can be learnt from.

A row for each seat is written whenever an analysis is stored, so that a page reads no analysis.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import AnalysisSeat, Seat, Upsert
from referee.analysis import Decision, GameAnalysis, Mark, SeatSummary, summaries
from referee.analysis.results import Losses
from referee.rules import move_text

GAMES: Final = 100
"""The most games that make a profile."""
_INSTRUCTIVE: Final = 5
"""The most moments of a bot that are shown."""
_TYPICAL: Final = 200  # seats of whatever bots, the newest
_COSTLY: Final = 3  # decisions that are kept of a seat
_OF_A_KIND: Final = 2  # moments that are shown
_UNIT: Final = 1000


@dataclass(frozen=True, slots=True)
class InstructiveMoment:
    """A decision that cost much: the move that was played there, and the best one, as texts."""

    match_id: int
    moment: int
    kind: str
    mark: Mark
    played: str
    better: str
    cost: float


@dataclass(frozen=True, slots=True)
class MistakeProfile:
    """The mean cost of decisions, by kind and by part of the game, and what the dice gave."""

    games: int
    all: Losses
    by_kind: Mapping[str, Losses]
    by_phase: Mapping[str, Losses]
    marks: Mapping[str, int]
    luck: float
    """In share of the points, the mean of a game."""
    lessons: tuple[InstructiveMoment, ...]
    """The costliest decisions, one of a game and few of a kind."""


def keep(session: Session, match_id: int, analysis: GameAnalysis) -> None:
    """Keep what an analysis says of each seat, in place of an older one's."""
    bots = session.execute(select(Seat.seat, Seat.bot_id).where(Seat.match_id == match_id))
    of_seat: dict[int, int] = dict(bots.all())
    rows = [
        {
            "match_id": match_id,
            "seat": one.seat,
            "bot_id": of_seat[one.seat],
            "decisions": one.all.decisions,
            "loss_milli": _milli(one.all.loss),
            "luck_milli": _milli(one.luck),
            "details": _details(one, analysis),
        }
        for one in summaries(analysis)
    ]
    _KEEP.put(session, rows)


def profile(session: Session, bot_id: int) -> MistakeProfile | None:
    """Return the profile of a bot by its newest analysed games; None if there is none."""
    return _profile(session, GAMES, bot_id)


def typical(session: Session) -> MistakeProfile | None:
    """Return the profile of all bots together by the newest analysed games."""
    return _profile(session, _TYPICAL)


def _profile(session: Session, most: int, bot_id: int | None = None) -> MistakeProfile | None:
    query = select(AnalysisSeat).order_by(AnalysisSeat.match_id.desc(), AnalysisSeat.seat)
    if bot_id is not None:
        query = query.where(AnalysisSeat.bot_id == bot_id)
    rows = session.scalars(query.limit(most)).all()
    if not rows:
        return None
    return MistakeProfile(
        games=len(rows),
        all=_losses([(row.decisions, row.loss_milli) for row in rows]),
        by_kind=_sums(row.details["kinds"] for row in rows),
        by_phase=_sums(row.details["phases"] for row in rows),
        marks=sum((Counter(row.details["marks"]) for row in rows), Counter()),
        luck=sum(row.luck_milli for row in rows) / _UNIT / len(rows),
        lessons=_lessons(rows),
    )


def _details(seat: SeatSummary, analysis: GameAnalysis) -> dict[str, Any]:
    own = (one for one in analysis.decisions if one.seat == seat.seat and one.cost)
    costly = sorted(own, key=lambda one: -one.cost)[:_COSTLY]
    return {
        "kinds": {kind: _pair(some) for kind, some in seat.by_kind.items()},
        "phases": {phase: _pair(some) for phase, some in seat.by_phase.items()},
        "marks": {mark: times for mark, times in seat.marks.items() if times},
        "costly": [_lesson(one) for one in costly if one.mark in (Mark.CLEAR, Mark.BIG)],
    }


def _lesson(made: Decision) -> list[Any]:
    played, better = move_text(made.move), move_text(made.values[0].move)
    return [made.moment, made.kind, made.mark, played, better, _milli(made.cost)]


def _lessons(rows: Iterable[AnalysisSeat]) -> tuple[InstructiveMoment, ...]:
    found = [
        InstructiveMoment(row.match_id, moment, kind, Mark(mark), played, better, cost / _UNIT)
        for row in rows
        for moment, kind, mark, played, better, cost in row.details["costly"]
    ]
    games, kinds = set[int](), Counter[str]()
    chosen: list[InstructiveMoment] = []
    for one in sorted(found, key=lambda one: (-one.cost, -one.match_id, one.moment)):
        if one.match_id not in games and kinds[one.kind] < _OF_A_KIND:
            games.add(one.match_id)
            kinds[one.kind] += 1
            chosen.append(one)
    return tuple(chosen[:_INSTRUCTIVE])


def _sums(rows: Iterable[Mapping[str, Sequence[int]]]) -> dict[str, Losses]:
    found: dict[str, list[Sequence[int]]] = {}
    for row in rows:
        for name, pair in row.items():
            found.setdefault(name, []).append(pair)
    return {name: _losses(pairs) for name, pairs in found.items()}


def _losses(pairs: Sequence[Sequence[int]]) -> Losses:
    decisions, loss = (sum(column) for column in zip(*pairs, strict=True))
    return Losses(decisions, loss / _UNIT)


def _pair(losses: Losses) -> list[int]:
    return [losses.decisions, _milli(losses.loss)]


def _milli(share: float) -> int:
    return round(_UNIT * share)


_KEEP: Final = Upsert(
    AnalysisSeat, replace=("bot_id", "decisions", "loss_milli", "luck_milli", "details")
)
