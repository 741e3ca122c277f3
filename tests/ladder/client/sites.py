"""A ladder's site as a process of its own, with people who have tokens."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.orm import Session

from ladder import database
from ladder.accounts import Account, tokens
from ladder.client import Site
from ladder.command.main import main
from tests.e2e.santiago import free_port
from tests.web.accounts.visitors import make
from tests.web.api.programs import KEY, Arena, arena_of

PATIENCE = 60.0  # seconds
UNSET = ("DATABASE_URL", "REDIS_URL", "SANTIAGO_DATA", "SANTIAGO_SITE", "SANTIAGO_API_TOKEN")


@dataclass(frozen=True)
class Running:
    """A site that answers at `url`; ana's token as `author`, those of `organiser` and `admin`."""

    url: str
    database_url: str
    arena: Arena
    author: str
    organiser: str
    admin: str

    def site(self, token: str | None = None) -> Site:
        return Site(self.url, token, {})

    def run(self, *arguments: str, token: str | None = None, **environ: str) -> Result:
        """`santiago` with the site in its environment."""
        given: dict[str, str | None] = dict.fromkeys(UNSET)
        given |= {"SANTIAGO_SITE": self.url, "SANTIAGO_API_TOKEN": token} | environ
        return CliRunner(env=given).invoke(main, arguments, prog_name="santiago")

    def says(self, *arguments: str, token: str | None = None, **environ: str) -> str:
        """What `santiago` prints; it must succeed."""
        result = self.run(*arguments, token=token, **environ)
        assert result.exit_code == 0, result.output
        return result.stdout


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    """A site with an arena, until the end."""
    url, port = f"sqlite:///{folder}/ladder.db", free_port()
    database.upgrade(url)
    engine = database.engine(url)
    with pytest.MonkeyPatch.context() as patch, database.session_factory(engine)() as session:
        patch.setenv("SANTIAGO_SECRET_KEY", KEY)
        arena = arena_of(session)
        author = _token(session, arena.ana, "read", "bots")
        olga = make(session, "olga", "organiser")
        organiser = _token(session, olga, "read", "tournaments")
        admin = _token(session, make(session, "boss", "admin"), "admin")
    engine.dispose()
    environ = {
        "DATABASE_URL": url,
        "REDIS_URL": "unix:///nowhere",
        "SANTIAGO_SECRET_KEY": KEY,
        "SANTIAGO_PORT": str(port),
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "web"], env=os.environ | environ, stdout=log, stderr=log
        )
    try:
        where = f"http://127.0.0.1:{port}"
        _wait(where, process, folder / "log")
        yield Running(where, url, arena, author, organiser, admin)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def _token(session: Session, account: Account, *scopes: str) -> str:
    made = tokens.make(session, account, name="terminal", scopes=scopes)
    session.commit()
    return made.token


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{url}/healthz", timeout=PATIENCE):
                return
        except URLError:
            time.sleep(0.05)
    raise RuntimeError(f"the site does not answer: {log.read_text()}")
