"""The ledger of rating changes, and what is counted from it. A ladder is a table size."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ladder.database.models.base import Base


class Ledger(Base):
    """The one row whose lock orders the results of all ladders; holds the last result number."""

    __tablename__ = "ledger"
    __table_args__ = (CheckConstraint("id = 1", "single"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    last_result: Mapped[int]


class RatingChange(Base):
    """One bot's rating before and after one result, in milli-Elo."""

    __tablename__ = "rating_changes"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        UniqueConstraint("match_id", "bot_id"),
        Index(None, "bot_id", "seats", "result_number"),
        Index(None, "result_number"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    result_number: Mapped[int]
    seats: Mapped[int]
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    before_milli: Mapped[int]
    after_milli: Mapped[int]


class LadderPlace(Base):
    """A bot on the ladder of one table size: the fold of its ledger rows, and counts.

    A win is a first rank, shared or not.
    """

    __tablename__ = "ladder_places"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        Index(None, "seats", "rating_milli"),
    )

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    rating_milli: Mapped[int]
    games: Mapped[int] = mapped_column(default=0)
    wins: Mapped[int] = mapped_column(default=0)
    faults: Mapped[int] = mapped_column(default=0)


class Meeting(Base):
    """How often a bot met another at tables of one size, and its half points against it.

    A better rank is worth two half points, a shared one one. Each pair has two rows, one a side.
    """

    __tablename__ = "meetings"

    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    opponent_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    games: Mapped[int]
    half_points: Mapped[int]
