"""The worker process: one process without fork that does several jobs at once.

It plays matches, checks versions and, between its heartbeats, looks for bots that were out of
reach. Its parts are put together here.
"""

import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy.orm import Session, sessionmaker

from ladder import model, playing
from ladder.analyses import job as analyses
from ladder.analyses.engine import run_engine, run_solver
from ladder.bots import bans, building, builds, checking, reach, reports, versions
from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.bots.hosts import Hosts, NoHost, note
from ladder.broker import open_redis
from ladder.casual import answering
from ladder.config import Settings
from ladder.errors import LadderError, NoRoom, NotFound, Phrase, Refused, SettingsError
from ladder.jobs.kinds import Claim
from ladder.jobs.process import MESSAGES, Errand, Heartbeat, consume
from ladder.jobs.runner import Handler, Runner, Settle
from ladder.jobs.stage import Stage
from ladder.live.stream import Publisher
from ladder.matches.job import MATCHES
from ladder.operating.metrics import serve_metrics
from ladder.parts import Part, Role, Watchdog
from ladder.puzzles import solving
from ladder.wiring import KINDS
from referee.errors import Interrupted, InvalidSetting, NoGateway
from referee.hosting.client import BuildFailed, HostRefuses
from referee.seats.description import NotDescribed, stated_version
from referee.signals import ending_signals
from referee.ways import Ways, bot_behind_gateway

_log = logging.getLogger(__name__)

_LOOK_TIMEOUT: Final = 5.0  # seconds
_NO_ROOM: Final = Phrase("Waiting for room for what was built. The operator’s log says why.")
_NOT_TAKEN: Final = Phrase("Waiting for a host: none took it so far. The operator’s log says why.")
_NO_GATEWAY: Final = Phrase("Waiting for the gateway, which does not answer.")

_C = TypeVar("_C", bound=Claim)
Examine = Callable[[reports.CheckClaim], Coroutine[Any, Any, reports.Report]]
"""Makes a check; raises nothing because of the bot."""
LookFor = Callable[[reach.Look], Coroutine[Any, Any, bool | None]]
"""Returns True if the bot answers, None if we cannot ask it; raises nothing because of it."""


async def look_for(look: reach.Look) -> bool | None:
    """Return True if the version says that it is there; its address is looked up and checked.

    None if that cannot be known: the gateway, behind which it is, does not answer, or has started
    just now.
    """
    try:
        ways = await ways_to(look.address, look.secret, Ways.from_environment(), house=look.house)
        stated = await stated_version(look.address, ways)
    except (OutOfBounds, NotDescribed) as error:
        _log.info("version %d, of %s, is still away: %s", look.version_id, look.name, error)
        return None if isinstance(error, NotDescribed) and error.ours else False
    except SettingsError as error:  # this worker can't open the bot's secret
        _log.error("version %d, of %s, can't be asked: %s", look.version_id, look.name, error)
        return False
    except Exception:
        _log.exception("version %d, of %s, could not be looked for", look.version_id, look.name)
        return False
    return look.stated in (None, stated)


_FOUND: Final = {True: reach.online, False: reach.still_away, None: reach.excused}


@dataclass(frozen=True, slots=True)
class Skills:
    """The functions by which a worker plays, checks and analyses."""

    play: playing.Play | None = None
    """None for the referee."""
    examine: Examine | None = None
    """None for the conformance suite."""
    analyse: analyses.Analyse = run_engine
    solve: solving.Solve = run_solver

    def handlers(
        self, live: Publisher, sessions: sessionmaker[Session], hosts: Hosts
    ) -> tuple[Handler[Any], ...]:
        """Return how each kind of job is done."""
        play = self.play or partial(playing.referee, hosts=hosts)
        examine = self.examine or partial(reports.run_check, hosts=hosts)
        return (
            Handler(answering.ANSWERS, partial(answering.answer, hosts=hosts)),
            Handler(MATCHES, partial(playing.play, by=play, live=live)),
            Handler(checking.CHECKS, partial(check, by=examine)),
            Handler(building.BUILDS, partial(build, hosts=hosts, sessions=sessions)),
            *(
                Handler(kind, partial(kind.analyse, by=self.analyse))
                for kind in (analyses.CASUAL_ANALYSES, analyses.ANALYSES)
            ),
            Handler(solving.PUZZLES, partial(solving.check, by=self.solve)),
        )


async def build(
    claim: builds.BuildClaim, *, hosts: Hosts, sessions: sessionmaker[Session]
) -> Settle[builds.BuildClaim]:
    """Have one of these hosts make a build; return what settles the job."""
    try:
        log = builds.LogWriter(sessions, claim.held)
        bundle = await builds.run_build(claim, hosts, sessions, log)
    except (NoHost, HostRefuses) as error:
        return _waiting(claim, error)
    except Interrupted as error:
        return _interrupted(building.BUILDS, claim, error)
    except NoRoom as error:
        _log.error("the bundle of version %d is not stored: %s", claim.version_id, error)
        return partial(versions.put_off, why=_NO_ROOM, later=building.WITHOUT_ROOM)
    except (BuildFailed, NotFound, Refused) as error:
        return partial(building.break_off, why=_said(error))
    return partial(building.finish, bundle=bundle)


async def check(claim: reports.CheckClaim, *, by: Examine) -> Settle[reports.CheckClaim]:
    """Check a version; return what stores the report."""
    try:
        return partial(checking.finish, report=await by(claim))
    except (NoHost, HostRefuses) as error:
        return _waiting(claim, error)
    except NoGateway as error:
        _log.warning("version %d waits: %s", claim.version_id, error)
        return partial(versions.put_off, why=_NO_GATEWAY)
    except InvalidSetting as error:  # no fault of the version: another worker may have a gateway
        if bot_behind_gateway(claim.address) is None:
            raise
        _log.error("version %d waits: %s", claim.version_id, error)
        return partial(versions.put_off, why=_NO_GATEWAY)
    except Interrupted as error:
        return _interrupted(checking.CHECKS, claim, error)


def _waiting(
    claim: builds.BuildClaim | reports.CheckClaim, error: NoHost | HostRefuses
) -> Settle[Any]:
    """Return what settles a claim that no host took; tell author and operator."""
    _log.warning("version %d waits for a host: %s", claim.version_id, error)
    return partial(versions.put_off, why=_NOT_TAKEN)


def _interrupted(kind: versions.Validation[_C], claim: _C, error: Interrupted) -> Settle[_C]:
    """Return what settles a claim that the platform interrupted."""
    held = claim.held
    _log.warning("the %s of version %d was interrupted: %s", held.kind, held.subject, error)
    return kind.interrupt


def _said(error: BuildFailed | LadderError) -> str:
    """Return the sentence of an error; that of the ladder can be translated."""
    return Phrase(error.template, **error.fields) if isinstance(error, LadderError) else str(error)


def look_out(
    sessions: sessionmaker[Session], stage: Stage, look_for: LookFor, has_time: Callable[[], bool]
) -> None:
    """Look for the bots that are due, one after the other, while there is time."""
    while has_time():
        with sessions.begin() as session:
            look = reach.look(session)
        if look is None:
            return
        try:
            is_there = stage.run(look_for(look), _LOOK_TIMEOUT)
        except TimeoutError:  # for a bot behind the gateway this answers
            is_there = None if bot_behind_gateway(look.address) else False
        with sessions.begin() as session:
            _FOUND[is_there](session, look.version_id)
        if is_there:
            _log.info("version %d, of %s, is back", look.version_id, look.name)


def watch_hosts(sessions: sessionmaker[Session], stage: Stage, hosts: Hosts) -> None:
    """Ask all hosts how they are, and write it down.

    Drains those that the operator wants drained, and drops what is banned.
    """
    try:
        statuses = stage.run(hosts.statuses(), _LOOK_TIMEOUT)
        with sessions.begin() as session:
            draining = note(session, statuses)
            banned = bans.banned(session)
        stage.run(hosts.drain(draining), _LOOK_TIMEOUT)
        stage.run(hosts.forget(banned), _LOOK_TIMEOUT)
    except TimeoutError:
        _log.warning("this worker was too busy to hear its hosts in time")


def run_worker(settings: Settings, skills: Skills | None = None) -> int:
    """Do jobs until SIGTERM or SIGINT; return the exit status. Logging is the caller's."""
    skills = skills or Skills()
    model.check_schema(settings.database_url)
    serve_metrics(settings)
    part, watchdog = Part(Role.WORKER), Watchdog(settings.standstill)
    watchdog.came_round(MESSAGES)  # to start must not take for ever, either
    watchdog.start()
    with ExitStack() as stack:
        engine = model.engine(settings.database_url, settings.statement_timeout)
        stack.callback(engine.dispose)
        sessions = model.session_factory(engine)
        redis = stack.enter_context(closing(open_redis(settings.redis_url)))
        live = stack.enter_context(closing(Publisher(redis)))
        stage = stack.enter_context(closing(Stage(settings.renew)))
        hosts = Hosts.from_environment(sessions)
        stack.callback(stage.run, hosts.close(), _LOOK_TIMEOUT)
        handlers = skills.handlers(live, sessions, hosts)
        runner = Runner(settings, sessions, stage, handlers, part.name)
        errands = _errands(sessions, stage, hosts)
        for number in ending_signals():  # until Celery hears them: it signs off all the same
            signal.signal(number, lambda *_: sys.exit())
        heartbeat = stack.enter_context(
            closing(Heartbeat(settings, sessions, stage.lag, errands, part, watchdog))
        )
        stage.lag.on_note = partial(watchdog.came_round, "the event loop")
        return consume(settings, KINDS, runner, heartbeat, watchdog)


def _errands(sessions: sessionmaker[Session], stage: Stage, hosts: Hosts) -> Errand:
    """Return what is done between heartbeats."""

    def run(has_time: Callable[[], bool]) -> None:
        if hosts.known:
            watch_hosts(sessions, stage, hosts)
        look_out(sessions, stage, look_for, has_time)

    return run
