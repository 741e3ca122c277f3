"""A worker or a scheduler as a process of its own: python -m tests.ladder.process ROLE [SECONDS].

With SECONDS the worker plays no real matches: each takes that long, and seat 0 wins; but only as
many as QUICK_MATCHES says, where that is set: the others take for ever. The main thread stands
still after SIGALRM, or in the function that STANDS_STILL_IN names. With SIGNALS_AGAIN each signal
comes again while it is heard.
"""

import asyncio
import logging
import os
import pydoc
import signal
import sys
import time
from threading import Semaphore

from ladder import config
from ladder.config import Settings
from ladder.live.game import Watch
from ladder.matches.job import MatchClaim
from ladder.matches.results import Result, SeatResult
from ladder.scheduler import run_scheduler
from ladder.worker import Skills, run_worker
from tests.nervous import come_again

FOR_EVER = 3600.0  # seconds


def stand_still(*_: object) -> None:
    time.sleep(FOR_EVER)


def main(role: str, seconds: str | None = None) -> int:
    logging.basicConfig(level=logging.INFO)
    signal.signal(signal.SIGALRM, stand_still)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run by nohup
    if "SIGNALS_AGAIN" in os.environ:
        come_again()
    if place := os.environ.get("STANDS_STILL_IN"):
        owner, _, name = place.rpartition(".")
        setattr(pydoc.locate(owner), name, stand_still)
    if least := os.environ.get("LEAST_STANDSTILL"):
        config._LEAST_STANDSTILL = float(least)  # type: ignore[misc]
    settings = Settings.from_environment()
    if role == "scheduler":
        run_scheduler(settings)
        return 0
    if seconds is None:
        return run_worker(settings)

    quick = Semaphore(int(os.environ.get("QUICK_MATCHES", sys.maxsize)))

    async def play(claim: MatchClaim, watch: Watch) -> Result:
        await asyncio.sleep(float(seconds) if quick.acquire(blocking=False) else FOR_EVER)
        watch({"type": "move"})
        seats = tuple(SeatResult(seat + 1, 30) for seat in range(len(claim.players)))
        return Result(seats, "ships", b"replay")

    return run_worker(settings, Skills(play))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
