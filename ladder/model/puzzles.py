"""Puzzles: decisions of analysed games in which one move is better by far."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, sql_list, stored


class PuzzleState(StrEnum):
    """The states of a puzzle.

    proposed ──a deeper search agrees──> open ──a newer engine's does not──> retired

    One that was proposed in vain is deleted.
    """

    PROPOSED = "proposed"
    OPEN = "open"
    RETIRED = "retired"


class Puzzle(Base):
    """A decision of a match, and its best move, as text.

    `moment` is that of the move that was played, as in the match's analysis; `missed`: it was
    another one. `level` (from 1), `margin_milli` (how much better the best move is, in thousandths
    of the points) and `answer` (JSON: the values of all moves, and the best line) are what the
    `engine` of this version said with so many `looks`; a proposed puzzle has none of them yet.
    """

    __tablename__ = "puzzles"
    __table_args__ = (
        CheckConstraint(f"state IN {sql_list(PuzzleState)}", "state"),
        CheckConstraint(
            f"(state = '{PuzzleState.PROPOSED}') = (answer IS NULL)",
            "answer",
        ),
        UniqueConstraint("match_id", "moment"),
        Index(None, "state", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    moment: Mapped[int]
    state: Mapped[PuzzleState] = mapped_column(stored(PuzzleState))
    seats: Mapped[int]
    seat: Mapped[int]
    kind: Mapped[str]
    phase: Mapped[str]
    move: Mapped[str]
    missed: Mapped[bool]
    engine: Mapped[int]
    looks: Mapped[int | None]
    level: Mapped[int | None]
    margin_milli: Mapped[int | None]
    answer: Mapped[str | None]
    proposed_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]
