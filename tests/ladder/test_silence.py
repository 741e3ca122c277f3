"""Workers and schedulers whose connections are swallowed: nobody is told, and play goes on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.tournaments import lookup
from tests.e2e.processes import until
from tests.ladder.databases import on_postgresql
from tests.ladder.league import start_tournament
from tests.ladder.service import RedisServer, Start
from tests.swallowing import Proxy, postgresql_behind, redis_behind, socket_of

BRIEF = {"SANTIAGO_LEASE": "4"}


@dataclass
class Way:
    """What stands between the parts and their servers."""

    to_database: Proxy
    to_redis: Proxy


@pytest.fixture
def way(database_url: str, redis_of_its_own: RedisServer) -> Iterator[Way]:
    with (
        Proxy(socket_of(database_url)) as to_database,
        Proxy(redis_of_its_own.url.removeprefix("unix://")) as to_redis,
    ):
        yield Way(to_database, to_redis)


def finished(sessions: sessionmaker[Session]) -> int:
    with sessions() as session:
        return lookup.progress(session, 1).finished


def has_played_on(sessions: sessionmaker[Session], matches: int) -> Callable[[], bool]:
    return lambda: finished(sessions) >= matches


@on_postgresql
def test_whatever_is_swallowed_play_goes_on(
    start: Start, sessions: sessionmaker[Session], database_url: str, way: Way
) -> None:
    with sessions() as session:
        start_tournament(session, count=3, deals=80)
    address = {
        "DATABASE_URL": postgresql_behind(way.to_database, database_url),
        "REDIS_URL": redis_behind(way.to_redis),
    }
    parts = [start(*words, **BRIEF, **address) for words in (("scheduler",), ("worker", "0.3"))]
    until(lambda: finished(sessions) >= 4)
    for proxy in (way.to_redis, way.to_database):
        proxy.swallow()
        until(has_played_on(sessions, finished(sessions) + 9))  # more than was in hand
    assert [part.poll() for part in parts] == [None, None]
