"""The parts of the service: processes that give signs of life, and end rather than stand still.

A part ends with a sentence if the database's tables are of another release than its own, or if one
of its duties does not come round any more. Whoever supervises it starts it again.
"""

import faulthandler
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from enum import StrEnum
from functools import partial, wraps
from threading import Event, Thread
from time import monotonic
from typing import Final, NoReturn

from sqlalchemy import bindparam, delete, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.errors import LadderError
from ladder.model import Upsert, now, own_words, write

_log = logging.getLogger(__name__)

BEAT: Final = 5.0
"""Seconds at most between two signs of life."""
MOMENT: Final = timedelta(seconds=2 * BEAT)
"""A part that gave no sign of life for longer is not there now."""
OTHER_RELEASE: Final = 78
"""The exit status of a part whose release is not the database's (EX_CONFIG of sysexits.h)."""
STALLED: Final = 75
"""The exit status of a part whose duties did not come round (EX_TEMPFAIL)."""

_FORGOTTEN: Final = timedelta(days=1)
_LAST_WORDS_TIMEOUT: Final = 5.0  # seconds
_LOOK_EVERY: Final = 1.0  # seconds
_PUT: Final = Upsert(model.PartRow, replace=("seen_at",))
_PRESENT: Final = (
    select(model.PartRow.name)
    .where(
        model.PartRow.role == bindparam("role"),
        model.PartRow.seen_at >= bindparam("since", type_=model.Timestamp),
    )
    .limit(1)
)


class Role(StrEnum):
    """Name the kinds of parts."""

    WORKER = "worker"
    SCHEDULER = "scheduler"
    SITE = "site"
    GATEWAY = "gateway"


class Part:
    """This process as a part; `name` tells it from all others that ever were."""

    def __init__(self, role: Role) -> None:
        self._role, self._host, self._pid = role, socket.gethostname(), os.getpid()
        # Not the process id alone: in a container every part may have the same.
        self.name = f"{self._host}:{self._pid}:{secrets.token_hex(2)}"
        self._began = False

    def beat(self, session: Session) -> None:
        """Give a sign of life; end the process if the tables are not its own release's.

        The caller commits, here and below.
        """
        if complaint := model.other_release(session):
            end(OTHER_RELEASE, f"the {self._role} ends: {complaint}")
        write(session)
        if not self._began:
            self._forget_predecessors(session)
            self._began = True
        row = {"name": self.name, "role": self._role, "host": self._host, "pid": self._pid}
        _PUT.put(session, row | {"revision": model.REVISION, "seen_at": now(session)})

    def sign_off(self, session: Session) -> None:
        """Note that the part ends."""
        write(session)
        session.execute(delete(model.PartRow).where(model.PartRow.name == self.name))

    def _forget_predecessors(self, session: Session) -> None:
        """Delete what is left of earlier processes with the id that this one has now."""
        same = (model.PartRow.host == self._host, model.PartRow.pid == self._pid)
        session.execute(delete(model.PartRow).where(*same))


def end(status: int, sentence: str) -> NoReturn:
    """End the process at once, whatever its threads do; the sentence goes to the log.

    If a thread that stands still holds the log, the process ends without a sentence.
    """
    _try_briefly(partial(_say, sentence))
    os._exit(status)


def _say(sentence: str) -> None:
    _log.critical("%s", sentence)
    logging.shutdown()


def _try_briefly(step: Callable[[], None]) -> None:
    """Take a step that may fail, or stand still as other threads do."""
    thread = Thread(target=step, daemon=True)
    thread.start()
    thread.join(_LAST_WORDS_TIMEOUT)


def _show_threads() -> None:
    """Print where each thread is; not to `sys.stderr`, for which Celery puts a logger."""
    with suppress(OSError, RuntimeError, ValueError):  # stderr may be gone
        faulthandler.dump_traceback(sys.__stderr__)  # type: ignore[arg-type]


def present(session: Session, role: Role) -> bool:
    """Return True if a part that plays a role, on any host, has just given a sign of life."""
    sought = {"role": role, "since": now(session) - MOMENT}
    return model.execute(session, _PRESENT, sought).first() is not None


def forget(session: Session) -> None:
    """Delete the rows of parts that have been gone for a day."""
    write(session)
    session.execute(delete(model.PartRow).where(model.PartRow.seen_at < now(session) - _FORGOTTEN))


def trouble(session: Session, role: Role) -> str:
    """Return what is wrong with the parts of this host that play a role; "" if nothing is.

    Each that runs must have given a sign of life within the last half minute.
    """
    rows = session.scalars(
        select(model.PartRow).where(
            model.PartRow.role == role, model.PartRow.host == socket.gethostname()
        )
    )
    running = [row for row in rows if _runs(row.pid)]
    at = now(session)
    for row in running:
        if at - row.seen_at > model.SILENT:
            age = (at - row.seen_at).total_seconds()
            return f"{row.name} gave its last sign of life {age:.0f} seconds ago."
    return "" if running else f"No {role} runs on this host."


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class SignsOfLife:
    """Gives a part's signs of life from a thread of its own, from its start until it is closed."""

    def __init__(self, part: Part, sessions: sessionmaker[Session]) -> None:
        self._part = part
        self._sessions = sessions
        self._last = monotonic()
        self._ended = Event()
        self._thread = Thread(target=self._run, name="signs of life", daemon=True)
        self._thread.start()

    @property
    def silent(self) -> bool:
        """True if there was no sign of life for so long that others take the part for dead."""
        return monotonic() - self._last > model.SILENT.total_seconds()

    def close(self) -> None:
        """Sign off."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._write(self._part.beat)
            if self._ended.wait(BEAT):
                break
        self._write(self._part.sign_off)

    def _write(self, change: Callable[[Session], None]) -> None:
        try:
            with self._sessions.begin() as session:
                change(session)
            self._last = monotonic()
        except (SQLAlchemyError, LadderError) as error:
            _log.warning("no sign of life: %s", own_words(error))


class Watchdog:
    """Ends the process if a duty that came round before does not for `timeout` seconds.

    Only time that the process lives through counts: while it is stopped, or the machine sleeps,
    the watchdog does not look.
    """

    def __init__(
        self,
        timeout: float,
        *,
        clock: Callable[[], float] = monotonic,
        end: Callable[[int, str], object] = end,
    ) -> None:
        self.timeout = timeout
        self._clock = clock
        self._end = end
        self._lived = 0.0
        self._looked = clock()
        self._came: dict[str, float] = {}

    def start(self) -> None:
        """Look from now on, until the process ends."""
        Thread(target=self._run, name="watchdog", daemon=True).start()

    def came_round(self, duty: str) -> None:
        """Note that a duty was done, or has failed: what stands still does neither."""
        self._came[duty] = self._lived

    def watched(self, duty: Callable[[], None]) -> Callable[[], None]:
        """Return the duty, which is noted now and whenever it is over."""
        self.came_round(duty.__name__)

        @wraps(duty)
        def watched() -> None:
            try:
                duty()
            finally:
                self.came_round(duty.__name__)

        return watched

    def late(self, seconds: float) -> str:
        """Return a duty that has not come round for so many seconds (a few at least), or ""."""
        since = self._lived - max(seconds, 3 * _LOOK_EVERY)
        return next((duty for duty, came in list(self._came.items()) if came < since), "")

    def look(self) -> None:
        """Count the time since the last look, and end the process if a duty is too late."""
        looked, self._looked = self._looked, self._clock()
        self._lived += min(self._looked - looked, 2 * _LOOK_EVERY)
        if duty := self.late(self.timeout):
            _try_briefly(_show_threads)
            self._end(STALLED, f"{duty} did not come round for {self.timeout:g} seconds: the end")

    def _run(self) -> None:
        pause = Event()
        while True:
            pause.wait(_LOOK_EVERY)
            self.look()
