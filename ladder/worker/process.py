"""The worker: one process, no fork, some jobs at once. Its parts are put together here."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from prometheus_client import start_http_server
from redis import Redis
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import checking, examining
from ladder.bots.checking import CHECKS, Check
from ladder.bots.reports import Report
from ladder.config import Settings
from ladder.jobs.process import Heart, consume
from ladder.jobs.stage import Stage
from ladder.jobs.working import Hall, Hold, Settle, Skill
from ladder.kinds import KINDS
from ladder.live.stream import Publisher
from ladder.matches.durations import longest
from ladder.matches.job import MATCHES
from ladder.worker.looking import LookFor, Lookout, look_for
from ladder.worker.playing import Play, Playing, referee

_REDIS_TIMEOUT: Final = 5.0  # seconds for an answer from Redis

Examine = Callable[[Check], Coroutine[Any, Any, Report]]
"""Makes a check; nothing is raised on the bot's account."""


@dataclass(frozen=True, slots=True)
class Trades:
    """What a worker does for its living."""

    play: Play = referee
    examine: Examine = examining.run_check
    look_for: LookFor = look_for

    def skills(self, live: Publisher) -> tuple[Skill[Any], ...]:
        """How each kind of job is done."""
        return Skill(MATCHES, Playing(live, self.play)), Skill(CHECKS, checking_by(self.examine))


def checking_by(examine: Examine) -> Callable[[Check, Hold], Coroutine[Any, Any, Settle[Check]]]:
    """How a check is made: examine the version, then keep the report."""

    async def check(claim: Check, hold: Hold) -> Settle[Check]:  # noqa: ARG001
        return partial(checking.finish, report=await examine(claim))

    return check


def run_worker(settings: Settings, trades: Trades | None = None) -> int:
    """Do jobs until SIGTERM or SIGINT; the exit status. Logging is the caller's."""
    trades = trades or Trades()
    model.check_schema(settings.database_url)
    if settings.metrics_port:
        start_http_server(settings.metrics_port, settings.metrics_host)
    # Not the process id alone: in a container every worker may have the same.
    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(2)}"
    with ExitStack() as stack:
        engine = model.engine(settings.database_url)
        stack.callback(engine.dispose)
        sessions = model.session_factory(engine)
        redis = Redis.from_url(settings.redis_url, socket_timeout=_REDIS_TIMEOUT)
        live = stack.enter_context(closing(Publisher(stack.enter_context(closing(redis)))))
        stage = stack.enter_context(closing(Stage(settings.renew)))
        hall = Hall(settings, sessions, stage, trades.skills(live), name)
        lookout = Lookout(sessions, stage, trades.look_for)
        heart = stack.enter_context(closing(Heart(settings, sessions, stage.lag, lookout, name)))
        return consume(settings, KINDS, _longest(sessions), hall, heart)


def _longest(sessions: sessionmaker[Session]) -> float:
    """Seconds that a job may take, by all clocks that are in use when the worker starts.

    If a longer one comes later, a message may come twice, and the second finds nothing to take.
    """
    with sessions() as session:
        return max(longest(session), checking.LONGEST)
