"""Run the site as in production: its server on a database, with a Redis of its own.

Print the times of what people do there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import create_server
from statistics import median, quantiles
from time import sleep

from cryptography.fernet import Fernet

from ladder.config import SECRET_KEY
from ladder.embedded.supervisor import (
    redis_command,
    redis_url,
    site_answers,
    site_command,
    site_environment,
)
from referee.processes import ChildProcess


@dataclass(frozen=True, slots=True)
class Service:
    """Where the site listens on 127.0.0.1, and its Redis."""

    port: int
    redis_url: str


@contextmanager
def service(database_url: str, processes: int = 1) -> Iterator[Service]:
    """Run Redis and the site, as so many processes, until the `with` block ends."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="santiago-", dir="/tmp") as folder:
        socket = Path(folder, "redis")
        settings = {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url(socket),
            SECRET_KEY: Fernet.generate_key().decode(),
            "WEB_CONCURRENCY": str(processes),
            **site_environment("127.0.0.1", port),
        }
        with ChildProcess(redis_command(socket), {}), ChildProcess(site_command(), settings):
            while not site_answers(f"http://127.0.0.1:{port}"):
                sleep(0.1)
            yield Service(port, redis_url(socket))


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def print_times(rows: Mapping[str, Sequence[float]]) -> None:
    """Print a table of times, given in seconds, by what took them."""
    print("| what | number | median | 95 % | 99 % | most |")
    print("|---|---|---|---|---|---|")
    for what, seconds in rows.items():
        parts = quantiles(seconds, n=100)
        cells = (median(seconds), parts[94], parts[98], max(seconds))
        shown = " | ".join(f"{1000 * cell:.0f} ms" for cell in cells)
        print(f"| {what} | {len(seconds)} | {shown} |")
