"""The site alone, or the whole service, on a ladder that was made before."""

import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet

from ladder import secrets
from ladder.bots.addresses import private_while_alone
from ladder.config import LADDER_PACE, SECRET_KEY
from ladder.embedded.supervisor import site_environment
from tests.conftest import free_port
from tests.e2e.santiago import QUICK, Ladder, Santiago
from tests.forking import Forked
from tests.ladder.databases import new_ladder
from tests.ladder.service import RedisServer

START_LIMIT = 300.0  # seconds until the site answers, on a busy machine


@dataclass(frozen=True)
class Service:
    """A running `santiago up`, and where its site is."""

    up: Santiago
    address: str


@contextmanager
def service(folder: Path, *arguments: str) -> Iterator[Service]:
    """`santiago up` on the folder's `data`, until the `with` is left."""
    port = free_port()
    up = Santiago(folder, "up", "--data", str(folder / "data"), "--port", str(port), *arguments)
    try:
        up.says("The ladder is at http://")
        yield Service(up, f"http://127.0.0.1:{port}")
    finally:
        up.kill()


@dataclass(frozen=True)
class Parts(Ladder):
    """What `santiago up` starts, but watched by nobody, and where its site is."""

    data: Path
    address: str


@contextmanager
def parts(folder: Path, **settings: str) -> Iterator[Parts]:
    """Redis, site, worker and scheduler on the folder's `data`; no ladder match is made.

    For tests that let no part die: `santiago up` would import everything for each anew.
    """
    data, port, host = folder / "data", free_port(), "127.0.0.1"
    data.mkdir(exist_ok=True)
    url, redis = f"sqlite:///{data}/ladder.db", RedisServer(folder)
    environ = os.environ | QUICK | private_while_alone(host) | site_environment(host, port)
    environ |= {SECRET_KEY: secrets.key_of_folder(data), LADDER_PACE: "0"}
    environ |= {"SANTIAGO_LEASE": "60", "SANTIAGO_RENEW": "2"}  # nobody dies who has one
    environ |= {"DATABASE_URL": url, "REDIS_URL": redis.url} | settings
    with ExitStack() as stack:
        stack.callback(redis.stop)
        if not (data / "ladder.db").exists():
            new_ladder(data / "ladder.db")
        web, *_ = (
            stack.enter_context(Forked(*part, env=environ, log=folder / "log"))
            for part in (["web"], ["ladder.cli.main", "worker"], ["ladder.cli.main", "scheduler"])
        )
        _wait_for(f"http://{host}:{port}/healthz", web)
        yield Parts(data, f"http://{host}:{port}")


@contextmanager
def site(
    database_url: str,
    *,
    module: str = "web",
    server: Sequence[str] = (),
    log: str | Path = "",
    **settings: str,
) -> Iterator[str]:
    """The production server on a database, without workers, and without Redis unless `settings`
    name one; its address. `module` starts another one, as does the command `server`, for tests of
    what a server reads before it serves; what the module says goes to `log`."""
    port = free_port()
    environment = {
        "DATABASE_URL": database_url,
        "REDIS_URL": "unix:///nowhere",
        "SANTIAGO_SECRET_KEY": Fernet.generate_key().decode(),
        "SANTIAGO_HOST": "127.0.0.1",
        "SANTIAGO_PORT": str(port),
    }
    environ = os.environ | environment | settings
    to = Path(log) if log else None
    process = (
        subprocess.Popen(server, env=environ) if server else Forked(module, env=environ, log=to)
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/healthz", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(START_LIMIT)


def _wait_for(address: str, process: subprocess.Popen[bytes] | Forked) -> None:
    """Return when the site answers; raise when it has ended or is too slow."""
    deadline = time.monotonic() + START_LIMIT
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=10):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"the site does not answer (exit status {process.poll()})")
