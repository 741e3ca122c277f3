from collections.abc import Iterator
from threading import Thread
from time import monotonic
from uuid import uuid4

import pytest
from redis import Redis

from ladder.live import stream
from ladder.live.stream import (
    LENGTH,
    LiveEvent,
    Publisher,
    SeatNote,
    newest,
    newest_notes,
    publish,
    read,
)

Match = int


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def match() -> Match:
    """The id of a match that no other test speaks of."""
    return uuid4().int % 2**31


def event(match: Match, attempt: int, sequence: int) -> LiveEvent:
    return LiveEvent(match, attempt, sequence, {"type": "move", "move": f"drive {sequence}"})


def test_who_comes_late_reads_from_the_start(redis: Redis, match: Match) -> None:
    events = [event(match, 1, sequence) for sequence in (1, 2, 3)]
    publish(redis, events)
    assert read(redis, match) == events


def test_reading_goes_on_from_a_position(redis: Redis, match: Match) -> None:
    events = [event(match, 1, sequence) for sequence in (1, 2, 3)]
    publish(redis, events)
    assert read(redis, match, events[0].position) == events[1:]
    assert read(redis, match, events[2].position) == []


def test_a_reader_may_wait_for_the_next_event(redis: Redis, match: Match) -> None:
    found: list[LiveEvent] = []
    reader = Thread(target=lambda: found.extend(read(redis, match, wait=60)))
    reader.start()
    publish(redis, [event(match, 1, 1)])
    reader.join(60)
    assert found == [event(match, 1, 1)]


def test_a_zombie_is_not_heard_once_a_new_attempt_has_spoken(redis: Redis, match: Match) -> None:
    publish(redis, [event(match, 1, 1), event(match, 2, 1), event(match, 1, 2)])
    publish(redis, [event(match, 1, 3), event(match, 2, 2)])
    assert read(redis, match) == [event(match, 1, 1), event(match, 2, 1), event(match, 2, 2)]


def test_a_restored_database_counts_matches_and_attempts_anew(redis: Redis, match: Match) -> None:
    """What the stream has from before is of another match, with other seats."""
    publish(redis, [noted(match, 1, seat + 1, seat, "mine") for seat in range(4)])
    publish(redis, [event(match, 2, 1)])
    new = [event(match, 1, sequence)._replace(began=7.5) for sequence in (1, 2)]
    for one in new:
        publish(redis, [one])
    assert read(redis, match) == new
    assert newest_notes(redis, match, 1, 7.5, range(4), limit=9) == []


def test_notes_from_before_a_restore_are_not_read(redis: Redis, match: Match) -> None:
    """Nor before the first entry of the new attempt has removed them."""
    publish(redis, [noted(match, 1, 1, 0, "mine")])
    assert newest_notes(redis, match, 1, 7.5, [0], limit=9) == []
    new = [noted(match, 1, sequence, 0, "new")._replace(began=7.5) for sequence in (1, 2)]
    for one in new:
        publish(redis, [one])
    read_now = newest_notes(redis, match, 1, 7.5, [0], limit=9)
    assert [note.sequence for note in read_now] == [2, 1]


def test_no_event_comes_twice(redis: Redis, match: Match) -> None:
    publish(redis, [event(match, 1, 1), event(match, 1, 1)])
    assert read(redis, match) == [event(match, 1, 1)]


def test_events_that_follow_one_another_are_one_entry_with_the_last_position(
    redis: Redis, match: Match
) -> None:
    events = [event(match, 1, sequence)._replace(cells=[sequence]) for sequence in (1, 2, 3, 5)]
    publish(redis, events)
    told = read(redis, match)
    assert [one.cells for one in told] == [None, None, [3], [5]]
    assert [one.frame for one in told] == [one.frame for one in events]
    assert redis.xlen(f"santiago:live:{match}") == 2
    assert newest(redis, [match]) == events[3:]


def test_a_stream_is_short_and_goes_away_by_itself(redis: Redis, match: Match) -> None:
    apart = (event(match, 1, 2 * number) for number in range(1, LENGTH + 1_000))
    publish(redis, apart)
    assert LENGTH <= len(read(redis, match)) < LENGTH + 200  # Redis trims by whole blocks
    assert 0 < redis.ttl(f"santiago:live:{match}") <= 3600


def test_the_publisher_keeps_the_order_and_publishes_all_before_it_closes(
    redis: Redis, match: Match
) -> None:
    publisher = Publisher(redis)
    events = [event(match, 1, sequence) for sequence in range(1, 501)]
    for one in events:
        publisher.put(one)
    publisher.close()
    assert read(redis, match) == events


def test_nothing_is_published_too_late(redis: Redis, match: Match) -> None:
    publisher = Publisher(redis)
    publisher.put(event(match, 1, 1), until=monotonic() + 600)
    publisher.put(event(match, 1, 2), until=monotonic())
    publisher.close()
    assert read(redis, match) == [event(match, 1, 1)]


def test_nobody_waits_for_a_redis_that_is_away(
    match: Match, caplog: pytest.LogCaptureFixture
) -> None:
    with Redis.from_url("unix:///nowhere/redis.sock") as away:
        publisher = Publisher(away)
        for sequence in range(1, 1000):
            publisher.put(event(match, 1, sequence))
        publisher.close()
    assert caplog.text.count("live events are lost") == 1


def test_of_too_many_events_that_wait_the_newest_are_lost(
    redis: Redis, match: Match, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = Publisher(redis)
    monkeypatch.setattr(stream, "_MOST_WAITING", 0)
    publisher.put(event(match, 1, 1))
    publisher.close()
    assert "more than 0 live events wait" in caplog.text
    assert read(redis, match) == []


def test_what_redis_refuses_is_told_and_the_rest_is_there(
    redis: Redis, match: Match, caplog: pytest.LogCaptureFixture
) -> None:
    """It refuses for want of memory, or on a replica; here since a key is no stream."""
    redis.set(f"santiago:live:{match}", "no stream", ex=60)
    publisher = Publisher(redis)
    publisher.put(event(match, 1, 1))
    publisher.put(event(match + 1, 1, 1))
    publisher.close()
    assert caplog.text.count("live events are lost") == 1
    assert "WRONGTYPE" in caplog.text
    assert read(redis, match + 1) == [event(match + 1, 1, 1)]


def noted(match: Match, attempt: int, sequence: int, seat: int, text: str) -> LiveEvent:
    """A move with a note beside it."""
    frame = {"type": "move", "seat": seat, "move": "drive 1"}
    return LiveEvent(match, attempt, sequence, frame, note={"text": text})


def test_notes_are_read_apart_by_seat_and_attempt(redis: Redis, match: Match) -> None:
    first = [noted(match, 1, 1, 0, "old"), noted(match, 1, 2, 1, "old")]
    again = [noted(match, 2, 1, 0, "one"), noted(match, 2, 2, 1, "two"), noted(match, 2, 3, 0, "x")]
    publish(redis, [*first, *again])
    own = newest_notes(redis, match, 2, 0.0, [0], limit=9)
    assert own == [SeatNote(0, 3, {"text": "x"}), SeatNote(0, 1, {"text": "one"})]
    both = newest_notes(redis, match, 2, 0.0, [0, 1], limit=2)
    assert both == [own[0], SeatNote(1, 2, {"text": "two"})]


def test_the_events_that_all_may_read_have_no_notes(redis: Redis, match: Match) -> None:
    publish(redis, [noted(match, 1, 1, 0, "a secret"), event(match, 1, 2)])
    assert [one.note for one in read(redis, match)] == [None, None]
    assert "secret" not in repr((read(redis, match), newest(redis, [match])))
    assert b"secret" not in repr(redis.xrange(f"santiago:live:{match}")).encode()
