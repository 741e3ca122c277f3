"""A ladder of real processes: Redis, scheduler, two workers that may kill themselves, bots.

Scheduler and workers reach their servers through proxies, which can swallow connections.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from signal import SIGKILL
from types import TracebackType
from typing import Final, Self

from redis import Redis
from sqlalchemy import make_url
from sqlalchemy.orm import Session, sessionmaker

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from referee.processes import BotProcess
from tests.chaos.bots import PAUSE
from tests.chaos.worker import POINTS
from tests.conftest import PROJECT, redis_command, wait_for_redis
from tests.forking import Forked
from tests.swallowing import Proxy, postgresql_behind, redis_behind, socket_of

WORKERS: Final = 2
BOT_PROCESSES: Final = 3
LEASE: Final = 2.0  # seconds
AT_HAND: Final = 8
"""Matches that all workers together play at once, or have messages for."""
_SETTINGS: Final = {
    "SANTIAGO_ANALYSES": "0",
    "SANTIAGO_PLACES": str(AT_HAND // WORKERS),
    "SANTIAGO_LEASE": str(LEASE),
    "SANTIAGO_RENEW": "0.4",
    "SANTIAGO_MESSAGE_AGE": "2",
}
_LATEST_MINE: Final = 3
_LOOK_EVERY: Final = 0.1  # seconds
_LAST_WORDS: Final = 10_000  # characters of the log, where something goes wrong

Process = Forked


@dataclass
class Patience:
    """When the whole is to be over."""

    seconds: float

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    def check(self, what: str) -> None:
        assert time.monotonic() < self._until, f"not within {self.seconds:g} s: {what}"


class Arena:
    """All processes, in use from the `with` until it is left. `folder` needs a short name."""

    def __init__(
        self,
        folder: Path,
        database_url: str,
        rng: Random,
        *,
        mines: int,
        think: float,
        patience: float,
    ) -> None:
        """`mines`: how often a worker kills itself at each point; `think`: seconds that a bot takes
        for a move; `patience`: seconds for the whole."""
        self.rng = rng
        self.deaths = 0
        """Of workers."""
        self.redis_url = f"unix://{folder}/redis.sock"
        self.sessions: sessionmaker[Session]
        self._folder = folder
        self._url = database_url
        self._think = {PAUSE: str(think)}
        self._patience = Patience(patience)
        self._mines = mines
        self._mined: dict[int, str] = {}  # the points of the workers by their process
        self._stack = ExitStack()
        self._meanwhile: list[Callable[[], None]] = []
        self.proxies: dict[str, Proxy] = {}
        """By the name of the server behind."""
        self._addresses: dict[str, str] = {}
        self.workers: list[Process] = []
        self._started: list[Process | subprocess.Popen[bytes]] = []
        self._bots: list[BotProcess] = []

    def __enter__(self) -> Self:
        engine = model.engine(_of_no_part(self._url))
        self._stack.callback(engine.dispose)
        self.sessions = model.session_factory(engine)
        self._log = self._folder / "log"
        self._stack.callback(self._kill_all)
        self.start_redis()
        self._stand_between()
        self._bots = [self._bot(number) for number in range(BOT_PROCESSES)]
        self.scheduler = self._scheduler()
        for _ in range(WORKERS):
            self.workers.append(self._worker())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            print(self.log[-_LAST_WORDS:])
        self._stack.close()

    @property
    def log(self) -> str:
        """What all processes have printed."""
        return self._log.read_text(errors="replace")

    def address(self, number: int) -> str:
        """Where a bot's process answers."""
        return f"unix:{self._folder}/bot{number}"

    def meanwhile(self, do: Callable[[], None]) -> None:
        """Something to do again and again while the arena waits."""
        self._meanwhile.append(do)

    def until(self, happened: Callable[[], object], what: str) -> None:
        """Wait; what ends meanwhile is started again."""
        while not happened():
            self._patience.check(what)
            self._tend()
            for do in self._meanwhile:
                do()
            time.sleep(_LOOK_EVERY)

    def until_for(self, seconds: float, happened: Callable[[], object]) -> None:
        """Wait, but no longer than that."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end or happened(), "time passes")

    def _stand_between(self) -> None:
        to_redis = self._stack.enter_context(Proxy(self.redis_url.removeprefix("unix://")))
        self.proxies["Redis"] = to_redis
        self._addresses = {"DATABASE_URL": self._url, "REDIS_URL": redis_behind(to_redis)}
        if self._url.startswith("postgresql"):
            to_database = self._stack.enter_context(Proxy(socket_of(self._url)))
            self.proxies["PostgreSQL"] = to_database
            self._addresses["DATABASE_URL"] = postgresql_behind(to_database, self._url)

    def start_redis(self) -> None:
        command = redis_command(self._folder / "redis.sock")
        self._redis = subprocess.Popen(
            command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )
        self._started.append(self._redis)
        wait_for_redis(self.redis_url, self._redis)

    def stop_redis(self, *, keep: bool) -> None:
        """End Redis; with `keep` the next one starts with its data."""
        with Redis.from_url(self.redis_url) as client:
            client.shutdown(save=keep, nosave=not keep)
        self._redis.wait()
        if not keep:
            (self._folder / "dump.rdb").unlink(missing_ok=True)

    def restart_bot(self, number: int) -> None:
        """Kill a bot's process and start it again."""
        os.kill(self._bots[number].pid, SIGKILL)
        self._bots[number].stop()
        self._bots[number] = self._bot(number)

    def mines(self) -> Counter[str]:
        """How often a worker has killed itself at each point."""
        file = self._folder / "mines"
        return Counter(file.read_text().splitlines() if file.exists() else ())

    def _tend(self) -> None:
        for index, worker in enumerate(self.workers):
            if _was_killed(worker):
                self.deaths += 1
                self.workers[index] = self._worker()
        if _was_killed(self.scheduler):
            self.scheduler = self._scheduler()

    def _worker(self) -> Process:
        mine: list[str] = []
        if point := self._next_point():
            mine = [point, str(self.rng.randint(1, _LATEST_MINE))]
        worker = self._start("tests.chaos.worker", str(self._folder / "mines"), *mine)
        self._mined[worker.pid] = point
        return worker

    def _next_point(self) -> str:
        """That at which the fewest workers have killed themselves or will; none for enough."""
        sown = self.mines() + Counter(
            self._mined[worker.pid] for worker in self.workers if worker.poll() is None
        )
        point = min(POINTS, key=lambda point: (sown[point], self.rng.random()))
        return point if sown[point] < self._mines else ""

    def _scheduler(self) -> Process:
        return self._start("ladder.cli.main", "scheduler")

    def _bot(self, number: int) -> BotProcess:
        command = [sys.executable, "-m", "referee.serving", "tests.chaos.bots:Ponderer"]
        return BotProcess(command, self.address(number), extra=self._think)

    def _start(self, module: str, *words: str) -> Process:
        environ = os.environ | _SETTINGS | self._addresses
        self._started.append(started := Forked(module, *words, env=environ, log=self._log))
        return started

    def _kill_all(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()
        for bot in self._bots:
            bot.stop()


def _of_no_part(url: str) -> str:
    """The address for who may stand still in a transaction: no part ends what is not of its own."""
    made = make_url(url)
    if made.get_backend_name() == "postgresql":
        made = made.update_query_dict({"application_name": "chaos"})
    return made.render_as_string(hide_password=False)


def _was_killed(process: Process) -> bool:
    """False while it lives; nothing here ends by itself."""
    status = process.poll()
    assert status in (None, -SIGKILL), f"process {process.pid} ended with exit status {status}"
    return status is not None
