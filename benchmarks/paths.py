"""How many of our files an everyday path passes: `python -m benchmarks paths`.

Counted by sys.setprofile are the files of the product of which a function is called on the way.
A decision is counted from the bot's answer to the next request, in all decisions of one game; a
result from the message that a worker takes to its committed row, with the live events and the
replay that go with it, but without what the referee does while it plays. A submission is counted
from the form that the site receives until the version is active: with the messages that the
scheduler sends, and the attempts of a worker at its check and its trial, but without what the suite
and the referee do with the bot.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from html import unescape
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final
from unittest import mock

from celery import Celery
from cryptography.fernet import Fernet
from redis import Redis
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

import ladder
from ladder import model
from ladder.bots import versions
from ladder.bots.hosts import Hosts
from ladder.bots.reports import CheckClaim, Report, report
from ladder.bots.versions import CHECK
from ladder.config import SECRET_KEY, Settings
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs.celery import WORK, celery_app
from ladder.jobs.process import add_task
from ladder.jobs.runner import Runner
from ladder.jobs.stage import Stage
from ladder.live.game import Reporter, Watch
from ladder.live.stream import Publisher
from ladder.matches import reading
from ladder.matches.job import MatchClaim
from ladder.matches.results import Result, SeatResult
from ladder.matches.states import JOB
from ladder.parts import Part, Role
from ladder.people import signing
from ladder.scheduler import Duties
from ladder.worker import Skills
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.conformance.check import CheckResult, CheckState
from referee.game import Game
from referee.match import Match, Seat, play_table
from referee.rules import Layout, Move
from referee.seats.line import Line
from referee.seats.remote import RemoteSeat
from referee.serving import start_server
from referee.wire.replay_pb2 import Replay
from tests.referee.games import play
from web import create_app

_PASSWORD: Final = "seven ships sail"
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
        elif event == "call" and code is Line.send.__code__:
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
    paths = {"a decision": decision, "a result": result, "a submission": submission}
    for what, count in paths.items():
        files = count()
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
    """The files that a result passes, in all threads of a worker.

    The count begins at the Celery task, as the worker takes a message, and holds while the referee
    reports an event, but not while it plays. Redis is left out: live events end at its client.
    """
    passed = Passed()

    async def played(match: Match, seats: Sequence[RemoteSeat], report: Reporter) -> Replay:
        def heard(game: Game) -> None:
            passed.listens = True
            report(game)
            passed.listens = False

        passed.listens = False
        try:
            return await play_table(match, seats, heard)
        finally:
            passed.listens = True

    with tempfile.TemporaryDirectory(prefix="santiago-") as folder, ExitStack() as stack:
        server = start_server(_AnyMove, f"unix:{folder}/bot")
        stack.callback(lambda: server.stop(None).wait())
        settings = Settings(f"sqlite:///{folder}/ladder.db", "redis://nowhere")
        model.upgrade(settings.database_url)
        sessions = model.session_factory(model.engine(settings.database_url))
        with sessions.begin() as session:
            match_id = _match(session, f"unix:{folder}/bot")
        threading.setprofile(passed)
        stack.callback(threading.setprofile, None)
        stack.enter_context(mock.patch("ladder.playing.play_table", played))
        live = Publisher(mock.create_autospec(Redis, instance=True))
        stage = stack.enter_context(closing(Stage(settings.renew)))
        skills = Skills().handlers(live, sessions, Hosts(sessions, ()))
        runner = Runner(settings, sessions, stage, skills, "worker")
        app = celery_app(settings)
        add_task(app, runner)
        sys.setprofile(passed)
        passed.listens = True
        app.tasks[WORK](JOB, match_id)
        live.close()
        passed.listens = False
        sys.setprofile(None)
        with sessions() as session:
            assert reading.match(session, match_id).has_replay
    return passed.files


def submission() -> set[str]:
    """The files that a submission passes in the site, the scheduler and a worker."""
    passed = Passed()

    async def examined(check: CheckClaim) -> Report:
        return report([CheckResult(check.version, "It plays.", CheckState.PASSED)])

    async def played(claim: MatchClaim, watch: Watch) -> Result:  # noqa: ARG001
        return Result(tuple(SeatResult(1, 30) for _ in claim.players), "ships", b"replay")

    with tempfile.TemporaryDirectory(prefix="santiago-") as folder, ExitStack() as stack:
        settings = Settings(f"sqlite:///{folder}/ladder.db", "unix:///nowhere")
        model.upgrade(settings.database_url)
        sessions = model.session_factory(model.engine(settings.database_url))
        with sessions.begin() as session:
            _house_bots(session, f"unix:{folder}/bot")
        submit = _form(settings, sessions)
        redis = mock.create_autospec(Redis, instance=True)
        redis.llen.return_value = 0
        app = celery_app(settings)
        duties = Duties(settings, sessions, redis, Celery(broker="memory://"), Part(Role.SCHEDULER))
        live = stack.enter_context(closing(Publisher(redis)))
        threading.setprofile(passed)
        stack.callback(threading.setprofile, None)
        stage = stack.enter_context(closing(Stage(settings.renew)))
        skills = Skills(played, examined).handlers(live, sessions, Hosts(sessions, ()))
        add_task(app, Runner(settings, sessions, stage, skills, "worker"))
        sys.setprofile(passed)
        passed.listens = True
        submit()
        duties.dispatch()
        app.tasks[WORK](CHECK, _newest(sessions, model.Version))
        duties.dispatch()
        app.tasks[WORK](JOB, _newest(sessions, model.Match))
        duties.dispatch()
        passed.listens = False
        sys.setprofile(None)
        with sessions() as session:
            assert session.get_one(model.Version, _newest(sessions, model.Version)).active
    return passed.files


def _form(settings: Settings, sessions: sessionmaker[Session]) -> Callable[[], object]:
    """Return what an author's browser does with the form that it shows."""
    with sessions() as session:
        signing.sign_up(session, name="ana", password=_PASSWORD)
        ticket = signing.sign_in(session, name="ana", password=_PASSWORD).secret
        session.commit()
    os.environ[SECRET_KEY] = Fernet.generate_key().decode()  # seals the bot's secret
    browser = create_app(settings).test_client()
    browser.set_cookie("santiago", ticket)
    shown = re.search(r'name="csrf_token" value="([^"]+)"', browser.get("/bots/submit").text)
    assert shown is not None
    form = {"csrf_token": unescape(shown[1]), "name": "zorro", "version": "1", "slots": "2"}
    there = {"way": "address", "address": "bot.example:443", "secret": "0123456789abcdef"}
    return lambda: browser.post("/bots/submit", data=form | there)


def _newest(sessions: sessionmaker[Session], table: type[model.Version | model.Match]) -> int:
    with sessions() as session:
        return session.scalars(select(table.id).order_by(table.id.desc())).first() or 0


class _Nowhere:
    """A live stream that nobody reads."""

    def put(self, *_: object) -> None:
        """Forget the event."""


def _match(session: Session, address: str) -> int:
    """A match of a tournament that runs, between bots of the operator at this address."""
    ids = _house_bots(session, address)
    made = creating.create(session, None, name="Copa", seats=3, bot_ids=ids, deals=1, clock=Clock())
    lifecycle.start(session, made.id)
    return session.scalars(select(model.Match.id).order_by(model.Match.id)).first() or 0


def _house_bots(session: Session, address: str) -> list[int]:
    """Bots of the operator at this address."""
    ids = [
        versions.register(session, name=f"bot {n}", author="us", address=address, version="1").id
        for n in range(3)
    ]
    session.execute(update(model.Bot).values(house=True))
    return ids
