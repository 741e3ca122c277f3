"""A match's events in a Redis stream: who comes late reads it from the start.

An entry's id is `attempt-sequence`. Redis takes only ids that grow, so once an attempt has spoken
no earlier one (a zombie) is heard any more, and no event comes twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
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
    """Append events, in one round trip; those of an attempt that is over are dropped."""
    pipeline = redis.pipeline(transaction=False)
    for event in events:
        key = _key(event.match_id)
        frame: dict[Any, Any] = {"frame": json.dumps(event.frame, separators=(",", ":"))}
        pipeline.xadd(key, frame, id=event.position, maxlen=LENGTH)
        pipeline.expire(key, EXPIRY)
    pipeline.execute(raise_on_error=False)


def read(redis: Redis, match_id: int, after: str = START, *, wait: float = 0.0) -> list[Event]:
    """The events after a position, oldest first; waits up to `wait` seconds for the first."""
    block = round(wait * 1000) or None  # 0 would wait for ever
    streams: Any = redis.xread({_key(match_id): after}, block=block)
    return [_event(match_id, *entry) for _, entries in streams or () for entry in entries]


def _event(match_id: int, position: bytes, fields: dict[bytes, bytes]) -> Event:
    attempt, sequence = position.decode().split("-")
    return Event(match_id, int(attempt), int(sequence), json.loads(fields[b"frame"]))


def _key(match_id: int) -> str:
    return f"santiago:live:{match_id}"
