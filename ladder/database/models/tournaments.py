"""Tournaments, and deals: a layout that is played once in every rotation of the seats."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from ladder.database.models.base import Base


class Tournament(Base):
    """Some bots, and all the matches that they play with one another.

    `settled` counts the matches that are finished, failed or cancelled, so that pages and the
    end of the tournament need no count over the matches.
    """

    __tablename__ = "tournaments"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        CheckConstraint("state IN ('created', 'running', 'finished', 'cancelled')", "state"),
        CheckConstraint("settled BETWEEN 0 AND total", "settled"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    seats: Mapped[int]
    state: Mapped[str]
    total: Mapped[int]
    settled: Mapped[int] = mapped_column(default=0)
    finished: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Deal(Base):
    """One layout. Its dice are no part of it: they are fresh in each attempt."""

    __tablename__ = "deals"
    __table_args__ = (Index(None, "tournament_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int | None] = mapped_column(ForeignKey("tournaments.id"))
    layout_seed: Mapped[int] = mapped_column(BigInteger)
