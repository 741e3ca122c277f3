"""Matches, their seats and their replays."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ladder.model.base import Base, sql_list, stored
from ladder.model.bots import Bot, Version
from ladder.model.tournaments import Deal, Tournament


class MatchState(StrEnum):
    """The states of a match; `move_match` changes them."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class MatchKind(StrEnum):
    """The kinds of matches, in order of priority: each is a queue, the first goes before all."""

    VALIDATION = "validation"
    CHALLENGE = "challenge"
    TOURNAMENT = "tournament"
    LADDER = "ladder"


MATCH_OVER: Final = frozenset({MatchState.FINISHED, MatchState.FAILED, MatchState.CANCELLED})
"""The states of a match that is over, unless an admin puts it back into the queue."""


class Match(Base):
    """One game at one table, from queue to result.

    While it waits or is played it has a row in `jobs`, which says who may play it. An attempt is
    one try at playing it: `attempt` is the number of the newest, `claimed_by` its worker, and
    `lag_ms` how long the loop of that worker stood still at worst. A match of the kind `validation`
    is the trial of a new version, a `challenge` was asked for by an author; neither is rated.
    """

    __tablename__ = "matches"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        CheckConstraint(f"state IN {sql_list(MatchState)}", "state"),
        CheckConstraint(f"kind IN {sql_list(MatchKind)}", "kind"),
        CheckConstraint("(state = 'finished') = (result_number IS NOT NULL)", "result"),
        UniqueConstraint("deal_id", "rotation"),
        Index(None, "tournament_id", "state"),
        Index(None, "state", "id"),
        Index(None, "kind", "state", "id"),
        Index(
            "ix_matches_of_tournaments",
            "tournament_id",
            "id",
            sqlite_where=text("tournament_id IS NOT NULL"),
            postgresql_where=text("tournament_id IS NOT NULL"),
        ),
        Index(
            "ix_matches_of_rounds",
            "tournament_id",
            "round",
            sqlite_where=text("round IS NOT NULL"),
            postgresql_where=text("round IS NOT NULL"),
        ),
        Index(
            "ix_matches_annulled",
            "tournament_id",
            sqlite_where=text("annulled_at IS NOT NULL"),
            postgresql_where=text("annulled_at IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int | None] = mapped_column(ForeignKey("tournaments.id"))
    deal_id: Mapped[int] = mapped_column(ForeignKey("deals.id"))
    rotation: Mapped[int]
    kind: Mapped[str] = mapped_column(server_default=MatchKind.TOURNAMENT)
    round: Mapped[int | None]
    asked_by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    seats: Mapped[int]
    state: Mapped[MatchState] = mapped_column(stored(MatchState))
    rated: Mapped[bool]

    move_limit_ms: Mapped[int]
    bank_ms: Mapped[int]
    increment_ms: Mapped[int]
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")

    attempt: Mapped[int] = mapped_column(default=0)
    claimed_by: Mapped[str | None]
    interruptions: Mapped[int] = mapped_column(default=0)
    interruptions_alone: Mapped[int] = mapped_column(default=0, server_default="0")
    unreached: Mapped[int] = mapped_column(default=0)

    result_number: Mapped[int | None] = mapped_column(unique=True)
    reason: Mapped[str | None]
    lag_ms: Mapped[int | None]
    annulled_at: Mapped[datetime | None]
    annulled_by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    annul_reason: Mapped[str | None]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    deal: Mapped[Deal] = relationship()
    tournament: Mapped[Tournament | None] = relationship()
    table: Mapped[list[Seat]] = relationship(order_by="Seat.seat", back_populates="match")


class Seat(Base):
    """Who sits where, and how it went. A bot sits at a table once.

    `tributes` says how many things its visits to El Zorro took from each seat, as in "0 2 1"; None
    where it took none. What stands in the last columns is for the bot's author: what the referee
    said of a fault, what it had received (cut), and the think times by the referee's clock.
    """

    __tablename__ = "seats"
    __table_args__ = (
        CheckConstraint("seat BETWEEN 0 AND 3", "seat"),
        CheckConstraint("rank BETWEEN 1 AND 4", "rank"),
        UniqueConstraint("match_id", "bot_id"),
        Index(None, "bot_id", "match_id"),
    )

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    rank: Mapped[int | None]
    vp: Mapped[int | None]
    fault: Mapped[str | None]
    tributes: Mapped[str | None]
    fault_sentence: Mapped[str | None]
    received: Mapped[str | None]
    decisions: Mapped[int | None]
    think_ms: Mapped[int | None]
    longest_ms: Mapped[int | None]

    match: Mapped[Match] = relationship(back_populates="table")
    bot: Mapped[Bot] = relationship()
    version: Mapped[Version] = relationship()


class Replay(Base):
    """The replay file of a finished match."""

    __tablename__ = "replays"

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)
