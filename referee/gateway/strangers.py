"""Callers who have said nothing yet: a few from each host, so that nobody fills the gateway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

MOST: Final = 256
"""Calls of one host whose first message has not come. A bot takes up at most as many games at
once, and says at once which."""


class Strangers:
    """Counts them by host."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def one_more(self, peer: str) -> Iterator[bool]:
        """A call of a peer (as gRPC names it) waits during the block; whether it may."""
        host = peer.rpartition(":")[0]
        self._waiting[host] += 1
        try:
            yield self._waiting[host] <= MOST
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host]
