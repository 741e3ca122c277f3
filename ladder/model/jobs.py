"""Jobs, which are done later, exactly once; what those that run hold; workers, and all parts."""

from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, index_where

SILENT: Final = timedelta(seconds=30)
"""A part of the service, such as a worker, without a sign of life for so long counts as dead."""

_WAITS = sa.text("lease_until IS NULL")
_RUNS = sa.text("lease_until IS NOT NULL")


class Job(Base):
    """A job that waits or is being done: its row goes when it is settled.

    `kind` says what it does ("match", "check") and `subject` with which row (of matches, versions).
    An attempt is one try: `number` is that of the newest one, `token` its fencing token, and at
    `lease_until` it counts as dead unless the worker renews it. A job that waits has neither;
    `sent_at` is when it got its newest message, and it does not begin before `not_before`. `alone`:
    nothing else is done in its process, or will be in the next attempt.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        sa.CheckConstraint("(token IS NULL) = (lease_until IS NULL)", "attempt"),
        index_where(_WAITS, "ix_jobs_waiting", "queue", "subject"),
        index_where(_RUNS, "ix_jobs_running", "queue"),
        index_where(_RUNS, "ix_jobs_of_workers", "worker"),
        index_where(_RUNS, "ix_jobs_leases", "lease_until"),
    )

    kind: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    queue: Mapped[str]
    number: Mapped[int] = mapped_column(server_default="0")
    token: Mapped[str | None]
    worker: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    alone: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    sent_at: Mapped[datetime | None]
    not_before: Mapped[datetime | None]


class Holding(Base):
    """A slot of a party (a version) that a running job takes; `holds`: also one of its places."""

    __tablename__ = "holdings"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["kind", "subject"], ["jobs.kind", "jobs.subject"], ondelete="CASCADE"
        ),
        sa.Index(None, "party"),
    )

    kind: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    party: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    holds: Mapped[bool]


class Worker(Base):
    """A process that does jobs, by its name in `jobs.worker`.

    `seen_at` is its last heartbeat; `lag_ms` the longest that its loop stood still since the one
    before.
    """

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(primary_key=True)
    places: Mapped[int]
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    lag_ms: Mapped[int] = mapped_column(server_default="0")
    stopping: Mapped[bool] = mapped_column(server_default=sa.text("false"))


class PartRow(Base):
    """A process of the service, by the same name as in `workers` if it is one.

    `role` says what it does ("worker", "site"), `host` and `pid` where it runs, `revision` which
    schema it works with, and `seen_at` when it gave its last sign of life. The row goes when the
    process ends in good order.
    """

    __tablename__ = "parts"

    name: Mapped[str] = mapped_column(primary_key=True)
    role: Mapped[str]
    host: Mapped[str]
    pid: Mapped[int]
    revision: Mapped[str]
    seen_at: Mapped[datetime]
