"""Keeps the beginning and the end of what a sandbox prints; the rest is read and dropped."""

import os
import threading
from dataclasses import dataclass
from time import monotonic, sleep
from typing import IO, Final

LEFT_OUT: Final = "\n[... "
"""Before the number of bytes that were left out of an output."""
_CHUNK: Final = 64 * 1024
_READS_A_SECOND: Final = 64
"""How often a stream is read for long; who prints faster waits, at no cost for anybody."""


@dataclass(frozen=True)
class Output:
    """The text that a program printed; each stream is cut in its middle if it was long."""

    stdout: str
    stderr: str


class Kept:
    """Reads a pipe to its end; keeps `limit` bytes, half from the beginning, half from the end."""

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self._half = limit // 2
        self._lock = threading.Lock()
        self.forget()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Begin anew, as for another match."""
        with self._lock:
            self._head, self._tail, self._length = b"", b"", 0

    def text(self) -> str:
        """Return what is kept, and say how much was left out between."""
        with self._lock:
            head, tail, length = self._head, self._tail, self._length
        left_out = length - len(head) - len(tail)
        between = f"{LEFT_OUT}{left_out:,} bytes left out ...]\n" if left_out else ""
        return head.decode(errors="replace") + between + tail.decode(errors="replace")

    def join(self) -> None:
        """Wait until the pipe has ended, after the processes that held it."""
        self._thread.join(timeout=5)

    def _read(self, pipe: IO[bytes]) -> None:
        allowed, since = float(_READS_A_SECOND), monotonic()
        with pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK):
                self._keep(chunk)
                now = monotonic()
                allowed = min(allowed + (now - since) * _READS_A_SECOND, _READS_A_SECOND) - 1
                since = now
                if allowed < 0:
                    sleep(1 / _READS_A_SECOND)

    def _keep(self, chunk: bytes) -> None:
        with self._lock:
            self._length += len(chunk)
            room = self._half - len(self._head)
            self._head += chunk[:room]
            self._tail = (self._tail + chunk[room:])[-self._half :]
