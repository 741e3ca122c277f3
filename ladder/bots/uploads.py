"""Read what was uploaded, and what came of it: packages, logs of builds, output in matches.

All of it is for the author alone, but for packages that he has published.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots import packages
from ladder.bots.own import bot_row, version_row
from ladder.errors import Invalid, NotFound
from ladder.model import Blob, BuildLine, Seat, SeatOutput, Version, VersionState
from ladder.people.accounts import Account
from ladder.ratings import ledger

MOST_LINES: Final = 1000
"""Lines of a build's log that are read at once."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log of a build; `number` counts from 0."""

    number: int
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class BuildLog:
    """Lines of the log of a version's newest build, the oldest first."""

    state: VersionState
    lines: tuple[LogLine, ...]
    over: bool
    """True if no more lines will come after these, unless it is built once more."""


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a bot in a match, as far as it is kept, and what the bot used."""

    match_id: int
    seat: int
    output: bytes
    """From stdout."""
    errors: bytes
    """From stderr."""
    peak_memory: int | None
    """In bytes."""
    cpu_ms: int | None
    """For all its decisions together."""


def of_build(
    session: Session, account: Account, bot_id: int, version_id: int, *, after: int | None = None
) -> BuildLog:
    """Return the lines of an own version's build after the one with the number `after`.

    Without `after` they begin with the first. Raises NotFound.
    """
    version = version_row(session, account, bot_id, version_id)
    if version.package is None:
        raise NotFound("version %(version)s was not uploaded", version=version.submitted_name)
    query = (
        select(BuildLine)
        .where(
            BuildLine.version_id == version.id, BuildLine.number > (-1 if after is None else after)
        )
        .order_by(BuildLine.number)
        .limit(MOST_LINES)
    )
    lines = tuple(LogLine(row.number, row.text, row.at) for row in session.scalars(query))
    waits = version.state is VersionState.SUBMITTED and version.bundle is None
    goes_on = waits or version.state is VersionState.BUILDING or len(lines) == MOST_LINES
    return BuildLog(version.state, lines, over=not goes_on)


def of_match(session: Session, account: Account, bot_id: int, match_id: int) -> Output:
    """Return what an own bot wrote in a match. Raises NotFound."""
    bot = bot_row(session, account, bot_id)
    query = (
        select(SeatOutput)
        .join(Seat, (Seat.match_id == SeatOutput.match_id) & (Seat.seat == SeatOutput.seat))
        .where(SeatOutput.match_id == match_id, Seat.bot_id == bot.id)
    )
    row = session.scalars(query).first()
    if row is None:
        raise NotFound(
            "there is no output of %(bot)s from match %(match)s", bot=bot.name, match=match_id
        )
    return Output(match_id, row.seat, row.output, row.errors, row.peak_memory, row.cpu_ms)


LICENCES: Final = {
    "MIT": "MIT",
    "Apache-2.0": "Apache 2.0",
    "BSD-3-Clause": "BSD, 3 clauses",
    "GPL-3.0-or-later": "GPL 3 or later",
    "AGPL-3.0-or-later": "AGPL 3 or later",
    "MPL-2.0": "MPL 2.0",
    "CC0-1.0": "CC0 1.0 (public domain)",
    "Unlicense": "Unlicense",
}
"""The licences under which an author may publish a source: their names by SPDX's identifiers."""


@dataclass(frozen=True, slots=True)
class Download:
    """A package that may be sent; `packages.chunks` yields its `size` bytes by the hash."""

    sha256: str
    size: int
    file_name: str


def download(session: Session, account: Account, bot_id: int, version_id: int) -> Download:
    """Return what was uploaded of an own version. Raises NotFound."""
    return _download(session, version_row(session, account, bot_id, version_id))


def published(session: Session, bot_id: int, version_id: int) -> Download:
    """Return what was uploaded of a version whose author has published it. Raises NotFound."""
    version = session.get(Version, version_id, populate_existing=True)
    if version is None or version.bot_id != bot_id or version.licence is None:
        raise NotFound("the source of version %(version)s is not published", version=version_id)
    return _download(session, version)


def publish(
    session: Session, account: Account, bot_id: int, version_id: int, licence: str | None
) -> None:
    """Let everybody download an own version under a licence; None makes it private again.

    Raises Invalid and NotFound. The caller commits.
    """
    if licence is not None and licence not in LICENCES:
        raise Invalid("licence", "choose one of these: %(names)s", names=", ".join(LICENCES))
    ledger.lock(session)  # so that nobody removes the package meanwhile
    version = version_row(session, account, bot_id, version_id)
    if licence is not None:
        packages.has(session, version.package or "")  # nor drops it, as none needs it
        _download(session, version)
    version.licence = licence


def _download(session: Session, version: Version) -> Download:
    blob = session.get(Blob, version.package, populate_existing=True) if version.package else None
    if blob is None or not blob.is_here or version.package_removed_at is not None:
        raise NotFound("there is no package of version %(version)s", version=version.submitted_name)
    return Download(blob.sha256, blob.size, version.package_name or "package")
