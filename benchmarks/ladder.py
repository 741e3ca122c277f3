"""Measure what the whole ladder adds to a bare gRPC stream: `python -m benchmarks ladder`.

Queue, two worker processes, scheduler, database (SQLite) and live events play tournaments of two
bots that choose at once. Each round is a whole tournament, from its start to its last result, and
beside it a floor of four streams at once with as many round trips, so that a busy machine disturbs
both alike. Between rounds as many matches are played by `santiago play` with the same processes of
bots: what Redis, workers and scheduler need beyond that is the ladder's own cost.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from subprocess import DEVNULL, run
from typing import Final

from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, func, select, update
from sqlalchemy.orm import Session

from benchmarks._floor import echo_server, floor
from benchmarks.wire import hasty_bot
from ladder import model
from ladder.bots import versions
from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.embedded import supervisor
from ladder.model import Bot, Ladder, Match, Seat, Version
from referee.clock import Clock
from referee.processes import ChildProcess

LEAST_RATIO: Final = 0.4
MOST_COST: Final = 10.0  # milliseconds of processor time a match
LEAST_FLOOR: Final = 6000  # round trips a second; below that the machine is too busy to tell
PARTS: Final = ("worker", "scheduler", "redis")
RESULTS: Final = Path(__file__).parent / "results" / "ladder.json"
_WORKERS: Final = 2
_ROUNDS: Final = 8
_PLAY_EVERY: Final = 2  # rounds: machines are faster at one time than at another
_MATCHES: Final = 160  # in a round
_WARM: Final = 40  # matches before that
_STREAMS: Final = 4  # of the floor at once
_WITHIN: Final = 300.0  # seconds for a round
_LOOK_EVERY: Final = 0.25  # seconds; a look takes processor time from the ladder


@dataclass(frozen=True, slots=True)
class Part:
    """A process of the ladder."""

    name: str
    pid: int

    def processor_seconds(self) -> float:
        """Return the processor time of all its threads, also of those that have ended."""
        return time.clock_gettime(_clock_of(self.pid))


@dataclass(frozen=True, slots=True)
class Round:
    """A tournament, and the floor beside it. `spent`: processor seconds by part."""

    decisions: int
    seconds: float
    floor: float
    spent: dict[str, float]

    @property
    def rate(self) -> float:
        """Return decisions per second."""
        return self.decisions / self.seconds


@dataclass(frozen=True, slots=True)
class Figures:
    """Medians of all rounds. `parts`: milliseconds a match, of all processes of that name;
    `play`: those of `santiago play`; `cost`: what the ladder needs beyond."""

    floor: float
    rate: float
    ratio: float
    decisions: float
    parts: dict[str, float]
    play: float
    cost: float


def main() -> None:
    """Measure, print the figures, write the JSON."""
    with tempfile.TemporaryDirectory(prefix="santiago-", dir="/tmp") as name, ExitStack() as stack:
        folder = Path(name)
        addresses = [
            stack.enter_context(hasty_bot(f"unix:{folder}/bot{n}")).address for n in range(2)
        ]
        echo = stack.enter_context(echo_server(f"unix:{folder}/echo")).address
        with _ladder(folder, addresses) as (engine, parts):
            _tournament(engine, _WARM)
            rounds, plays = [], []
            for number in range(_ROUNDS):
                rounds.append(_round(engine, parts, echo))
                if number % _PLAY_EVERY == 0:
                    plays.append(_play(addresses))
        figures = _figures(rounds, _median(plays))
    _print(figures)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(asdict(figures), indent=2) + "\n")


@contextmanager
def _ladder(folder: Path, addresses: list[str]) -> Iterator[tuple[Engine, list[Part]]]:
    """Run a ladder with its processes, on which these bots are registered."""
    url = f"sqlite:///{folder}/ladder.db"
    model.upgrade(url)
    engine = model.engine(url)
    with Session(engine) as session, session.begin():
        for number, address in enumerate(addresses):
            name = f"hasty {number}"
            versions.register(session, name=name, author="arena", version="1", address=address)
        session.execute(update(Version).values(slots=1000))
        session.execute(update(Ladder).values(open=False))
    socket = folder / "redis"
    settings = {
        "DATABASE_URL": url,
        "REDIS_URL": supervisor.redis_url(socket),
        "SANTIAGO_ANALYSES": "0",
    }
    santiago = [sys.executable, "-P", "-m", "ladder.cli.main"]
    with ExitStack() as stack:
        redis = stack.enter_context(ChildProcess(supervisor.redis_command(socket), {}))
        _until(lambda: supervisor.redis_answers(socket))
        parts = [Part("redis", redis.pid)]
        for name in ("scheduler", *["worker"] * _WORKERS):
            log = folder / f"{name}.log"
            process = stack.enter_context(ChildProcess([*santiago, name], settings, log))
            parts.append(Part(name, process.pid))
        yield engine, parts
    engine.dispose()


def _round(engine: Engine, parts: list[Part], echo: str) -> Round:
    before = [part.processor_seconds() for part in parts]
    decisions, seconds = _tournament(engine, _MATCHES)
    spent: dict[str, float] = {}
    for part, began in zip(parts, before, strict=True):
        spent[part.name] = spent.get(part.name, 0.0) + part.processor_seconds() - began
    trips, floor_seconds = asyncio.run(floor(echo, decisions, _STREAMS))
    return Round(decisions, seconds, trips / floor_seconds, spent)


def _tournament(engine: Engine, matches: int) -> tuple[int, float]:
    """Play `matches` matches; return how often bots were asked, and the seconds."""
    with Session(engine) as session, session.begin():
        made = creating.create(
            session,
            None,
            name="Hasty",
            seats=2,
            bot_ids=session.scalars(select(Bot.id)).all(),
            deals=matches // 2,
            clock=Clock(),
        )
        lifecycle.start(session, made.id)

    def ended() -> bool:
        with Session(engine) as session:
            return lookup.tournament(session, made.id).state == "finished"

    _until(ended)
    with Session(engine) as session:
        over = lookup.tournament(session, made.id)
        last = session.scalar(
            select(func.max(Match.finished_at)).where(Match.tournament_id == made.id)
        )
        asked = session.scalar(
            select(func.sum(Seat.decisions)).join(Match).where(Match.tournament_id == made.id)
        )
    assert over.started_at
    assert last
    if over.finished != matches:
        raise AssertionError("Not all matches were finished.")
    return asked or 0, (last - over.started_at).total_seconds()


def _play(addresses: list[str]) -> float:
    """Return processor seconds of `santiago play` for a match of a round, without its start."""
    few, many = (_play_games(addresses, games) for games in (_WARM, _WARM + _MATCHES))
    return (many - few) / _MATCHES


def _play_games(addresses: list[str], games: int) -> float:
    """Return processor seconds of a whole call."""
    santiago = [sys.executable, "-P", "-m", "ladder.cli.main", "play", *addresses]
    before = getrusage(RUSAGE_CHILDREN)
    run([*santiago, "--games", str(games), "--jobs", str(_WORKERS)], stdout=DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _figures(rounds: list[Round], play: float) -> Figures:
    parts = {name: 1000 * _median(r.spent[name] / _MATCHES for r in rounds) for name in PARTS}
    return Figures(
        floor=_median(r.floor for r in rounds),
        rate=_median(r.rate for r in rounds),
        ratio=_median(r.rate / r.floor for r in rounds),
        decisions=_median(r.decisions / _MATCHES for r in rounds),
        parts=parts,
        play=1000 * play,
        cost=1000 * _median(sum(r.spent.values()) / _MATCHES - play for r in rounds),
    )


def _print(figures: Figures) -> None:
    rates = Table("floor of four a second", "ladder: decisions a second", "ratio", "wanted")
    rates.add_row(
        f"{figures.floor:,.0f}",
        f"{figures.rate:,.0f}",
        f"{figures.ratio:.2f}",
        f"{LEAST_RATIO:g} or more",
    )
    costs = Table("ms of processor a match", *PARTS, "santiago play", "the ladder's own", "wanted")
    costs.add_row(
        f"{figures.decisions:.0f} decisions",
        *(f"{figures.parts[name]:.1f}" for name in PARTS),
        f"{figures.play:.1f}",
        f"{figures.cost:.1f}",
        f"under {MOST_COST:g}",
    )
    Console().print(rates, costs)
    if figures.floor < LEAST_FLOOR:
        print(f"The ratio is void: the floor has less than {LEAST_FLOOR:,} round trips a second.")


def _median(numbers: Iterable[float]) -> float:
    return median(list(numbers))


def _clock_of(pid: int) -> int:
    """Return the clock of a process's processor time, as clock_getcpuclockid(3) of Linux does."""
    return ~pid << 3 | 2


def _until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + _WITHIN
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"It did not happen within {_WITHIN:g} seconds.")
        time.sleep(_LOOK_EVERY)
