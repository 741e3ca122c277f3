"""Puzzles: positions of played games in which one move is better than all others by far."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ladder.errors import NotFound
from ladder.matches import reading as matches
from ladder.puzzles import reading
from ladder.puzzles.reading import PuzzleRow
from referee.analysis.puzzles import position_at
from referee.replay import read
from web import puzzles
from web.api.operations import DIGITS, Answer, CallGroup, Page, Paging, QuerySeats
from web.database import session
from web.viewer.analyses import KINDS

group = CallGroup("puzzles", "Positions of played games in which one move is better by far.")


class PuzzleQuery(Paging):
    """Which puzzles to return."""

    kind: Literal[tuple(KINDS)] | None = None  # type: ignore[valid-type]
    """Only decisions of this kind."""
    level: Annotated[int, Field(ge=1, le=3), DIGITS] | None = None
    """Only of this difficulty: 1 is easy, 3 is hard."""
    seats: QuerySeats | None = None
    """Only of tables of this size."""


class PuzzleHead(Answer):
    """A puzzle, without its position and its answer."""

    id: int
    match_id: int
    moment: int
    """The frame of the match's replay that shows the move that was played."""
    seats: int
    seat: int
    """The seat that has to choose."""
    kind: str
    phase: str
    """opening, middle or end"""
    level: int
    """1 is easy, 3 is hard"""
    retired: bool
    """A newer engine no longer sees one best move."""


class PuzzlePage(Page):
    """Puzzles, newest first."""

    puzzles: list[PuzzleHead]


class MoveShare(Answer):
    """A move, and the share of the points that its seat may expect after it."""

    move: str
    share: float


class Puzzle(PuzzleHead):
    """A puzzle with its answer."""

    position: str
    """The position as text: docs/notation.md."""
    legal: list[str]
    best: str
    values: list[MoveShare]
    """All legal moves, the best one first."""
    line: list[str]
    """The best move, and what may follow it up to the next roll."""


@group.get("/puzzles")
def page(query: PuzzleQuery) -> PuzzlePage:
    """The puzzles, newest first."""
    found = reading.page(session(), **query.model_dump())
    return PuzzlePage.model_validate({"puzzles": found.puzzles, "next": found.next_before})


@group.get("/puzzles/daily", may_fail=(404,))
def daily() -> Puzzle:
    """The puzzle of this day (UTC); 404 as long as there is none."""
    found = puzzles.of_today()
    if found is None:
        raise NotFound("there are no puzzles yet")
    return _whole(found)


@group.get("/puzzles/{puzzle_id}")
def puzzle(puzzle_id: int) -> Puzzle:
    """One puzzle, also one that is retired."""
    return _whole(reading.puzzle(session(), puzzle_id))


def _whole(row: PuzzleRow) -> Puzzle:
    position = position_at(read(matches.replay(session(), row.match_id)), row.moment)
    fields: dict[str, Any] = {
        **PuzzleHead.model_validate(row).model_dump(),
        "position": str(position),
        "legal": position.legal_texts(),
        "best": row.move,
        "values": [{"move": move, "share": share} for move, share in row.values],
        "line": list(row.line),
    }
    return Puzzle.model_validate(fields)
