"""Puzzles as pages and the API show them, and the one of the day."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from random import Random
from typing import Final

from sqlalchemy import BigInteger, cast, func, select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.model import Puzzle, PuzzleState, below

_OPEN: Final = select(Puzzle.id).where(Puzzle.state == PuzzleState.OPEN)
_PRIME: Final = 2**31 - 1
"""Each day orders the puzzles anew: by a line through their ids, modulo this prime."""


@dataclass(frozen=True, slots=True)
class PuzzleRow:
    """A puzzle with its answer; `values` in share of the points, the best move first."""

    id: int
    match_id: int
    moment: int
    """The number of the viewer's frame that shows the move that was played."""
    seats: int
    seat: int
    kind: str
    phase: str
    level: int
    move: str
    margin: float
    missed: bool
    retired: bool
    values: tuple[tuple[str, float], ...]
    line: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PuzzlePage:
    """Some puzzles, newest first; `next_before` leads to the next page, if there is one."""

    puzzles: tuple[PuzzleRow, ...]
    next_before: int | None


def puzzle(session: Session, puzzle_id: int) -> PuzzleRow:
    """Return a puzzle, also one that is retired. Raises NotFound."""
    row = session.get(Puzzle, puzzle_id)
    if row is None or row.state is PuzzleState.PROPOSED:
        raise NotFound("there is no puzzle %(puzzle)s", puzzle=puzzle_id)
    return _row(row)


def page(
    session: Session,
    *,
    kind: str | None = None,
    level: int | None = None,
    seats: int | None = None,
    before: int | None = None,
    limit: int = 24,
) -> PuzzlePage:
    """Return the newest open puzzles of a kind of decision, level and table size."""
    values = {Puzzle.kind: kind, Puzzle.level: level, Puzzle.seats: seats}
    query = select(Puzzle).where(
        Puzzle.state == PuzzleState.OPEN,
        below(Puzzle.id, before),
        *(column == value for column, value in values.items() if value is not None),
    )
    puzzles = list(session.scalars(query.order_by(Puzzle.id.desc()).limit(limit + 1)))
    rows = tuple(map(_row, puzzles[:limit]))
    return PuzzlePage(rows, rows[-1].id if len(puzzles) > limit else None)


def newest(session: Session, *, limit: int) -> list[int]:
    """Return the ids of the newest open puzzles, newest first."""
    return list(session.scalars(_OPEN.order_by(Puzzle.id.desc()).limit(limit)))


def counts(session: Session) -> Mapping[str, int]:
    """Count the open puzzles by the kind of their decision."""
    query = select(Puzzle.kind, func.count()).where(Puzzle.state == PuzzleState.OPEN)
    return dict(session.execute(query.group_by(Puzzle.kind).order_by(Puzzle.kind)).all())


def of_day(session: Session, day: date) -> PuzzleRow | None:
    """Return the puzzle of a date in UTC: the same for all, and all day long.

    It is one of those that were open when the day began, or else the first one of all. It changes
    only if it is retired itself. None if there are no puzzles.
    """
    began = datetime.combine(day, time(), UTC)
    luck = Random(day.toordinal())
    factor, start = luck.randrange(1, _PRIME), luck.randrange(_PRIME)
    first = _OPEN.limit(1)
    place = (cast(Puzzle.id, BigInteger) * factor + start) % _PRIME
    found = session.scalar(first.where(Puzzle.opened_at < began).order_by(place, Puzzle.id))
    found = found or session.scalar(first.order_by(Puzzle.opened_at, Puzzle.id))
    return None if found is None else puzzle(session, found)


def after(session: Session, puzzle_id: int) -> int | None:
    """Return the next older open puzzle, after the oldest the newest; None if it is alone."""
    newest = _OPEN.where(Puzzle.id != puzzle_id).order_by(Puzzle.id.desc()).limit(1)
    older = session.scalar(newest.where(Puzzle.id < puzzle_id))
    return older if older is not None else session.scalar(newest)


def _row(puzzle: Puzzle) -> PuzzleRow:
    answer = json.loads(puzzle.answer or "{}")
    values: Sequence[tuple[str, int]] = answer["values"]
    assert puzzle.level is not None
    assert puzzle.margin_milli is not None
    return PuzzleRow(
        id=puzzle.id,
        match_id=puzzle.match_id,
        moment=puzzle.moment,
        seats=puzzle.seats,
        seat=puzzle.seat,
        kind=puzzle.kind,
        phase=puzzle.phase,
        level=puzzle.level,
        move=puzzle.move,
        margin=puzzle.margin_milli / 1000,
        missed=puzzle.missed,
        retired=puzzle.state is PuzzleState.RETIRED,
        values=tuple((move, milli / 1000) for move, milli in values),
        line=tuple(answer["line"]),
    )
