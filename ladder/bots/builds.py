"""A build as a worker has a host make it: the log, written as it comes, and the bundle.

The bundle comes into a file without a name: whatever becomes of the worker, nothing is left of it.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Final

from sqlalchemy import delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import packages
from ladder.bots.hosts import Hosts
from ladder.errors import Stale
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt
from ladder.model import BuildLine
from referee.errors import Interrupted
from referee.hosting.client import Missing, RemoteHost
from referee.wire.host_pb2 import Bundle as Announced

_log = logging.getLogger(__name__)

WITHIN: Final = 600.0
"""Seconds that the build step may take at most, each of the two times; a host may allow less."""
MOST_LINES: Final = 2000
"""Lines of a build's log that are kept."""
LONGEST_LINE: Final = 500
"""Characters of a line that are kept."""
_FLUSH_EVERY: Final = 0.3  # seconds


@dataclass(frozen=True, slots=True)
class BuildClaim:
    """One attempt at a build: the right to make it, and all that is needed to do so.

    `package` is a SHA-256; `before` that of the bundle that was built of it before, if one was. The
    bundle is charged to `user_id`.
    """

    held: Attempt
    user_id: int
    package: str
    runtime: str
    before: str | None = None

    @property
    def version_id(self) -> int:
        """The version that is built."""
        return self.held.subject


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was built and stored.

    `difference` says what differed if the package was built twice, with different outcomes.
    """

    sha256: str
    difference: str | None = None


class LogWriter:
    """The log of one attempt at a build: lines are written a few times a second, up to a bound."""

    def __init__(self, sessions: sessionmaker[Session], held: Attempt) -> None:
        self._sessions = sessions
        self._held = held
        self._unwritten: list[str] = []
        self._said = 0
        self._is_away = False  # the database, as far as it is known
        self._in_order = asyncio.Lock()

    def say(self, line: str) -> None:
        """Add a line; the log goes on after the bound, but it is not kept."""
        self._said += 1
        if self._said < MOST_LINES:
            self._unwritten.append(line)
        elif self._said == MOST_LINES:
            self._unwritten.append("[what follows is not kept]")

    @asynccontextmanager
    async def written(self) -> AsyncIterator[None]:
        """Write lines down during the block, and the last ones at its end."""
        writing = asyncio.create_task(self._keep_writing())
        try:
            yield
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            await self._write()

    async def _keep_writing(self) -> None:
        while True:
            await asyncio.sleep(_FLUSH_EVERY)
            await asyncio.shield(self._write())

    async def _write(self) -> None:
        """Write the new lines down; if the database is away, keep them for the next time."""
        async with self._in_order:
            lines, self._unwritten = self._unwritten, []
            try:
                await asyncio.to_thread(self._put, lines)
                self._is_away = False
            except Stale as error:
                _log.warning("lines of a build's log are lost: %s", error)
            except SQLAlchemyError as error:
                self._unwritten[:0] = lines
                if not self._is_away:
                    why = model.own_words(error)
                    _log.warning("lines of a build's log are not written yet: %s", why)
                self._is_away = True

    def _put(self, lines: list[str]) -> None:
        if not lines:
            return
        with self._sessions.begin() as session:
            model.write(session)
            attempts.confirm(session, self._held)
            add_lines(session, self._held.subject, lines)


async def run_build(
    build: BuildClaim, hosts: Hosts, sessions: sessionmaker[Session], log: LogWriter
) -> Bundle:
    """Have a host build the package, on the worker's event loop, and store the bundle.

    Raises the client's BuildFailed if the package can't be built, Refused if the bundle may not be
    stored, NoRoom if the disk is full, NoHost if no host takes it, and Interrupted if the host
    broke off.
    """
    with packages.room_on_disk(), TemporaryFile() as file:
        async with hosts.least_busy({build.runtime}) as host, log.written():
            try:
                announced = await _built(build, host, log, file)
            except Missing:
                await hosts.bring(host, build.package)
                announced = await _built(build, host, log, file)
        sha256 = announced.sha256.hex()
        await asyncio.to_thread(_store, sessions, build, file, sha256)
    differs = "\n".join(line[:LONGEST_LINE] for line in announced.differences)
    return Bundle(sha256, differs or _other(build, sha256))


async def _built(build: BuildClaim, host: RemoteHost, log: LogWriter, file: IO[bytes]) -> Announced:
    """Build a package that is in the host's cache into a file; return what the host says of it.

    A host may be a stranger's by now: it fills no disk. Raises Missing, too.
    """
    announced, digest, left = Announced(), hashlib.sha256(), 0
    async for said in host.build(bytes.fromhex(build.package), WITHIN):
        if isinstance(said, str):
            log.say(said)
        elif isinstance(said, bytes):
            left -= len(said)
            if left < 0:
                raise Interrupted("the host sent more than it announced, or than a bundle may have")
            digest.update(said)
            file.write(said)
        else:
            announced, left = said, min(said.size, packages.largest_bundle())
    if digest.digest() != announced.sha256:
        raise Interrupted("the host sent another bundle than it announced")
    return announced


def _store(
    sessions: sessionmaker[Session], build: BuildClaim, file: IO[bytes], sha256: str
) -> None:
    with sessions.begin() as session:
        packages.store_bundle(session, file, sha256, user_id=build.user_id)


def _other(build: BuildClaim, sha256: str) -> str | None:
    """Say that the bundle is another one than before, if it is."""
    if build.before in (None, sha256):
        return None
    return f"Before, the bundle was {build.before}; now it is {sha256}."


def begin_log(session: Session, version_id: int) -> None:
    """Drop the log of a version's former build, if there was one, and say so in the first line.

    The numbers of the lines go on: who follows the log has seen those before, and no others.
    """
    before = BuildLine.version_id == version_id
    last = session.scalar(select(func.max(BuildLine.number)).where(before))
    if last is not None:
        add_lines(session, version_id, ["[the build begins anew]"])
        session.execute(delete(BuildLine).where(before, BuildLine.number <= last))


def add_lines(session: Session, version_id: int, lines: Sequence[str]) -> None:
    """Add lines to the log of a version's newest build; long ones are cut. The caller commits."""
    newest = select(func.max(BuildLine.number)).where(BuildLine.version_id == version_id)
    first = session.scalar(newest)
    at = model.now(session)
    session.add_all(
        BuildLine(
            version_id=version_id,
            number=number,
            text=text.replace("\x00", "�")[:LONGEST_LINE],
            at=at,
        )
        for number, text in enumerate(lines, 0 if first is None else first + 1)
    )
    session.flush()
