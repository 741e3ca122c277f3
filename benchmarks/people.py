"""Measure how long a click takes while 100 people play at once: `python -m benchmarks people`.

The service is `santiago up` without matches of its own: one process of the site, one worker, the
bots of the house. Each person plays alone against such a bot, as a browser does: a stream of news,
a form for each choice, a look at the choices after news. First one person plays alone, then 100 do,
then one again. A click is the time from the form until the answer is here; an answer of the bot
lasts from there until the next choice is shown.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from random import Random
from statistics import quantiles
from time import monotonic, perf_counter, sleep
from typing import Final
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

from benchmarks._service import free_port, print_times
from ladder.config import LADDER_PACE
from ladder.embedded.supervisor import site_answers
from referee.processes import ChildProcess

PEOPLE: Final = 100
THINK: Final = (2.0, 6.0)  # seconds between a choice that is shown and the click
ALONE: Final = (0.05, 0.15)
SECONDS: Final = 30.0  # of the crowd
SECONDS_ALONE: Final = 90.0  # before it, and after it: so that one has some 1,000 clicks, too
BOT: Final = "random"
MOST: Final = 3.0  # times what a click takes alone, the goal at the 99th percentile
_TOKEN: Final = re.compile(r'name="csrf_token" value="([^"]*)"')
_DECISION: Final = re.compile(r'data-decision="(\d+)"')
_MOVE: Final = re.compile(r'name="move" value="([^"]*)"')


@dataclass(slots=True)
class Times:
    """Seconds of all clicks, and until bots had answered; how many games ended."""

    clicks: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    games: int = 0


def main() -> None:
    """Start the service, measure, print a table."""
    folder = tempfile.TemporaryDirectory(prefix="santiago-", dir="/tmp")
    with folder as path, _service(Path(path)) as port:
        before = asyncio.run(_play(port, 1, ALONE, SECONDS_ALONE))
        crowd = asyncio.run(_play(port, PEOPLE, THINK, SECONDS))
        after = asyncio.run(_play(port, 1, ALONE, SECONDS_ALONE))
    alone = Times(before.clicks + after.clicks, before.answers + after.answers)
    _print(alone, crowd)


def _print(alone: Times, crowd: Times) -> None:
    print_times(
        {
            "click, one person": alone.clicks,
            f"click, {PEOPLE} people": crowd.clicks,
            "bot's answer, one person": alone.answers,
            f"bot's answer, {PEOPLE} people": crowd.answers,
        }
    )
    ratio = quantiles(crowd.clicks, n=100)[98] / quantiles(alone.clicks, n=100)[98]
    print(f"\n{ratio:.2f} times at the 99th percentile ({MOST:g} is the goal); ", end="")
    print(f"{crowd.games} games ended meanwhile")


@contextmanager
def _service(folder: Path) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "-m", "ladder.cli.main", "up", "--data", str(folder)]
    with ChildProcess([*command, "--port", str(port)], {LADDER_PACE: "0.001"}):
        while not site_answers(f"http://127.0.0.1:{port}"):
            sleep(0.2)
        while _people_wait(port):
            sleep(0.2)
        yield port


def _people_wait(port: int) -> bool:
    """Return True until the bots of the house play."""
    with urlopen(f"http://127.0.0.1:{port}/play") as page:
        return f">{BOT}" not in page.read().decode()


async def _play(port: int, count: int, think: tuple[float, float], seconds: float) -> Times:
    """Let so many people play for so long, after all have begun."""
    times = Times()
    people = [_Person(port, number, think, times) for number in range(1, count + 1)]
    for person in people:
        await person.open()
        await person.wait()
    until = monotonic() + seconds
    async with asyncio.TaskGroup() as group:
        for person in people:
            group.create_task(person.play(until))
    return times


class _Person:
    """One browser at an address of its own, since limits count by address."""

    def __init__(self, port: int, number: int, think: tuple[float, float], times: Times) -> None:
        self._line = _Line(port, number)
        self._news = _Line(port, number)
        self._think = think
        self._times = times
        self._random = Random(number)
        self._seat = ""
        self._turn = ""
        self._clicked: float | None = None

    async def open(self) -> None:
        """Open a game, and accept it."""
        page = await self._line.get("/play")
        bot = re.search(rf'<option value="(\d+)">{BOT}\b', page)
        assert bot, "the bot does not play"
        opened = {"csrf_token": _token(page), "opponent": bot[1], "pace": "none"}
        self._seat = urlsplit(await self._line.post("/play", opened)).path
        page = await self._line.get(self._seat)
        accepted = {"csrf_token": _token(page), "nonce": self._random.randbytes(16).hex()}
        await self._line.post(f"{self._seat}/accept", accepted)
        self._turn = await self._line.get(f"{self._seat}/turn")
        self._clicked = None

    async def wait(self) -> None:
        """Wait for the first decision."""
        while not _DECISION.search(self._turn):
            await asyncio.sleep(0.2)
            self._turn = await self._line.get(f"{self._seat}/turn")

    async def play(self, until: float) -> None:
        """Choose until the time is over; when a game ends, open the next one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(until - monotonic()):
                while True:
                    await self._one_game()
                    self._times.games += 1
                    await self.open()
        self._line.close()
        self._news.close()

    async def _one_game(self) -> None:
        place = json.loads(await self._line.get(f"{self._seat}/frames"))["place"]
        async with asyncio.TaskGroup() as group:
            told = asyncio.Event()
            ended = group.create_task(self._listen(place, told))
            while not ended.done():
                if _DECISION.search(self._turn):
                    await self._choose()
                else:
                    await told.wait()
                    told.clear()
                    await self._look()

    async def _choose(self) -> None:
        await asyncio.sleep(self._random.uniform(*self._think))
        decision = _DECISION.search(self._turn)
        assert decision
        moves = [unescape(move) for move in _MOVE.findall(self._turn)]
        form = {
            "csrf_token": _token(self._turn),
            "decision": decision[1],
            "move": self._random.choice(moves),
            "part": "1",
        }
        began = perf_counter()
        self._turn = await self._line.post(f"{self._seat}/move", form)
        ended = perf_counter()
        self._times.clicks.append(ended - began)
        self._clicked = None if _DECISION.search(self._turn) else ended

    async def _look(self) -> None:
        self._turn = await self._line.get(f"{self._seat}/turn")
        if self._clicked is not None and _DECISION.search(self._turn):
            self._times.answers.append(perf_counter() - self._clicked)
            self._clicked = None

    async def _listen(self, place: str, told: asyncio.Event) -> None:
        """Follow the stream until the game is over; note each piece of news."""
        async for event, data in self._news.events(f"{self._seat}/live?from={place}"):
            told.set()
            if event == "standing" and json.loads(data)["word"] == "finished":
                return


class _Line:
    """A connection that is kept open, with a browser's cookies."""

    def __init__(self, port: int, number: int) -> None:
        self._port = port
        self._own = f"127.0.1.{number}"
        self._cookies: dict[str, str] = {}
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> str:
        """Return a page."""
        _, body = await self._ask("GET", path)
        return body

    async def post(self, path: str, form: dict[str, str]) -> str:
        """Send a form; return the page, or the address to go on at."""
        headers, body = await self._ask("POST", path, urlencode(form))
        return headers.get("location", body)

    async def events(self, path: str) -> AsyncIterator[tuple[str, str]]:
        """Yield the events of a stream, each with its data."""
        self.close()
        await self._send("GET", path, "")
        await self._headers()
        event = ""
        async for line in self._lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                yield event, value

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _ask(self, method: str, path: str, body: str = "") -> tuple[dict[str, str], str]:
        try:
            await self._send(method, path, body)
            headers = await self._headers()
        except (asyncio.IncompleteReadError, ConnectionError):  # closed while nobody asked
            self.close()
            await self._send(method, path, body)
            headers = await self._headers()
        assert self._reader is not None
        if "content-length" in headers:
            data = await self._reader.readexactly(int(headers["content-length"]))
        else:
            data = b"".join([chunk async for chunk in self._chunks()])
        if headers.get("connection") == "close":
            self.close()
        return headers, data.decode()

    async def _send(self, method: str, path: str, body: str) -> None:
        if self._reader is not None and self._reader.at_eof():
            self.close()
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(self._own, 0)
            )
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nCookie: {cookies}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(f"{head}{body}".encode())
        await self._writer.drain()

    async def _headers(self) -> dict[str, str]:
        assert self._reader is not None
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers: dict[str, str] = {}
        for line in lines[1:-2]:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            if name.lower() == "set-cookie":
                key, _, kept = value.partition(";")[0].partition("=")
                self._cookies[key] = kept
        if int(lines[0].split()[1]) >= 400:
            raise RuntimeError(f"the site answers: {lines[0]}")
        return headers

    async def _chunks(self) -> AsyncIterator[bytes]:
        assert self._reader is not None
        while size := int(await self._reader.readline(), 16):
            yield await self._reader.readexactly(size)
            await self._reader.readline()
        await self._reader.readline()

    async def _lines(self) -> AsyncIterator[str]:
        rest = b""
        async for chunk in self._chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode()


def _token(page: str) -> str:
    found = _TOKEN.search(page)
    assert found, "the page has no form"
    return found[1]
