"""Reading a stream of JSON lines, each with its number."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

Line = dict[str, Any]


class Divergence(Exception):
    """The trace is not what the rules and the notation say; the text is a plain sentence."""


class Reader:
    """The lines of one stream, one after the other.

    `number` is the line read last, from 1.
    """

    def __init__(self, stream: Iterable[bytes]) -> None:
        self.number = 0
        self._lines: Iterator[bytes] = iter(stream)

    def next_line(self) -> Line | None:
        """The next line as a dict, or None at the end of the stream."""
        text = next(self._lines, None)
        self.number += 1
        return None if text is None else parsed(text)


def parsed(text: bytes) -> Line:
    """One line as a dict; the same key twice is refused, where json would keep the last."""
    try:
        line = json.loads(text.decode("utf-8"), object_pairs_hook=without_repeats)
    except ValueError as error:
        raise Divergence(f"the line should be JSON but cannot be read: {error}.") from error
    if not isinstance(line, dict):
        raise Divergence(f"the line should be a JSON object but is {json.dumps(line)}.")
    return line


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs of one JSON object as a dict."""
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Divergence(f"the key {twice!r} should stand once in its object but stands twice.")
    return found
