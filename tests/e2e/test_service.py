"""The service as an operator runs it: its parts one by one, real bots, on PostgreSQL.

The tests of `santiago up` and `demo` run the same parts on SQLite.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import versions
from ladder.contests.cross_table import cross_table
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.matches import reading
from ladder.model import Match
from referee import replay
from tests.e2e.bots import sample_bot
from tests.e2e.gates import PATIENT
from tests.e2e.processes import until
from tests.e2e.santiago import QUICK, TIMEOUT
from tests.forking import Forked
from tests.ladder.conftest import create_postgres
from tests.ladder.ledgers import check_ledger

SAMPLES = {"greedy": "sample_bots.greedy:GreedyBot", "random": "sample_bots.random_bot:RandomBot"}

Start = Callable[[str], Forked]


@pytest.fixture
def environment(postgres_url: str, redis_url: str) -> dict[str, str]:
    """The settings of a service with an empty queue and no tables yet."""
    with Redis.from_url(redis_url) as redis:
        redis.flushall()
    url = create_postgres(postgres_url, template="template1")
    return os.environ | QUICK | {"DATABASE_URL": url, "REDIS_URL": redis_url}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Starts a part by the command's words."""
    with ExitStack() as stack:

        def start_(words: str) -> Forked:
            made = Forked("ladder.cli.main", *words.split(), env=environment)
            return stack.enter_context(made)

        yield start_


@pytest.fixture
def engine(environment: dict[str, str], start: Start) -> Iterator[Engine]:
    assert start("db upgrade").wait(TIMEOUT) == 0
    made = model.engine(environment["DATABASE_URL"])
    yield made
    made.dispose()


@pytest.fixture
def addresses(folder: Path) -> Iterator[dict[str, str]]:
    """Where the sample bots answer, which run."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(sample_bot(folder, target))
            for name, target in SAMPLES.items()
        }


def start_swiss(engine: Engine, addresses: dict[str, str]) -> int:
    """Two rounds at tables of two of a bot for each address, which has its name."""
    with model.session_factory(engine).begin() as session:
        ids = [
            versions.register(session, name=name, author="us", address=address, version="1").id
            for name, address in addresses.items()
        ]
        made = creating.create(
            session,
            None,
            name="Copa",
            format="swiss",
            seats=2,
            bot_ids=ids,
            deals=1,
            rounds=2,
            clock=PATIENT,
        )
        lifecycle.start(session, made.id)
        return made.id


def test_a_swiss_tournament_is_played_round_after_round(
    engine: Engine, addresses: dict[str, str], start: Start
) -> None:
    five = {f"{name} {number}": at for name, at in addresses.items() for number in (1, 2)}
    five["random 3"] = addresses["random"]
    cup = start_swiss(engine, five)

    def over() -> bool:
        with Session(engine) as session:
            return lookup.tournament(session, cup).state == "finished"

    parts = [start("scheduler"), start("worker")]
    until(over, TIMEOUT)
    for part in parts:
        part.terminate()
        assert part.wait(TIMEOUT) == 0
    with Session(engine) as session:
        ended = lookup.tournament(session, cup)
        assert (ended.round, ended.finished, ended.total) == (2, 8, 8)
        rounds = [lookup.round_of(session, cup, number) for number in (1, 2)]
        assert len({one.sitting_out for one in rounds}) == 2
        assert sum(row.games for row in cross_table(session, cup).rows) == 16
        check_ledger(session)
        check_replays(session)


def check_replays(session: Session) -> None:
    """Every match has one, of the attempt that counts, and its ranks are the ladder's."""
    for match in session.scalars(select(Match)).all():
        record = replay.read(reading.replay(session, match.id))
        replay.verify(record)
        assert (record.match_id, record.attempt) == (str(match.id), match.attempt)
        assert list(record.result.ranks) == [seat.rank for seat in match.table]
