"""Tournaments and their entry lists; deals: a layout that each rotation of the seats plays."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, sql_list, stored


class TournamentState(StrEnum):
    """The states of a tournament; `move_tournament` changes them."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Tournament(Base):
    """Some bots, and all the matches that they play with one another.

    `round` is the newest of its `rounds` whose matches have been made. A bot that cannot be reached
    for `grace_ms` forfeits. `settled` counts the matches that are finished, failed or cancelled, so
    that pages and the end of the tournament need no count over the matches.
    """

    __tablename__ = "tournaments"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        CheckConstraint(f"state IN {sql_list(TournamentState)}", "state"),
        CheckConstraint("format IN ('round_robin', 'gauntlet', 'swiss')", "format"),
        CheckConstraint("settled BETWEEN 0 AND total", "settled"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    format: Mapped[str] = mapped_column(server_default="round_robin")
    seats: Mapped[int]
    deals: Mapped[int] = mapped_column(server_default="1")
    rounds: Mapped[int] = mapped_column(server_default="1")
    round: Mapped[int] = mapped_column(server_default="1")
    rated: Mapped[bool] = mapped_column(server_default=text("true"))
    seed: Mapped[int | None] = mapped_column(BigInteger)
    move_limit_ms: Mapped[int] = mapped_column(server_default="10000")
    bank_ms: Mapped[int] = mapped_column(server_default="60000")
    increment_ms: Mapped[int] = mapped_column(server_default="500")
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")
    grace_ms: Mapped[int] = mapped_column(server_default="300000")
    created_by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    state: Mapped[TournamentState] = mapped_column(stored(TournamentState))
    total: Mapped[int]
    settled: Mapped[int] = mapped_column(default=0)
    finished: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    waiting_since: Mapped[datetime | None]
    """When it began or last went on: it waits for missing bots no longer than from then on."""
    finished_at: Mapped[datetime | None]

    @hybrid_property
    def round_is_over(self) -> bool:
        """Whether all matches made so far are over."""
        return self.settled * self.rounds == self.total * self.round


class Entry(Base):
    """A bot's place on the entry list: `number` from 1, and the version that plays."""

    __tablename__ = "tournament_entries"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    number: Mapped[int]


class Deal(Base):
    """One layout. Its dice are no part of it: they are fresh in each attempt."""

    __tablename__ = "deals"
    __table_args__ = (Index(None, "tournament_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int | None] = mapped_column(ForeignKey("tournaments.id"))
    layout_seed: Mapped[int] = mapped_column(BigInteger)
