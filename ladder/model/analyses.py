"""Analyses of matches and casual games, as an engine saw them, and the puzzles from matches."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, index_where, sql_list, stored

_FAILED = sa.text("failed IS NOT NULL")


class AnalysisColumns:
    """The columns of the analysis of a game, or of the reason why there is none.

    `data` is what `referee.analysis.pack` makes; the `engine` of this version made it with so many
    `looks` for a decision at `made_at`. An older engine's stays until it is made anew. If all
    attempts at one failed, `failed` says why the last one did, `failed_at` when, and
    `failed_engine` which engine it was; a later analysis clears them.
    """

    engine: Mapped[int | None]
    looks: Mapped[int | None]
    data: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    made_at: Mapped[datetime | None]
    failed: Mapped[str | None]
    failed_engine: Mapped[int | None]
    failed_at: Mapped[datetime | None]


class Analysis(AnalysisColumns, Base):
    """The analysis of a match, or why there is none."""

    __tablename__ = "analyses"
    __table_args__ = (
        sa.Index(None, "made_at"),
        index_where(_FAILED, "ix_analyses_failed", "failed_at"),
    )

    match_id: Mapped[int] = mapped_column(
        sa.ForeignKey("matches.id"), primary_key=True, autoincrement=False
    )


class CasualAnalysis(AnalysisColumns, Base):
    """The analysis of a casual game, or why there is none."""

    __tablename__ = "casual_analyses"
    __table_args__ = (index_where(_FAILED, "ix_casual_analyses_failed", "failed_at"),)

    game_id: Mapped[int] = mapped_column(
        sa.ForeignKey("casual_games.id"), primary_key=True, autoincrement=False
    )


class AnalysisSeat(Base):
    """The summary of a seat in the newest analysis of a match, for its bot's profile.

    `decisions` were judged, and cost `loss_milli` thousandths of the points together; the dice gave
    `luck_milli`. `details` is what `ladder.analyses.profiles` makes.
    """

    __tablename__ = "analysis_seats"
    __table_args__ = (sa.Index(None, "bot_id", "match_id"),)

    match_id: Mapped[int] = mapped_column(
        sa.ForeignKey("matches.id"), primary_key=True, autoincrement=False
    )
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    decisions: Mapped[int]
    loss_milli: Mapped[int]
    luck_milli: Mapped[int]
    details: Mapped[dict[str, Any]] = mapped_column(sa.JSON)


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
        sa.CheckConstraint(f"state IN {sql_list(PuzzleState)}", "state"),
        sa.CheckConstraint(f"(state = '{PuzzleState.PROPOSED}') = (answer IS NULL)", "answer"),
        sa.UniqueConstraint("match_id", "moment"),
        sa.Index(None, "state", "id"),
        sa.Index(None, "state", "kind", "opened_at", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(sa.ForeignKey("matches.id"))
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
