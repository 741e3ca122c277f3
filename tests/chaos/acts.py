"""What befalls the arena: each act is a method, and all happen as often, in an order by chance."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from signal import SIGCONT, SIGKILL, SIGSTOP
from time import monotonic
from typing import Final

from sqlalchemy import func, select

from ladder.config import Settings
from ladder.jobs.celery import celery_app, send
from ladder.matches.states import JOB
from ladder.model import Match, MatchKind, MatchState, now
from ladder.wiring import KINDS
from tests.chaos.arena import AT_HAND, BOT_PROCESSES, LEASE, Arena, Process

_LEASES: Final = 4  # at most while a worker sleeps


class Acts:
    """The acts; `done` counts them by name."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._rng = arena.rng
        self.done: Counter[str] = Counter()
        self.standstills: dict[str, float] = {}
        """The longest time in seconds until matches began after connections were swallowed."""

    def in_turn(self, number: int) -> Iterator[Callable[[], None]]:
        """So many acts; none a second time before all were there."""
        left: list[Callable[[], None]] = []
        for _ in range(number):
            left = left or self._rng.sample(self._every(), len(self._every()))
            yield left.pop()

    def _every(self) -> list[Callable[[], None]]:
        return [
            self.kill_worker,
            self.kill_bot,
            self.kill_scheduler,
            self.sleep,
            self.sleep_while_redis_is_emptied,
            self.restart_redis_kept,
            self.restart_redis_emptied,
            self.repeat_messages,
            *(partial(self.swallow, server) for server in self._arena.proxies),
        ]

    def kill_worker(self) -> None:
        self.done["a worker killed"] += 1
        self._rng.choice(self._arena.workers).send_signal(SIGKILL)

    def kill_bot(self) -> None:
        self.done["a bot killed"] += 1
        self._arena.restart_bot(self._rng.randrange(BOT_PROCESSES))

    def kill_scheduler(self) -> None:
        self.done["the scheduler killed"] += 1
        self._arena.scheduler.send_signal(SIGKILL)

    def sleep(self) -> None:
        self.done["a worker asleep past its lease"] += 1
        worker = self._sleeping()
        worker.send_signal(SIGCONT)

    def sleep_while_redis_is_emptied(self) -> None:
        self.done["a worker asleep past its lease and all that Redis held"] += 1
        worker = self._sleeping()
        self._restart_redis(keep=False)
        self._arena.until_for(LEASE, lambda: False)  # the others' games go on in the new Redis
        worker.send_signal(SIGCONT)

    def restart_redis_kept(self) -> None:
        self.done["Redis restarted with its data"] += 1
        self._restart_redis(keep=True)

    def restart_redis_emptied(self) -> None:
        self.done["Redis restarted empty"] += 1
        self._restart_redis(keep=False)

    def repeat_messages(self) -> None:
        """Messages for matches that are queued, played, or over."""
        self.done["a message for each match sent again"] += 1
        app = celery_app(Settings("not used", self._arena.redis_url), KINDS.order)
        with self._arena.sessions() as session:
            ids = session.scalars(select(Match.id)).all()
        send(app, JOB, MatchKind.LADDER, ids)
        app.close()

    def swallow(self, server: str) -> None:
        self.done[f"all connections to {server} swallowed"] += 1
        began, at = monotonic(), self._now()
        self._arena.proxies[server].swallow()
        self._arena.until(lambda: self._went_on(at), f"play goes on without {server}")
        self.standstills[server] = max(self.standstills.get(server, 0.0), monotonic() - began)

    def _now(self) -> datetime:
        with self._arena.sessions() as session:
            return now(session)

    def _went_on(self, since: datetime) -> bool:
        """Whether more matches have begun since than workers had messages for, or none waits."""
        began = select(func.count()).select_from(Match).where(Match.started_at > since)
        waits = select(Match.id).where(Match.state == MatchState.QUEUED).limit(1)
        with self._arena.sessions() as session:
            return session.scalars(began).one() > AT_HAND or session.scalar(waits) is None

    def _restart_redis(self, *, keep: bool) -> None:
        self._arena.stop_redis(keep=keep)
        self._arena.until_for(0.5, lambda: False)
        self._arena.start_redis()

    def _sleeping(self) -> Process:
        """A worker that was stopped while it played, and whose matches were taken from it.

        Where it holds SQLite's lock in that moment nobody can take anything from it: then the wait
        has an end.
        """
        worker = self._rng.choice(self._arena.workers)
        self._arena.until_for(2 * LEASE, lambda: self._plays(worker))
        worker.send_signal(SIGSTOP)
        self._arena.until_for(_LEASES * LEASE, lambda: not self._plays(worker))
        return worker

    def _plays(self, worker: Process) -> bool:
        own = Match.claimed_by.contains(f":{worker.pid}:", autoescape=True)
        with self._arena.sessions() as session:
            count = select(func.count()).select_from(Match)
            return bool(session.scalar(count.where(Match.state == MatchState.RUNNING, own)))
