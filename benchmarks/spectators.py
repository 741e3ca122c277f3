"""Measure how late events and pages are for 200 spectators of live matches on one site process.

The site is the production server on SQLite, Redis is the embedded one, events are published as a
worker does, by `ladder.live.Publisher`. Spectators are streams in a process of their own, which
join while the matches go on, each after a look at the frames so far. Pages are asked for by turns,
before and meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import cycle
from random import Random
from threading import Event as Signal, Thread
from time import monotonic, sleep, time
from typing import Final

from redis import Redis
from sqlalchemy.orm import Session

from benchmarks._service import Service, print_times, service
from ladder import model
from ladder.bots import versions
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts
from ladder.live.stream import Cells, Frame, LiveEvent, Publisher
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.listing import list_matches
from referee.clock import Clock
from referee.rules import PLAIN_GOODS, Layout, Position, move_text, roll_dice

SPECTATORS: Final = 200
AT_ONCE: Final = 8
PACE: Final = 4.0  # events a second of each match
LENGTH: Final = 30.0  # seconds that are measured
PAGES: Final = ("/", "/matches", "/live", "/matches/{match}", "/bots/1")
_LAG: Final = "benchmark_sent"


def main() -> None:
    """Start all parts, measure, print two tables."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        url = f"sqlite:///{folder}/ladder.db"
        model.upgrade(url)
        with service(url) as site:
            _measure(site, _claims(url))


def _measure(site: Service, claims: list[MatchClaim]) -> None:
    quiet = _pages(site.port, claims, 10.0)
    stop = Signal()
    redis = Redis.from_url(site.redis_url)
    teller = Thread(target=_tell, args=(redis, claims, stop))
    teller.start()
    numbers = [site.port, *(claim.match_id for claim in claims)]
    spectators = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.spectators", *map(str, numbers)], stdout=subprocess.PIPE
    )
    busy = _pages(site.port, claims, LENGTH)
    output, _ = spectators.communicate()
    stop.set()
    teller.join()
    redis.close()
    seen = json.loads(output)
    print_times(
        {
            "event to spectator": seen["lags"],
            "frames so far, joining": seen["joins"],
            "page, nobody watches": quiet,
            f"page, {SPECTATORS} watch": busy,
        }
    )


def _claims(url: str) -> list[MatchClaim]:
    """Make claimed matches, as if a worker played them."""
    engine = model.engine(url)
    with model.session_factory(engine)() as session:
        cup = _tournament(session)
        waiting = list_matches(session, tournament_id=cup, state="queued", limit=AT_ONCE).matches
        claims = [
            attempts.claim(session, MATCHES, row.id, "benchmark", lease=600.0) for row in waiting
        ]
        session.commit()
    engine.dispose()
    return [claim for claim in claims if claim]


def _tournament(session: Session) -> int:
    ids = [
        versions.register(
            session, name=f"bot {n}", author="us", address=f"127.0.0.1:{n}", version="1"
        ).id
        for n in range(1, 9)
    ]
    made = creating.create(session, None, name="Copa", seats=3, bot_ids=ids, deals=1, clock=Clock())
    lifecycle.start(session, made.id)
    session.commit()
    return made.id


def _tell(redis: Redis, claims: list[MatchClaim], stop: Signal) -> None:
    """Publish each match's events at the pace of thinking bots, until stopped."""
    publisher = Publisher(redis)
    games = [(claim, _game(claim)) for claim in claims]
    sequences = dict.fromkeys((claim.match_id for claim in claims), 0)
    for claim, game in cycle(games):
        happened = next(game, None)
        if happened is None:
            continue
        frame, cells = happened
        sequences[claim.match_id] += 1
        sent = frame | {_LAG: time()}
        publisher.put(
            LiveEvent(
                *(claim.match_id, claim.attempt, sequences[claim.match_id], sent, cells),
                began=claim.held.began.timestamp() if claim.held.began else 0.0,
            )
        )
        if stop.wait(1 / PACE / len(games)):
            break
    publisher.close()


def _game(claim: MatchClaim) -> Iterator[tuple[Frame, Cells]]:
    """Return the frames of a random game, each with the position after it."""
    rng = Random(claim.match_id)
    position = Position.start(Layout.shuffled(Random(claim.layout_seed)), len(claim.players))
    while not position.is_over:
        seat, moves = position.seat, position.legal_moves
        if moves:
            move = rng.choice(moves)
            position.step(move)
            frame: Frame = {"type": "move", "seat": seat, "move": move_text(move), "by": "bot"}
        else:
            dice = roll_dice(rng)
            position.roll(dice)
            shown = dict(zip(PLAIN_GOODS, dice, strict=True))
            frame = {"type": "roll", "seat": seat, "dice": shown}
        yield frame, position.cells[:]


def _pages(port: int, claims: list[MatchClaim], length: float) -> list[float]:
    """Request pages one after the other on one connection; return their seconds."""
    connection = HTTPConnection("127.0.0.1", port)
    times: list[float] = []
    until = monotonic() + length
    for page in cycle(PAGES):
        began = monotonic()
        if began >= until:
            break
        connection.request("GET", page.format(match=claims[0].match_id))
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, page
        times.append(monotonic() - began)
        sleep(0.05)
    connection.close()
    return times


async def _watch(port: int, match_ids: list[int]) -> None:
    """Run the spectators of this process; print what they saw as JSON."""
    lags: list[float] = []
    joins: list[float] = []
    until = monotonic() + LENGTH
    async with asyncio.TaskGroup() as group:
        for number in range(SPECTATORS):
            match_id = match_ids[number % len(match_ids)]
            delay = 5.0 * number / SPECTATORS
            group.create_task(_spectate(port, match_id, delay, until, lags, joins))
    json.dump({"lags": lags, "joins": joins}, sys.stdout)


async def _spectate(
    port: int, match_id: int, delay: float, until: float, lags: list[float], joins: list[float]
) -> None:
    await asyncio.sleep(delay)
    began = monotonic()
    reader, writer = await _ask(port, f"/matches/{match_id}/live/frames")
    place = (await reader.read()).split(b'"place":"')[1].split(b'"')[0].decode()
    joins.append(monotonic() - began)
    writer.close()
    reader, writer = await _ask(port, f"/matches/{match_id}/live?from={place}")
    while (left := until - monotonic()) > 0:
        try:
            line = await asyncio.wait_for(reader.readline(), left)
        except TimeoutError:
            break
        assert line, "the stream ended"
        if line.startswith(b"data: "):
            now = time()
            frames = json.loads(line[6:]).get("frames", ())
            lags.extend(now - frame[_LAG] for frame in frames)
    writer.close()


async def _ask(port: int, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**22)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.split()[1] == b"200", head
    return reader, writer


if __name__ == "__main__":
    asyncio.run(_watch(int(sys.argv[1]), [int(match_id) for match_id in sys.argv[2:]]))
