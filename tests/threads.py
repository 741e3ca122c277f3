"""A machine that has no thread left."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from unittest.mock import patch


@contextmanager
def one_too_many(name: str) -> Iterator[None]:
    """During the block no thread of this name starts."""
    start = Thread.start

    def refuse(thread: Thread) -> None:
        if thread.name == name:
            raise RuntimeError("can't start new thread")
        start(thread)

    with patch.object(Thread, "start", refuse):
        yield
