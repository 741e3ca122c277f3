"""Hosted bots: packages and bundles in chunks, logs of builds, what seats wrote, and the hosts."""

from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from ladder.model.base import Base, sql_list, stored

CHUNK: Final = 1 << 20
"""The most bytes that one chunk of a package or bundle holds."""


class BlobKind(StrEnum):
    """The kinds of blobs: uploaded by an author, or made by a build."""

    PACKAGE = "package"
    BUNDLE = "bundle"


class Blob(Base):
    """A package or bundle by the SHA-256 of its bytes (lower-case hexadecimal); `size` in bytes.

    The row stays when the bytes are dropped (`dropped_at`) or banned: versions go on to name them.
    A hash may be banned before its bytes were ever seen; its size is 0 then.
    """

    __tablename__ = "blobs"
    __table_args__ = (
        sa.CheckConstraint(f"kind IN {sql_list(BlobKind)}", "kind"),
        sa.CheckConstraint("size >= 0", "size"),
    )

    sha256: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    size: Mapped[int] = mapped_column(sa.BigInteger)
    kind: Mapped[BlobKind] = mapped_column(stored(BlobKind))
    created_at: Mapped[datetime]
    dropped_at: Mapped[datetime | None]
    """When its chunks were deleted; None while they are here."""
    banned_at: Mapped[datetime | None]
    ban_reason: Mapped[str | None]

    @property
    def is_here(self) -> bool:
        """True if its bytes may be read."""
        return self.dropped_at is None and self.banned_at is None


class BlobChunk(Base):
    """A part of a blob, `number` from 0: all but the last have `CHUNK` bytes."""

    __tablename__ = "blob_chunks"

    sha256: Mapped[str] = mapped_column(sa.ForeignKey("blobs.sha256"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)


class BuildLine(Base):
    """A line of the log of a version's newest build, `number` from 0."""

    __tablename__ = "build_lines"

    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str]
    at: Mapped[datetime]


class SeatOutput(Base):
    """The output of a hosted bot in a match, for its author alone, and what it used.

    `output` and `errors` are what is kept of stdout and stderr, as the bot wrote them (any bytes);
    `peak_memory` is in bytes, `cpu_ms` the time of all its decisions in milliseconds.
    """

    __tablename__ = "seat_outputs"
    __table_args__ = (
        sa.ForeignKeyConstraint(["match_id", "seat"], ["seats.match_id", "seats.seat"]),
    )

    match_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    output: Mapped[bytes] = mapped_column(sa.LargeBinary)
    errors: Mapped[bytes] = mapped_column(sa.LargeBinary)
    peak_memory: Mapped[int | None] = mapped_column(sa.BigInteger)
    cpu_ms: Mapped[int | None]


class HostRow(Base):
    """A host as it last told a worker about itself; the operator drains it.

    `guards` and `runtimes` are JSON: the lines that say which guard is in force, and the names of
    the runtimes. `trouble` is a sentence: why it starts no sandbox or did not answer. `lanes` is
    how many hosted bots may think at once: processors to spare.
    """

    __tablename__ = "hosts"
    NO_ANSWER: ClassVar[str] = "It does not answer."

    name: Mapped[str] = mapped_column(primary_key=True)
    address: Mapped[str]
    processors: Mapped[int] = mapped_column(server_default="0")
    lanes: Mapped[int] = mapped_column(server_default="0")
    sandboxes: Mapped[int] = mapped_column(server_default="0")
    builds: Mapped[int] = mapped_column(server_default="0")
    guards: Mapped[str] = mapped_column(server_default="[]")
    runtimes: Mapped[str] = mapped_column(server_default="[]")
    cache_bytes: Mapped[int] = mapped_column(sa.BigInteger, server_default="0")
    release: Mapped[str | None]
    trouble: Mapped[str | None]
    draining: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    started_at: Mapped[datetime | None]
    seen_at: Mapped[datetime]
