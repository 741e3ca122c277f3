"""The scheduler: takes jobs back from dead workers, sends messages, makes matches and rounds.

Any number may run at once. Its duties are done in this process and not by the queue, where they
would wait behind the very jobs that they look after. Prometheus reads queue and workers here.
"""

import logging
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Thread
from time import monotonic
from typing import Final

from celery import Celery
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, Counter
from redis import Redis, RedisError
from sqlalchemy.exc import OperationalError as DatabaseAway, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model, parts
from ladder.analyses import queue as analyses
from ladder.bots import building, checking, clearing
from ladder.broker import open_redis
from ladder.casual import history as casual_history, playing as casual
from ladder.config import Settings
from ladder.contests import matchmaking
from ladder.contests.tournaments import correcting, forfeits, lifecycle, rounds
from ladder.jobs import attempts, dispatch, workers
from ladder.jobs.celery import celery_app, redis_list, send
from ladder.matches import debts, misses
from ladder.operating.metrics import Gauges, serve_metrics
from ladder.parts import BEAT, Part, Role, Watchdog
from ladder.puzzles import solving
from ladder.wiring import KINDS
from referee.signals import Flag, ending_signals

_log = logging.getLogger(__name__)

_REGISTRY: Final = CollectorRegistry()
"""The scheduler's metrics; the worker's are apart, for the scheduler plays no matches."""

_REAPED: Final = Counter(
    "santiago_reaped", "Attempts taken back because their worker was dead.", registry=_REGISTRY
)

_TEND_EVERY: Final = 1.0
_ANALYSE_EVERY: Final = 5.0
_DRAW_EVERY: Final = 10.0
_CLEAR_EVERY: Final = 60.0
_FORGET_EVERY: Final = 3600.0
_FORGET_TIMES: Final = 20
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_STRENGTHS_TIMEOUT: Final = 600.0  # seconds for a statement: some read all matches


def run_scheduler(settings: Settings) -> None:
    """Do the scheduler's duties until a signal asks to end. Logging is the caller's."""
    model.check_schema(settings.database_url)
    engine = model.engine(settings.database_url, settings.statement_timeout)
    redis = open_redis(settings.redis_url)
    app = celery_app(settings, KINDS.order)
    sessions = model.session_factory(engine)
    if settings.metrics_port:
        _REGISTRY.register(Gauges(sessions))
        serve_metrics(settings, _REGISTRY)
    part, watchdog = Part(Role.SCHEDULER), Watchdog(settings.standstill)
    duties, stopped = Duties(settings, sessions, redis, app, part), Flag()
    Thread(target=_keep_strengths, args=(settings.database_url, stopped), daemon=True).start()
    slow = {watchdog.watched(duties.go_on): _TEND_EVERY}
    Thread(target=keep_doing, args=(slow, stopped), daemon=True).start()
    for number in ending_signals():
        signal.signal(number, lambda *_: stopped.set())
    watchdog.start()
    try:
        _log.info("the scheduler begins")
        keep_doing(_watched(duties.by_pause(), watchdog), stopped)
        _log.info("the scheduler ends")
        _sign_off(part, sessions)
    finally:
        stopped.set()
        redis.close()
        engine.dispose()


def _keep_strengths(database_url: str, stopped: Flag) -> None:
    """Compute strengths in a thread: on a large ladder that takes longer than a lease lasts."""
    from ladder.ratings.strength import keep_current  # imports numpy, which takes its time

    engine = model.engine(database_url, _STRENGTHS_TIMEOUT)
    keep_current(model.session_factory(engine), stopped)
    engine.dispose()


def keep_doing(duties: Mapping[Callable[[], None], float], stopped: Flag) -> None:
    """Do each duty again and again until `stopped` is set, with its pause in seconds between."""
    due = {duty: monotonic() + pause for duty, pause in duties.items()}
    while True:
        duty = min(due, key=due.__getitem__)
        if stopped.wait(due[duty] - monotonic()):
            return
        _attempt(duty)
        due[duty] = monotonic() + duties[duty]


def _watched(
    duties: Mapping[Callable[[], None], float], watchdog: Watchdog
) -> dict[Callable[[], None], float]:
    """Have the watchdog look after the duties that come round often."""
    return {
        watchdog.watched(duty) if pause < watchdog.timeout else duty: pause
        for duty, pause in duties.items()
    }


def _sign_off(part: Part, sessions: sessionmaker[Session]) -> None:
    with suppress(SQLAlchemyError), sessions.begin() as session:
        part.sign_off(session)


class Duties:
    """The duties of a scheduler. Any number of schedulers may do them at once."""

    def __init__(
        self,
        settings: Settings,
        sessions: sessionmaker[Session],
        redis: Redis,
        app: Celery,
        part: Part,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._redis = redis
        self._app = app
        self._part = part
        self._away_at = self._reaped_at = monotonic()  # as far as it knows
        self._site_at = self._decided_at = _NEVER

    def by_pause(self) -> dict[Callable[[], None], float]:
        """Return each duty with its pause: the seconds after which it is done again.

        `go_on` is not among them, as it may take longer than the others may wait.
        """
        return {
            self.live: BEAT,
            self.reap: self._settings.reap_every,
            self.tend: _TEND_EVERY,
            self.dispatch: self._settings.dispatch_every,
            self.match: self._settings.match_every,
            self.analyse: _ANALYSE_EVERY,
            self.draw_in: _DRAW_EVERY,
            self.clear: _CLEAR_EVERY,
            self.forget: _FORGET_EVERY,
        }

    def live(self) -> None:
        """Give a sign of life."""
        with self._noting_outages(), self._sessions.begin() as session:
            self._part.beat(session)

    def reap(self) -> None:
        """Take jobs back from dead workers; who is alive has the time to renew a lease first."""
        with self._noting_outages(), self._sessions() as session:
            expired = attempts.expired(session)
        if not self._all_had_time():
            return
        for kind in (kind for kind in KINDS if kind.name in expired):
            with self._noting_outages(), _apart(f"to take back each dead {kind.name}"):
                with self._sessions.begin() as session:
                    dead = attempts.reap(session, kind)
                if dead:
                    _REAPED.inc(len(dead))
                    _log.warning("no heartbeat: %s %s are taken back", kind.name, dead)

    def _all_had_time(self) -> bool:
        """Return True once a lease has passed since the start, or since the database was away.

        So it was, too, if this comes round late: workers may have waited for the same lock.
        """
        at, settings = monotonic(), self._settings
        if at > self._reaped_at + settings.reap_every + settings.lease - settings.renew:
            self._away_at = at
        self._reaped_at = at
        return at >= self._away_at + settings.lease

    def tend(self) -> None:
        """Note who holds up matches, cancel or forfeit those of bots away, have bundles built."""
        steps = (debts.tend, building.tend, misses.withdraw, correcting.withdraw_retired)
        for step in steps:
            with _apart(f"{step.__module__}.{step.__name__}"), self._sessions.begin() as session:
                step(session)
        with _apart("casual.tend"):
            self._tend_casual_games()
        self._give_up_absent_bots()

    def _give_up_absent_bots(self) -> None:
        with self._sessions.begin() as session:
            at = model.now(session)
            if at > self._decided_at + model.SILENT:  # no bot could come back meanwhile
                forfeits.wait_anew(session)
        with self._sessions.begin() as session:
            given_up = forfeits.decide(session)
        self._decided_at = at
        if given_up:
            _log.warning("bots stayed away: matches %s go on without them", given_up)

    def _tend_casual_games(self) -> None:
        """Let people's time run out only while there is a site; give it again to who had none.

        So an outage, also one of the database or of the scheduler, is nobody's time.
        """
        with self._sessions.begin() as session:
            at, there_is_a_site = model.now(session), parts.present(session, Role.SITE)
            if there_is_a_site and at > self._site_at + parts.MOMENT:
                casual.ask_anew(session)
        if there_is_a_site:
            with self._sessions.begin() as session:  # else it would lock games in another order
                casual.tend(session)
        self._site_at = at if there_is_a_site else _NEVER

    def go_on(self) -> None:
        """Make the next rounds of tournaments, and finish those whose last round is over."""
        with self._sessions() as session:
            due = rounds.due(session)
        for tournament_id in due:
            with _apart(f"to go on with tournament {tournament_id}"):
                with self._sessions.begin() as session:
                    made = lifecycle.go_on(session, tournament_id)
                with self._sessions.begin() as session:
                    rounds.note_growth(session, made)

    def dispatch(self) -> None:
        """Send messages for the jobs that can be done."""
        age = self._settings.message_age
        with self._sessions.begin() as session:
            checking.tend(session)
        with self._sessions() as session:
            waiting = dispatch.waiting(session, KINDS, message_age=age)
        for kind, queue in waiting:
            places = self._room(queue.name)
            if places > 0:
                with self._sessions.begin() as session:
                    due = dispatch.due(session, KINDS, queue.name, limit=places, message_age=age)
                if due:
                    send(self._app, kind.name, queue.name, due)

    def match(self) -> None:
        """Make matches for the ladders."""
        settings = self._settings
        with self._sessions.begin() as session:
            matchmaking.top_up(session, message_age=settings.message_age, pace=settings.ladder_pace)

    def analyse(self) -> None:
        """Have a finished match analysed that nobody has asked for, and an old puzzle checked."""
        with self._sessions.begin() as session:
            analyses.tend(session, self._settings.analyses)
        if self._settings.analyses:
            with self._sessions.begin() as session:
                solving.tend(session)

    def draw_in(self) -> None:
        """Let nobody wait for as long as the database's clock was set back."""
        with self._sessions.begin() as session:
            drawn = model.draw_in(session)
        if drawn:
            _log.warning("the database's clock was set back: %d times are drawn in", drawn)

    def clear(self) -> None:
        """Drop uploads and bundles that no version needs any more."""
        with self._sessions.begin() as session:
            dropped = clearing.drop_unneeded(session)
        if dropped:
            _log.info("%s uploads and bundles were dropped: no version needs them", len(dropped))

    def forget(self) -> None:
        """Delete rows that nobody asks for any more."""
        with self._sessions.begin() as session:
            workers.forget(session)
            parts.forget(session)
            clearing.forget_logs(session)
        guests = timedelta(days=self._settings.guest_days)
        games = partial(casual_history.forget, guests=guests), casual_history.AT_ONCE
        for forget, at_once in (games, (clearing.forget_outputs, clearing.AT_ONCE)):
            for _ in range(_FORGET_TIMES):  # other duties wait meanwhile
                with self._sessions.begin() as session:
                    if forget(session) < at_once:
                        break

    @contextmanager
    def _noting_outages(self) -> Iterator[None]:
        try:
            yield
        except DatabaseAway:
            self._away_at = monotonic()
            raise

    def _room(self, queue: str) -> int:
        """Return how many messages the queue may still take."""
        waiting: int = self._redis.llen(redis_list(queue))
        return max(0, self._settings.dispatch_window - waiting)


@contextmanager
def _apart(step: str) -> Iterator[None]:
    """Log the defect of a step of a duty, so that it does not hold up the next one."""
    try:
        yield
    except DatabaseAway:
        raise
    except Exception:
        _log.exception("%s failed; it is tried again", step)


def _attempt(duty: Callable[[], None]) -> None:
    """Do a duty; log why it failed."""
    name = duty.__name__
    try:
        duty()
    except (OperationalError, RedisError) as error:
        _log.warning("%s: Redis is out of reach: %s", name, error)
    except DatabaseAway as error:
        _log.warning("%s: the database does not answer: %s", name, model.own_words(error))
    except Exception:
        _log.exception("%s failed; it is tried again", name)
