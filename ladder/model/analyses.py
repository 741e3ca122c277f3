"""Analyses of matches: why each game was won, as an engine saw it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base


class Analysis(Base):
    """The analysis of a match, or why there is none.

    `data` is what `referee.analysis.pack` makes; the `engine` of this version made it with so many
    `looks` for a decision at `made_at`. An older engine's stays until it is made anew. If all
    attempts at one failed, `failed` says why the last one did, `failed_at` when, and
    `failed_engine` which engine it was; a later analysis clears them.
    """

    __tablename__ = "analyses"
    __table_args__ = (Index(None, "made_at"),)

    match_id: Mapped[int] = mapped_column(
        ForeignKey("matches.id"), primary_key=True, autoincrement=False
    )
    engine: Mapped[int | None]
    looks: Mapped[int | None]
    data: Mapped[bytes | None] = mapped_column(LargeBinary)
    made_at: Mapped[datetime | None]
    failed: Mapped[str | None]
    failed_engine: Mapped[int | None]
    failed_at: Mapped[datetime | None]


class AnalysisSeat(Base):
    """The summary of a seat in the newest analysis of a match, for its bot's profile.

    `decisions` were judged, and cost `loss_milli` thousandths of the points together; the dice gave
    `luck_milli`. `details` is what `ladder.analyses.profiles` makes.
    """

    __tablename__ = "analysis_seats"
    __table_args__ = (Index(None, "bot_id", "match_id"),)

    match_id: Mapped[int] = mapped_column(
        ForeignKey("matches.id"), primary_key=True, autoincrement=False
    )
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    decisions: Mapped[int]
    loss_milli: Mapped[int]
    luck_milli: Mapped[int]
    details: Mapped[dict[str, Any]] = mapped_column(JSON)
