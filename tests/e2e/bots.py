"""A bot as its author starts it."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from referee.processes import ChildProcess
from tests.e2e.processes import until

RANDOM_BOT = [sys.executable, "-m", "referee.serving", "sample_bots.random_bot:RandomBot"]


@contextmanager
def bot_at(address: str, secret: str) -> Iterator[None]:
    """By the line that the form of the site tells; it listens, until the `with` is left."""
    settings = {"SANTIAGO_ADDRESS": address, "SANTIAGO_SECRET": secret}
    with ChildProcess(RANDOM_BOT, settings):
        host, _, port = address.partition(":")
        until(lambda: _listens(host, int(port)))
        yield


def _listens(host: str, port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex((host, port)) == 0
