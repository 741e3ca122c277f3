"""The command `santiago` as a user starts it, but in a folder of the test's own."""

import os
import signal
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from sqlalchemy.orm import Session

from ladder.contests.tournaments import lookup
from ladder.matches.listing import list_matches
from tests.e2e.processes import Process, started_by, still_there, until
from tests.forking import Forked
from tests.ladder.databases import session_on
from tests.ladder.service import end_leases

TIMEOUT = 300.0  # seconds for whatever a test waits for, on a machine that may be busy
QUICK = {
    "SANTIAGO_ANALYSES": "0",
    "SANTIAGO_MESSAGE_AGE": "2",
    "SANTIAGO_PLANNER_SECONDS": "0.001",
    "SANTIAGO_TURQUINO_SECONDS": "0.001",
}
ITSELF = "ladder.cli.main"
FORKING = "tests.e2e.forking_santiago"
"""The command, and the same with parts that are forked."""


class Ladder:
    """What can be seen of a running service in the database of its data folder."""

    data: Path

    def finished(self, tournament_id: int = 1) -> int:
        """How many matches of a tournament have a result."""
        with self.ladder() as session:
            return lookup.progress(session, tournament_id).finished

    def playing(self) -> list[int]:
        """The matches that are being played."""
        with self.ladder() as session:
            return [row.id for row in list_matches(session, state="running", limit=9).matches]

    def ladder(self) -> AbstractContextManager[Session]:
        """A session on its database."""
        return session_on(f"sqlite:///{self.data}/ladder.db")


class Santiago(Ladder):
    """A running `santiago`, and what can be seen of it from outside."""

    def __init__(self, folder: Path, *arguments: str, program: str = FORKING) -> None:
        self.data = folder / "data"
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self._output = folder / "output"
        self._output.write_bytes(b"")
        self._process = Forked(
            program,
            *arguments,
            env=os.environ | QUICK | {"TMPDIR": str(self.temporary)},
            log=self._output,
        )

    @property
    def said(self) -> str:
        """What it has printed so far."""
        return self._output.read_text()

    def says(self, words: str) -> None:
        """Returns as soon as it has printed these words."""
        until(lambda: words in self.said or self._process.poll() is not None, TIMEOUT)
        assert words in self.said, self.said

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def ends(self) -> int:
        """Waits for its end; the exit code, with a signal's number below zero."""
        return self._process.wait(TIMEOUT)

    def parts(self) -> list[Process]:
        """The processes that it has started."""
        return started_by(self._process.pid)

    def kill_part(self, name: str) -> None:
        """Kills the part that writes the log of this name: a site with its workers.

        What a worker did is done again at once.
        """
        _kill(self._writing(name))
        if name == "worker":
            with self.ladder() as session:
                end_leases(session)

    def stop_part(self, name: str) -> None:
        """Lets it stand still until it is killed."""
        for part in self._writing(name):
            os.kill(part.pid, signal.SIGSTOP)

    def _writing(self, name: str) -> list[Process]:
        log = self.data / "logs" / f"{name}.log"
        found = [part for part in self.parts() if part.prints_to(log)]
        assert found, f"no part writes {log}"
        return found

    def leaves_nothing(self, parts: Sequence[Process]) -> None:
        """Checks that it and its parts have ended, and that no socket is left."""
        until(lambda: not still_there(list(parts)), TIMEOUT)
        until(lambda: not list(self.temporary.iterdir()), TIMEOUT)

    def kill(self) -> None:
        """Ends it, whatever it does, and what it has started."""
        parts = self.parts()
        self._process.kill()
        self._process.wait()
        _kill(still_there(parts))


def _kill(parts: Iterable[Process]) -> None:
    for part in parts:
        with suppress(ProcessLookupError):  # it may just have ended by itself
            os.kill(part.pid, signal.SIGKILL)


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder with a name that is short enough for sockets in it."""
    with tempfile.TemporaryDirectory(prefix="santiago-test-", dir="/tmp") as folder:
        yield Path(folder)
