"""Publish and read the events of matches, one Redis stream for each match.

The notes of a seat have a stream of their own, which nobody but the bot's author may be shown.

A late reader reads the stream from its start. An entry is a run of consecutive events, with the
position after the last of them; a reader computes the other positions by the rules. The entry's id
is `attempt-sequence` of its last event. Redis only accepts ids that grow: after the first event of
an attempt it refuses those of earlier attempts (from a worker believed dead), and no event comes
twice.
"""

import json
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from queue import Empty, SimpleQueue
from threading import Event as Signal, Thread
from time import monotonic
from typing import Any, Final, NamedTuple

from redis import Redis, RedisError

_log = logging.getLogger(__name__)

Frame = dict[str, Any]
Note = dict[str, Any]
"""The note of a bot beside its choice, as `referee.notes.note_json` returns it."""
Cells = list[int]
"""A position, as `referee.rules.cells` lays it down."""

LENGTH: Final = 5_000
"""Entries kept for each match; a game has some hundreds of events."""

_EXPIRY: Final = 3_600
"""Seconds that a stream lives after its last event."""

START: Final = "0-0"
"""The position before the first event."""

_MOST_WAITING: Final = 10_000  # further events are dropped while Redis is slow or down
_BATCH: Final = 500
_GATHER: Final = 0.1  # seconds
_as_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

_APPEND: Final = """
local length, expiry = ARGV[1], ARGV[2]
local lost = false
for n, key in ipairs(KEYS) do
    local id, run, began, notes = unpack(ARGV, 4 * n - 1, 4 * n + 2)
    if notes ~= '' then
        local newest = redis.pcall('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
        if newest and (tonumber(newest[2][4]) or 0) < tonumber(began) then
            redis.call('DEL', key, notes .. 0, notes .. 1, notes .. 2, notes .. 3)
        end
    end
    local answer = redis.pcall('XADD', key, 'MAXLEN', '~', length, id, 'run', run, 'began', began)
    local failed = type(answer) == 'table' and answer.err
    if failed and not string.find(failed, 'equal or smaller', 1, true) then
        lost = answer
    end
    redis.pcall('EXPIRE', key, expiry)
end
return lost
"""
"""Appends an entry to each stream; Redis refuses an id that is too low, for that entry alone. Any
other refusal, as without memory, is an error once all entries were tried.

The first entry of an attempt names its streams of notes. What is there from before the attempt goes
first: if an older copy of the database was restored, numbers of matches and attempts come again.
"""


class LiveEvent(NamedTuple):
    """One event of an attempt at a match; a tuple, which takes a third of a dataclass's time.

    `sequence` counts from 1 in each attempt. `cells` is the position after the event; a reader gets
    it only for the last event of each run. The note beside it, if there is one, no reader gets.
    `began`, the POSIX time of the attempt's beginning by the database's clock, tells it from one of
    the same number before an older copy of the database was restored.
    """

    match_id: int
    attempt: int
    sequence: int
    frame: Frame
    cells: Cells | None = None
    note: Note | None = None
    began: float = 0.0

    @property
    def position(self) -> str:
        """The position in the stream from which to read on after this event."""
        return f"{self.attempt}-{self.sequence}"


def publish(redis: Redis, events: Iterable[LiveEvent]) -> None:
    """Append events, and notes, in one command; drop those of an earlier attempt.

    Raises RedisError if Redis does not answer, or takes not all of the others.
    """
    entries = list(_entries(list(events)))
    if entries:
        keys = [entry[0] for entry in entries]
        arguments = [argument for entry in entries for argument in entry[1:]]
        redis.eval(_APPEND, len(keys), *keys, LENGTH, _EXPIRY, *arguments)


def read(redis: Redis, match_id: int, after: str = START, *, wait: float = 0.0) -> list[LiveEvent]:
    """Read the events after a position, oldest first; wait up to `wait` seconds for the first."""
    return read_many(redis, {match_id: after}, wait=wait)


def read_many(redis: Redis, after: Mapping[int, str], *, wait: float) -> list[LiveEvent]:
    """Read the events of several matches after these positions (by match id), as `read` does."""
    by_key = {_key(match_id): match_id for match_id in after}
    positions: Any = {key: after[match_id] for key, match_id in by_key.items()}
    block = round(wait * 1000) or None  # 0 would wait for ever
    streams: Any = redis.xread(positions, block=block)
    return [
        event
        for key, entries in streams or ()
        for entry in entries
        for event in _run(by_key[key.decode()], *entry)
        if _order(event.position) > _order(positions[key.decode()])
    ]


def newest(redis: Redis, match_ids: Collection[int]) -> list[LiveEvent]:
    """Read the newest event of each of these matches, if it has any, in one round trip."""
    pipeline = redis.pipeline(transaction=False)
    for match_id in match_ids:
        pipeline.xrevrange(_key(match_id), count=1)
    answers = zip(match_ids, pipeline.execute(), strict=True)
    return [_run(match_id, *entry)[-1] for match_id, entries in answers for entry in entries]


@dataclass(frozen=True, slots=True)
class SeatNote:
    """A note of a running match: its seat, the event beside which it was left, what it says."""

    seat: int
    sequence: int
    said: Note


def newest_notes(
    redis: Redis, match_id: int, attempt: int, began: float, seats: Collection[int], *, limit: int
) -> list[SeatNote]:
    """Read the newest notes of these seats in an attempt that `began` then, newest first.

    Show them to the author of the seats' bots alone.
    """
    notes: list[SeatNote] = []
    for seat in seats:
        entries: Any = redis.xrevrange(_notes_key(match_id, seat), min=f"{attempt}-0", count=limit)
        notes += [
            SeatNote(seat, _order(position.decode())[1], json.loads(fields[b"run"]))
            for position, fields in entries
            if _began(fields) == began
        ]
    return sorted(notes, key=lambda note: -note.sequence)[:limit]


class Publisher:
    """Publishes events in a thread of its own, so that no game waits for Redis.

    It takes events from any thread and sends them in their order, in batches: sent one by one, an
    event would cost a game as much as playing it. Events are lost while Redis is down; a reader
    notices by the sequence numbers.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._queue: SimpleQueue[tuple[LiveEvent, float] | None] = SimpleQueue()
        self._closing = Signal()
        self._down = False
        self._thread = Thread(target=self._run, name="live", daemon=True)
        self._thread.start()

    def put(self, event: LiveEvent, until: float = inf) -> None:
        """Queue an event without waiting; drop it if it can't be sent by `until` (`monotonic`)."""
        if self._queue.qsize() < _MOST_WAITING:
            self._queue.put((event, until))
        else:
            self._note(f"more than {_MOST_WAITING} live events wait")

    def close(self) -> None:
        """Publish the queued events, then end the thread."""
        self._closing.set()
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._queue.get()]
            self._closing.wait(_GATHER)
            with suppress(Empty):
                while len(batch) < _BATCH:
                    batch.append(self._queue.get_nowait())
            now = monotonic()
            self._publish([one[0] for one in batch if one is not None and now < one[1]])
            is_open = None not in batch

    def _publish(self, events: list[LiveEvent]) -> None:
        try:
            publish(self._redis, events)
            self._down = False
        except RedisError as error:
            self._note(str(error))

    def _note(self, why: str) -> None:
        """Log the first loss after a success, not every one."""
        if not self._down:
            _log.warning("live events are lost: %s", why)
        self._down = True


def _entries(events: list[LiveEvent]) -> Iterator[tuple[str, str, str, float, str]]:
    """Yield key, id, text and beginning of each entry, and for the first one where notes are."""
    for run in _runs(events):
        last = run[-1]
        notes = _notes_key(last.match_id, "") if run[0].sequence == 1 else ""
        text = _as_json([last.cells, *(event.frame for event in run)])
        yield _key(last.match_id), last.position, text, last.began, notes
    for event in events:
        if event.note is not None:
            key = _notes_key(event.match_id, event.frame["seat"])
            yield key, event.position, _as_json(event.note), event.began, ""


def _runs(events: Iterable[LiveEvent]) -> list[list[LiveEvent]]:
    """Group consecutive events of the same attempt, keeping their order."""
    runs: list[list[LiveEvent]] = []
    newest: dict[int, list[LiveEvent]] = {}
    for event in events:
        run = newest.get(event.match_id)
        if run and (run[-1].attempt, run[-1].sequence + 1) == (event.attempt, event.sequence):
            run.append(event)
        else:
            run = newest[event.match_id] = [event]
            runs.append(run)
    return runs


def _run(match_id: int, position: bytes, fields: dict[bytes, bytes]) -> Sequence[LiveEvent]:
    attempt, last = _order(position.decode())
    cells, *frames = json.loads(fields[b"run"])
    began = _began(fields)
    first = last - len(frames) + 1
    return [
        LiveEvent(
            *(match_id, attempt, sequence, frame),
            cells=cells if sequence == last else None,
            began=began,
        )
        for sequence, frame in enumerate(frames, first)
    ]


def _began(fields: dict[bytes, bytes]) -> float:
    return float(fields.get(b"began", 0))


def _order(position: str) -> tuple[int, int]:
    attempt, sequence = position.split("-")
    return int(attempt), int(sequence)


def _key(match_id: int) -> str:
    return f"santiago:live:{match_id}"


def _notes_key(match_id: int, seat: int | str) -> str:
    return f"santiago:notes:{match_id}:{seat}"
