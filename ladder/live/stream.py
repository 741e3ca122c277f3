"""A match's events in a Redis stream: who comes late reads it from the start.

An entry is a run of events that followed one another, with the position after the last of them:
who has all entries knows the other positions by the rules. Its id is `attempt-sequence` of that
last one. Redis takes only ids that grow, so once an attempt has spoken no earlier one (a zombie) is
heard any more, and no event comes twice.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from redis import Redis

Frame = dict[str, Any]
Cells = list[int]
"""A position, as `referee.rules.cells` lays it down."""

LENGTH: Final = 5_000
"""Entries that are kept of a match; a game has some hundreds of events."""

EXPIRY: Final = 3_600
"""Seconds after its last event for which a match's stream is kept."""

START: Final = "0-0"
"""The position before the first event."""

_as_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

_APPEND: Final = """
local length, expiry = ARGV[1], ARGV[2]
for n, key in ipairs(KEYS) do
    redis.pcall('XADD', key, 'MAXLEN', '~', length, ARGV[2 * n + 1], 'run', ARGV[2 * n + 2])
    redis.pcall('EXPIRE', key, expiry)
end
"""
"""Appends an entry to each of the streams. Redis refuses, entry by entry, an id that is too low."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of an attempt at a match. `sequence` counts from 1 in each attempt; `cells`: the
    position after it, which who reads is told of the last event of each run."""

    match_id: int
    attempt: int
    sequence: int
    frame: Frame
    cells: Cells | None = None

    @property
    def position(self) -> str:
        """Where to read on after this event."""
        return f"{self.attempt}-{self.sequence}"


def publish(redis: Redis, events: Iterable[Event]) -> None:
    """Append events, in one command; those of an attempt that is over are dropped."""
    keys: list[str] = []
    told: list[str | int] = [LENGTH, EXPIRY]
    for run in _runs(events):
        last = run[-1]
        keys.append(_key(last.match_id))
        told += (last.position, _as_json([last.cells, *(event.frame for event in run)]))
    if keys:
        redis.eval(_APPEND, len(keys), *keys, *told)


def read(redis: Redis, match_id: int, after: str = START, *, wait: float = 0.0) -> list[Event]:
    """The events after a position, oldest first; waits up to `wait` seconds for the first."""
    return read_many(redis, {match_id: after}, wait=wait)


def read_many(redis: Redis, after: Mapping[int, str], *, wait: float) -> list[Event]:
    """The same for many matches at once, by match id; `wait` seconds for the first of any."""
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


def newest(redis: Redis, match_ids: Collection[int]) -> list[Event]:
    """The newest event of each of these matches that has any, in one round trip."""
    pipeline = redis.pipeline(transaction=False)
    for match_id in match_ids:
        pipeline.xrevrange(_key(match_id), count=1)
    found = zip(match_ids, pipeline.execute(), strict=True)
    return [_run(match_id, *entry)[-1] for match_id, entries in found for entry in entries]


def _runs(events: Iterable[Event]) -> list[list[Event]]:
    """The same events: those of a match that follow one another together, in their order."""
    runs: list[list[Event]] = []
    newest: dict[int, list[Event]] = {}
    for event in events:
        run = newest.get(event.match_id)
        if run and (run[-1].attempt, run[-1].sequence + 1) == (event.attempt, event.sequence):
            run.append(event)
        else:
            run = newest[event.match_id] = [event]
            runs.append(run)
    return runs


def _run(match_id: int, position: bytes, fields: dict[bytes, bytes]) -> Sequence[Event]:
    attempt, last = _order(position.decode())
    cells, *frames = json.loads(fields[b"run"])
    first = last - len(frames) + 1
    return [
        Event(match_id, attempt, sequence, frame, cells if sequence == last else None)
        for sequence, frame in enumerate(frames, first)
    ]


def _order(position: str) -> tuple[int, int]:
    attempt, sequence = position.split("-")
    return int(attempt), int(sequence)


def _key(match_id: int) -> str:
    return f"santiago:live:{match_id}"
