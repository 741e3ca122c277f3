"""Fixtures of the referee's tests."""

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from referee.serving import start_server
from tests.referee.games import DrawingBot


@pytest.fixture(scope="session")
def new_address() -> Iterator[Callable[[], str]]:
    """Makes addresses on which nobody listens yet. Short ones: a socket's path has its limit."""
    numbers = count(1)
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        yield lambda: f"unix:{Path(folder, str(next(numbers)))}"


@pytest.fixture(scope="session")
def good_bot(new_address: Callable[[], str]) -> Iterator[str]:
    """The address of a bot of the kit, which plays as many games as there are."""
    address = new_address()
    server = start_server(DrawingBot, address)
    yield address
    server.stop(None).wait()
