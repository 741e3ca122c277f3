"""Where hostile bots live: each in a process of its own, which may burn, freeze or die."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Final

from referee.serving import start_server
from tests.hostile_bots.family import FAMILY
from tests.referee.games import DrawingBot

_STARTS_WITHIN: Final = 300.0  # seconds, on a busy machine
# A process that has imported everything and started nothing forks the others: gRPC must not run in
# a process that forks, and to import it takes longer than to play.
_PROCESSES: Final = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["__main__", __name__])


@contextmanager
def hostile_bot(name: str, address: str) -> Iterator[int]:
    """The bot of this name listens at an address for as long as the block. Its process's id."""
    with _process(_serve_hostile, name, address) as number:
        yield number


@contextmanager
def good_bot(address: str) -> Iterator[int]:
    """A bot of the kit listens there."""
    with _process(_serve_good, "good", address) as number:
        yield number


@contextmanager
def _process(
    serve: Callable[[str, str, Connection], None], name: str, address: str
) -> Iterator[int]:
    ours, theirs = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=serve, args=[name, address, theirs], daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(_STARTS_WITHIN):
            raise RuntimeError(f"The bot {name} does not start.")
        ours.recv()
        yield process.pid or 0
    finally:
        ours.close()
        process.kill()  # also where it stands still
        process.join()


def _serve_hostile(name: str, address: str, ready: Connection) -> None:
    with FAMILY[name].open(address):
        _wait(ready)


def _serve_good(_: str, address: str, ready: Connection) -> None:
    server = start_server(DrawingBot, address)  # it ends with the last reference to it
    _wait(ready)
    server.stop(None)


def _wait(ready: Connection) -> None:
    """Until the process is killed. What the bots print is nobody's business."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 2)
    ready.send(None)
    while True:
        signal.pause()
