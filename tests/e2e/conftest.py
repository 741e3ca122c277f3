"""The command as a fixture: it is gone after the test, whatever the test came to."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from tests.conftest import free_port
from tests.e2e import browser
from tests.e2e.santiago import FORKING, Santiago, own_folder

Start = Callable[..., Santiago]


@pytest.fixture(scope="session", autouse=True)
def one_browser() -> Iterator[None]:
    """A browser lives no longer than the run."""
    yield
    browser.end()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the commands of one test share."""
    with own_folder() as made:
        yield made


@pytest.fixture
def santiago(folder: Path) -> Iterator[Start]:
    """Starts `santiago up` or `demo` with some more arguments."""
    with ExitStack() as stack:

        def start(command: str, *arguments: str, program: str = FORKING) -> Santiago:
            where = ["--data", str(folder / "data"), "--port", str(free_port())]
            started = Santiago(folder, command, *where, *arguments, program=program)
            stack.callback(started.kill)
            return started

        yield start
