"""Keep the logs of bots that print without end short: of a long one only its end stays."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import SEEK_END
from pathlib import Path
from threading import Event, Thread
from typing import Final

_END: Final = 2**16
"""How many bytes at the end of a log are read, and stay of a long one."""
_LONGEST: Final = 2**23
_LOOK_EVERY: Final = 0.25


@contextmanager
def shortened(log: Path) -> Iterator[None]:
    """Shorten a log as it grows, as long as the block runs.

    Its process has to append to it. Of a log of more than 8 MiB its last 64 KiB stay.
    """
    over = Event()
    watch = Thread(target=_watch, args=(log, over), daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        watch.join()


def _watch(log: Path, over: Event) -> None:
    while not over.wait(_LOOK_EVERY):
        with suppress(OSError):  # it is gone, or the disk is full: until the next look
            _shorten(log)


def _shorten(log: Path) -> None:
    if log.stat().st_size > _LONGEST:
        end = end_of(log)
        with log.open("ab") as file:
            file.truncate(0)
            file.write(end)


def end_of(log: Path, start: int = 0) -> bytes:
    """Return the last 64 KiB of a log, which may be of any size, from the byte `start` on.

    If the log has been emptied, and is shorter than `start` now, what it has counts from byte 0.
    """
    with log.open("rb") as file:
        size = file.seek(0, SEEK_END)
        file.seek(max(start if start <= size else 0, size - _END))
        return file.read(_END)
