"""The service itself: its ladders, and the workers that play their matches."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base


class Ladder(Base):
    """The ladder of one table size: whether matches are made for it, and with which clock.

    `share` is its part of the mix: a ladder of share 2 gets twice the matches of one of share 1.
    """

    __tablename__ = "ladders"
    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        CheckConstraint("share >= 0", "share"),
    )

    seats: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    open: Mapped[bool] = mapped_column(server_default=text("true"))
    share: Mapped[int] = mapped_column(server_default="1")
    one_owner: Mapped[bool] = mapped_column(server_default=text("false"))
    """Whether two bots of one owner may meet; house bots always may."""
    move_limit_ms: Mapped[int] = mapped_column(server_default="10000")
    bank_ms: Mapped[int] = mapped_column(server_default="60000")
    increment_ms: Mapped[int] = mapped_column(server_default="500")
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")


class Worker(Base):
    """A process that plays matches, by its name in `matches.claimed_by`.

    `seen_at` is its last sign of life; `lag_ms` how long its loop stood still at worst since the
    one before.
    """

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(primary_key=True)
    places: Mapped[int]
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    lag_ms: Mapped[int] = mapped_column(server_default="0")
    stopping: Mapped[bool] = mapped_column(server_default=text("false"))
