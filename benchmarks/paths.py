"""How many of our files an everyday path passes: `python -m benchmarks paths`.

Counted by sys.setprofile are the files of the product of which a function is called on the way.
A decision is counted from the bot's answer to the next request, in all decisions of one game; a
result from the message that a worker takes to its committed row, without what the referee does.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final, cast

from sqlalchemy import select
from sqlalchemy.orm import Session

import ladder
from ladder import model
from ladder.bots import versions
from ladder.config import Settings
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs.runner import Handler, Runner
from ladder.jobs.stage import Stage
from ladder.live.stream import Publisher
from ladder.matches.job import MATCHES, Claim
from ladder.matches.results import Result, SeatResult
from ladder.matches.states import JOB
from ladder.worker.playing import Playing, Reporter, Watch
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.match import Match, Seat, play
from referee.rules import Layout, Move
from referee.seats.line import NearLine
from referee.seats.remote import RemoteSeat
from referee.serving import start_server

_ROOT: Final = Path(ladder.__file__).parents[1]
_OURS: Final = tuple(f"{_ROOT}/{name}/" for name in ("ladder", "referee", "web"))


class Passed:
    """The files of the product in which functions are called while `listens` is set."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.listens = False

    def __call__(self, frame: FrameType, _event: str, _arg: Any) -> None:
        if self.listens and frame.f_code.co_filename.startswith(_OURS):
            self.files.add(str(Path(frame.f_code.co_filename).relative_to(_ROOT)))


class _Decisions(Passed):
    """Listens from each answer that a seat has read until it is asked for its next decision."""

    def __init__(self) -> None:
        super().__init__()
        self.decided: set[str] = set()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if event == "return" and code is RemoteSeat._ask.__code__ and isinstance(arg, bytes):
            self.files, self.listens = set(), True
        elif event == "call" and code is NearLine.send.__code__:
            self.decided |= self.files
            self.listens = False
        else:
            super().__call__(frame, event, arg)


class _AnyMove(Bot):
    """Chooses by chance, but the same in every run."""

    def __init__(self) -> None:
        self._random = Random(1)

    def choose(self, decision: Decision) -> Move:
        return self._random.choice(decision.moves)


def main() -> None:
    """Prints the number of files of each path, and their names."""
    for what, files in (("a decision", decision()), ("a result", result())):
        print(f"{what} passes {len(files)} files")
        for file in sorted(files):
            print(f"    {file}")


def decision() -> set[str]:
    """The files that the decisions of a whole game pass on the referee's side, all together.

    The count begins each time a bot's answer has been read off its line, and ends when the next
    request is handed to a line. So the lines themselves (`referee.seats.line`, `referee.http2`)
    are left out, as are the calls before the first decision and the farewell after the last one.
    """
    passed = _Decisions()
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        address = f"unix:{folder}/bot"
        server = start_server(_AnyMove, address)
        match = Match(
            id="1",
            attempt=1,
            layout=Layout.shuffled(Random(1)),
            dice_seed=bytes(32),
            clock=Clock(),
            seats=tuple(Seat(address, f"bot {n}", "1", "us") for n in range(3)),
        )
        sys.setprofile(passed)
        try:
            asyncio.run(play(match, Reporter(_Nowhere().put)))
        finally:
            sys.setprofile(None)
            server.stop(None).wait()
    return passed.decided


def result() -> set[str]:
    """The files that a result passes, in the worker's thread and on its loop."""
    passed = Passed()

    async def played(claim: Claim, watch: Watch) -> Result:
        passed.listens = False
        watch({"type": "move"})
        seats = tuple(SeatResult(seat + 1, 30) for seat in range(len(claim.players)))
        passed.listens = True
        return Result(seats, "ships", b"replay")

    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        url = f"sqlite:///{folder}/ladder.db"
        model.upgrade(url)
        sessions = model.session_factory(model.engine(url))
        with sessions.begin() as session:
            match_id = _match(session)
        handler = Handler(MATCHES, Playing(cast(Publisher, _Nowhere()), played))
        threading.setprofile(passed)
        with closing(Stage(5.0)) as stage:
            runner = Runner(Settings(url, "unused"), sessions, stage, [handler], "worker")
            sys.setprofile(passed)
            passed.listens = True
            runner.work(JOB, match_id)
            passed.listens = False
            sys.setprofile(None)
        threading.setprofile(None)
    return passed.files


class _Nowhere:
    """A live stream that nobody reads."""

    def put(self, *_: object) -> None:
        """Forget the event."""


def _match(session: Session) -> int:
    """A match of a tournament that runs."""
    ids = [
        versions.register(
            session, name=f"bot {n}", author="us", address=f"bot{n}:1", version="1"
        ).id
        for n in range(3)
    ]
    made = creating.create(session, None, name="Copa", seats=3, bot_ids=ids, deals=1, clock=Clock())
    lifecycle.start(session, made.id)
    return session.scalars(select(model.Match.id).order_by(model.Match.id)).first() or 0
