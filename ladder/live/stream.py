"""A match's events in a Redis stream: who comes late reads it from the start.

An entry's id is `attempt-sequence`. Redis takes only ids that grow, so once an attempt has spoken
no earlier one (a zombie) is heard any more, and no event comes twice.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from redis import Redis

Frame = dict[str, Any]

LENGTH: Final = 5_000
"""Events that are kept of a match; a game has some hundreds."""

EXPIRY: Final = 3_600
"""Seconds after its last event for which a match's stream is kept."""

START: Final = "0-0"
"""The position before the first event."""

_as_json: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

_APPEND: Final = """
local length, expiry = ARGV[1], ARGV[2]
for n, key in ipairs(KEYS) do
    redis.pcall('XADD', key, 'MAXLEN', '~', length, ARGV[2 * n + 1], 'frame', ARGV[2 * n + 2])
    if key ~= KEYS[n + 1] then
        redis.pcall('EXPIRE', key, expiry)
    end
end
"""
"""Appends an entry to each of the streams. Redis refuses, entry by entry, an id that is too low."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event of an attempt at a match. `sequence` counts from 1 in each attempt."""

    match_id: int
    attempt: int
    sequence: int
    frame: Frame

    @property
    def position(self) -> str:
        """Where to read on after this event."""
        return f"{self.attempt}-{self.sequence}"


def publish(redis: Redis, events: Iterable[Event]) -> None:
    """Append events, in one command; those of an attempt that is over are dropped."""
    keys: list[str] = []
    told: list[str | int] = [LENGTH, EXPIRY]
    for event in events:
        keys.append(_key(event.match_id))
        told += (event.position, _as_json(event.frame))
    if keys:
        redis.eval(_APPEND, len(keys), *keys, *told)


def read(redis: Redis, match_id: int, after: str = START, *, wait: float = 0.0) -> list[Event]:
    """The events after a position, oldest first; waits up to `wait` seconds for the first."""
    block = round(wait * 1000) or None  # 0 would wait for ever
    streams: Any = redis.xread({_key(match_id): after}, block=block)
    return [_event(match_id, *entry) for _, entries in streams or () for entry in entries]


def read_many(redis: Redis, after: Mapping[int, str], *, wait: float) -> list[Event]:
    """The same for many matches at once, by match id; `wait` seconds for the first of any."""
    by_key = {_key(match_id): match_id for match_id in after}
    positions: Any = {key: after[match_id] for key, match_id in by_key.items()}
    streams: Any = redis.xread(positions, block=round(wait * 1000) or None)
    return [
        _event(by_key[key.decode()], *entry) for key, entries in streams or () for entry in entries
    ]


def newest(redis: Redis, match_ids: Collection[int]) -> list[Event]:
    """The newest event of each of these matches that has any, in one round trip."""
    pipeline = redis.pipeline(transaction=False)
    for match_id in match_ids:
        pipeline.xrevrange(_key(match_id), count=1)
    found = zip(match_ids, pipeline.execute(), strict=True)
    return [_event(match_id, *entry) for match_id, entries in found for entry in entries]


def _event(match_id: int, position: bytes, fields: dict[bytes, bytes]) -> Event:
    attempt, sequence = position.decode().split("-")
    return Event(match_id, int(attempt), int(sequence), json.loads(fields[b"frame"]))


def _key(match_id: int) -> str:
    return f"santiago:live:{match_id}"
