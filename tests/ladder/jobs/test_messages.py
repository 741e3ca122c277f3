import logging
from collections.abc import Iterator

import pytest
from kombu import Connection
from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel
from redis import Redis

from ladder.config import Settings
from ladder.jobs import process
from ladder.jobs.celery import celery_app, redis_list, send
from tests.ladder.service import RedisServer


@pytest.fixture
def connection(
    redis_of_its_own: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Connection]:
    """A connection on which one message waits."""
    monkeypatch.setattr(Channel, "QoS", process.InHand)
    app = celery_app(Settings("sqlite://", redis_of_its_own.url), ["match"])
    send(app, "match", "match", [7])
    with app.connection_for_read() as made:
        yield made


def test_a_message_that_a_worker_has_is_in_its_memory_alone(
    connection: Connection, redis_of_its_own: RedisServer
) -> None:
    with Redis.from_url(redis_of_its_own.url) as redis:
        queue = connection.SimpleQueue(redis_list("match"))
        message = queue.get(timeout=300)
        assert (redis.llen(redis_list("match")), redis.keys("unacked*")) == (0, [])
        message.requeue()
        assert redis.llen(redis_list("match")) == 1
        again = queue.get(timeout=300)
        again.ack()
        assert (redis.llen(redis_list("match")), redis.keys("unacked*")) == (0, [])
        assert again.payload == message.payload


def test_a_message_outlives_its_channel(connection: Connection) -> None:
    queue = connection.SimpleQueue(redis_list("match"))
    message = queue.get(timeout=300)
    assert message.channel is not None
    message.channel.close()
    message.requeue()


def test_all_messages_of_a_moment_are_sent_by_one_client(
    redis_of_its_own: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[Channel]()
    make = Channel._create_client  # type: ignore[attr-defined]

    def making(channel: Channel, **options: bool) -> object:
        made.append(channel)
        return make(channel, **options)

    app = celery_app(Settings("sqlite://", redis_of_its_own.url), ["match"])
    send(app, "match", "match", [1])
    monkeypatch.setattr(Channel, "_create_client", making)
    send(app, "match", "match", [2, 3, 4])
    with Redis.from_url(redis_of_its_own.url) as redis:
        assert (len(made), redis.llen(redis_list("match"))) == (1, 4)


def test_redis_says_why_it_takes_no_messages(redis_of_its_own: RedisServer) -> None:
    app = celery_app(Settings("sqlite://", redis_of_its_own.url), ["match"])
    with Redis.from_url(redis_of_its_own.url) as redis:
        redis.config_set("min-replicas-to-write", 1)
        with pytest.raises(OperationalError, match="NOREPLICAS"):
            send(app, "match", "match", [1, 2])
        redis.config_set("min-replicas-to-write", 0)
        send(app, "match", "match", [1, 2])
        assert redis.llen(redis_list("match")) == 2
    redis_of_its_own.stop()
    with pytest.raises(OperationalError):
        send(app, "match", "match", [1])


def test_a_worker_waits_until_redis_writes_again_and_says_so_once(
    redis_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As with a full disk or memory; here it lacks a replica."""
    ticks: list[int] = []
    monkeypatch.setattr(process, "sleep", lambda _: None)
    with Redis.from_url(redis_url) as redis, caplog.at_level(logging.INFO):

        def tick() -> None:
            ticks.append(len(ticks))
            redis.config_set("min-replicas-to-write", int(len(ticks) < 3))

        process._wait_for_writes(redis_url, tick)
        assert (ticks, caplog.messages) == ([], [])
        try:
            redis.config_set("min-replicas-to-write", 1)
            process._wait_for_writes(redis_url, tick)
        finally:
            redis.config_set("min-replicas-to-write", 0)
    assert ticks == [0, 1, 2]
    refused, again = caplog.messages
    assert refused.startswith("Redis refuses to write, so no job begins until it does: ")
    assert again == "Redis writes again"
