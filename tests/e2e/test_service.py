"""The service as an operator runs it: its parts one by one, real bots, on both databases."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from ladder import bots, database, matches, tournaments
from ladder.database.models import Match
from referee import replay
from referee.clock import Clock
from referee.processes import BotProcess
from tests.e2e.processes import until
from tests.e2e.santiago import PATIENCE, QUICK
from tests.ladder.conftest import create_postgres
from tests.ladder.ledgers import check_ledger

SAMPLES = {"greedy": "sample_bots.greedy:GreedyBot", "random": "sample_bots.random_bot:RandomBot"}
DEALS = 6

Part = subprocess.Popen[bytes]
Start = Callable[[str], Part]


@pytest.fixture(params=["sqlite", "postgresql"])
def environment(request: pytest.FixtureRequest, folder: Path, redis_url: str) -> dict[str, str]:
    """The settings of a service with an empty queue and no tables yet."""
    with Redis.from_url(redis_url) as redis:
        redis.flushall()
    url = f"sqlite:///{folder}/ladder.db"
    if request.param == "postgresql":
        url = create_postgres(request.getfixturevalue("postgres_url"), template="template1")
    return os.environ | QUICK | {"DATABASE_URL": url, "REDIS_URL": redis_url}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts a part by the command's words."""
    with ExitStack() as stack:

        def start_(words: str) -> Part:
            command = [sys.executable, "-m", "ladder.command.main", *words.split()]
            part = subprocess.Popen(command, env=environment)
            stack.callback(part.wait)
            stack.callback(part.kill)
            return part

        yield start_


@pytest.fixture
def engine(environment: dict[str, str], start: Start) -> Iterator[Engine]:
    assert start("db upgrade").wait(PATIENCE) == 0
    made = database.engine(environment["DATABASE_URL"])
    yield made
    made.dispose()


@pytest.fixture
def tournament_id(engine: Engine, folder: Path) -> Iterator[int]:
    """A tournament of the sample bots, which run."""
    with ExitStack() as stack, database.session_factory(engine)() as session:
        ids = []
        for name, target in SAMPLES.items():
            command = [sys.executable, "-m", "referee.serving", target]
            running = stack.enter_context(BotProcess(command, f"unix:{folder}/{name}"))
            address = running.address
            bot = bots.register(session, name=name, author="us", address=address, version="1")
            ids.append(bot.id)
            session.commit()
        made = tournaments.create(
            session, None, name="Copa", seats=2, bot_ids=ids, deals=DEALS, clock=Clock()
        )
        tournaments.start(session, made.id)
        session.commit()
        yield made.id


def test_a_worker_that_is_killed_costs_no_match_and_counts_none_twice(
    engine: Engine, tournament_id: int, start: Start
) -> None:
    def finished() -> int:
        with Session(engine) as session:
            return tournaments.progress(session, tournament_id).finished

    scheduler, worker = start("scheduler"), start("worker")
    until(lambda: finished() >= 3)
    worker.send_signal(signal.SIGKILL)
    worker.wait(PATIENCE)
    assert finished() < 2 * DEALS
    successor = start("worker")
    until(lambda: finished() == 2 * DEALS)
    for part in (successor, scheduler):
        part.terminate()
        assert part.wait(PATIENCE) == 0
    with Session(engine) as session:
        assert session.scalar(select(func.sum(Match.interruptions)))  # it was in the middle of some
        check_ledger(session)
        check_replays(session)


def check_replays(session: Session) -> None:
    """Every match has one, of the attempt that counts, and its ranks are the ladder's."""
    for match in session.scalars(select(Match)).all():
        record = replay.read(matches.replay(session, match.id))
        replay.verify(record)
        assert (record.match_id, record.attempt) == (str(match.id), match.attempt)
        assert list(record.result.ranks) == [seat.rank for seat in match.table]
