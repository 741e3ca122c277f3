"""Server-sent events, and the places that they lead to (HTML Living Standard, 9.2)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

HEARTBEAT: Final = b":\n\n"
"""A comment: keeps the connection, and finds out whether anybody is there."""

_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Place:
    """How much of a match somebody has: so many frames of an attempt. As text `attempt-frames`."""

    attempt: int
    frames: int

    def __str__(self) -> str:
        return f"{self.attempt}-{self.frames}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """The place that a text names; one where nothing is known for any other text."""
        words = text.split("-")
        if len(words) != 2 or not all(_is_number(word) for word in words):
            return cls(0, 0)
        return cls(int(words[0]), int(words[1]))


def message(event: str, data: dict[str, Any] | str, place: str | None = None) -> bytes:
    """One message of this kind; `data` is JSON, `place` where to go on after it."""
    text = data if isinstance(data, str) else json.dumps(data)
    head = f"id: {place}\n" if place else ""
    return f"{head}event: {event}\ndata: {text}\n\n".encode()


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS
