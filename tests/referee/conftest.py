"""Fixtures of the referee's tests."""

import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.referee.games import Certificate, DrawingBot, served
from tests.referee.steady import Time, steady_loop


@pytest.fixture(scope="session")
def new_address() -> Iterator[Callable[[], str]]:
    """Makes addresses on which nobody listens yet. Short ones: a socket's path has its limit."""
    numbers = count(1)
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        yield lambda: f"unix:{Path(folder, str(next(numbers)))}"


@pytest.fixture(scope="session")
def good_bot(new_address: Callable[[], str]) -> Iterator[str]:
    """The address of a bot of the kit, which plays as many games as there are."""
    with served(DrawingBot, new_address()) as address:
        yield address


@pytest.fixture
async def steady() -> AsyncIterator[Time]:
    """The time of the test's loop."""
    with steady_loop() as time:
        yield time


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate for 0.0.0.0, which is this machine, but not as a loopback address."""
    if shutil.which("openssl") is None:
        missing("openssl")
    folder = tmp_path_factory.mktemp("certificate")
    made = Certificate(str(folder / "certificate.pem"), str(folder / "key.pem"))
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        f"-subj /CN=test -addext subjectAltName=IP:0.0.0.0 -out {made.file} -keyout {made.key}",
        shell=True,
        check=True,
        capture_output=True,
    )
    return made
