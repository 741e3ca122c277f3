"""Sample bots, as their authors start them."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.serving import ADDRESS_VARIABLE
from tests.e2e.processes import until
from tests.forking import Forked

RANDOM_BOT = "sample_bots.random_bot:RandomBot"


@contextmanager
def sample_bot(folder: Path, target: str = RANDOM_BOT) -> Iterator[str]:
    """Its address, a socket in this folder; it runs until the `with` is left."""
    address = f"unix:{folder}/{target.rpartition(':')[2]}"
    with Forked("referee.serving", target, env=os.environ | {ADDRESS_VARIABLE: address}):
        yield address


@contextmanager
def bot_at(address: str, secret: str) -> Iterator[None]:
    """By the line that the form of the site tells; it listens, until the `with` is left."""
    settings = {"SANTIAGO_ADDRESS": address, "SANTIAGO_SECRET": secret}
    with Forked("referee.serving", RANDOM_BOT, env=os.environ | settings):
        host, _, port = address.partition(":")
        until(lambda: listens(host, int(port)))
        yield


def listens(host: str, port: int) -> bool:
    """Whether somebody takes connections there."""
    with socket.socket() as caller:
        return caller.connect_ex((host, port)) == 0
