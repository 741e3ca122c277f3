"""Read what hosted bots write, for their author alone: logs of builds, and output in matches."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots.own import bot_row, version_row
from ladder.errors import NotFound
from ladder.model import BuildLine, Seat, SeatOutput, VersionState
from ladder.people.accounts import Account

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
    """From stdout, then from stderr."""
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
    found = session.scalars(query).first()
    if found is None:
        raise NotFound(
            "no output of %(bot)s is kept of match %(match)s", bot=bot.name, match=match_id
        )
    wrote = found.output + found.errors
    return Output(match_id, found.seat, wrote, found.peak_memory, found.cpu_ms)
