"""Clients of a Redis whose connections are swallowed; `test_silence` has those of Celery."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from redis import TimeoutError as Silence

from ladder.broker import open_redis
from tests.swallowing import Proxy, redis_behind

HURRY = 0.1  # seconds
PATIENCE = 300.0  # for a new connection, on a busy machine


@pytest.fixture
def proxy(redis_url: str) -> Iterator[Proxy]:
    with Proxy(redis_url.removeprefix("unix://")) as proxy:
        yield proxy


def test_a_client_tries_once_more_on_a_new_connection(proxy: Proxy) -> None:
    with closing(open_redis(redis_behind(proxy), 2.0)) as redis:
        redis.ping()
        proxy.swallow()
        redis.connection_pool.connection_kwargs["socket_timeout"] = PATIENCE
        assert redis.ping()


def test_a_redis_that_stays_silent_is_not_waited_for(proxy: Proxy) -> None:
    with closing(open_redis(redis_behind(proxy), HURRY)) as redis:
        proxy.swallow(new_ones=True)
        with pytest.raises(Silence):
            redis.ping()


def test_a_socket_of_a_file_is_opened_as_well(redis_url: str) -> None:
    with closing(open_redis(redis_url)) as redis:
        assert redis.ping()
