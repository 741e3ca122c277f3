"""A worker that may kill itself: python -m tests.chaos.worker FILE [POINT PASSES].

At the so manieth time that it comes by the point it writes the point's name into the file and ends
by SIGKILL. Nothing in the ladder knows of these points: they are where a trade of the worker and
the events of SQLAlchemy lead by.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock, local
from typing import Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import Session

from ladder.config import Settings
from ladder.live.game import Watch
from ladder.matches.job import MatchClaim
from ladder.matches.results import Result
from ladder.playing import referee
from ladder.worker import Skills, run_worker
from tests.ladder.league import NO_HOSTS

AFTER_CLAIM: Final = "after claim"
AFTER_LAST_MOVE: Final = "after last move"
BEFORE_COMMIT: Final = "before commit"
AFTER_COMMIT: Final = "after commit before acknowledgement"
POINTS: Final = (AFTER_CLAIM, AFTER_LAST_MOVE, BEFORE_COMMIT, AFTER_COMMIT)

Pass = Callable[[str], None]
"""Called with the name of a point that a match has come to."""


class Mine:
    """Goes off when its point has been passed so often."""

    def __init__(self, file: Path, point: str, passes: int) -> None:
        self._file = file
        self._point = point
        self._left = passes
        self._lock = Lock()

    def __call__(self, point: str) -> None:
        if point != self._point:
            return
        with self._lock:
            self._left -= 1
            if self._left == 0:
                with self._file.open("a") as file:
                    file.write(f"{point}\n")
                os.kill(os.getpid(), signal.SIGKILL)


def watch_commits(passed: Pass) -> None:
    """Tell of the commits of all transactions that write a replay, which are those of a result."""
    here = local()  # a transaction stays in its thread

    def executed(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO replays"):
            here.writes_result = True

    def committing(_: Connection) -> None:
        if getattr(here, "writes_result", False):
            passed(BEFORE_COMMIT)

    def committed(_: Session) -> None:
        if getattr(here, "writes_result", False):
            passed(AFTER_COMMIT)
        here.writes_result = False

    event.listen(Engine, "after_cursor_execute", executed)
    event.listen(Engine, "commit", committing)
    event.listen(Session, "after_commit", committed)


def main(file: str, point: str = "", passes: str = "0") -> int:
    logging.basicConfig(level=logging.INFO)
    passed = Mine(Path(file), point, int(passes))
    watch_commits(passed)

    async def play(claim: MatchClaim, watch: Watch) -> Result:
        passed(AFTER_CLAIM)
        result = await referee(claim, watch, hosts=NO_HOSTS)
        passed(AFTER_LAST_MOVE)
        return result

    return run_worker(Settings.from_environment(), Skills(play))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
