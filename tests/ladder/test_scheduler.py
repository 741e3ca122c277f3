import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from math import inf
from typing import Any
from unittest.mock import create_autospec

import pytest
from celery import Celery
from redis import Redis, RedisError
from sqlalchemy import event, select, update
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import clearing, packages
from ladder.bots.building import BUILDS
from ladder.bots.checking import CHECKS
from ladder.bots.versions import CHECK
from ladder.casual import history, opening, playing
from ladder.casual.opening import Wish
from ladder.config import Settings
from ladder.contests import matchmaking
from ladder.contests.tournaments import forfeits, lifecycle
from ladder.jobs import attempts, dispatch, workers
from ladder.jobs.kinds import Kind, Queue
from ladder.matches import debts, lanes
from ladder.model import (
    Blob,
    CasualGame,
    CasualPace,
    CasualState,
    Job,
    Match,
    MatchKind,
    PartRow,
    Tournament,
    Version,
    now,
    write,
)
from ladder.parts import Part, Role
from ladder.scheduler import Duties, keep_doing
from ladder.wiring import KINDS
from referee.signals import Flag
from tests.ladder.bots.authors import author
from tests.ladder.bots.test_deadlocks import meanwhile
from tests.ladder.casual.tables import friends
from tests.ladder.contests.tournaments.cups import entrants, go_away, play, queued, running_cup
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import (
    as_kind,
    claimed,
    force_lease_end,
    match_ids,
    set_job,
    start_tournament,
)

MOMENT = timedelta(minutes=5)
OUTAGE = 2 * MOMENT
SETTINGS = Settings("sqlite://", "redis://nowhere")


class Clock(Flag):
    """A scheduler's flag whose waiting only moves a clock, and the clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.at, self.waited = 0.0, list[float]()
        monkeypatch.setattr("ladder.scheduler.monotonic", lambda: self.at)

    def wait(self, timeout: float) -> bool:
        if not self.is_set() and timeout > 0:
            self.waited.append(timeout)
            self.at += timeout
        return self.is_set()


def test_what_is_out_of_reach_is_told_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """Duties are done several times a second: their tracebacks would hide all else."""
    troubles = [RedisError("refused"), OperationalError("SELECT 1", {}, Exception("no route"))]
    stopped = Flag()

    def look() -> None:
        trouble = troubles.pop(0)
        if not troubles:
            stopped.set()
        raise trouble

    with caplog.at_level(logging.WARNING, "ladder.scheduler"):
        keep_doing({look: 0.01}, stopped)
    assert [(line.getMessage(), line.exc_info) for line in caplog.records] == [
        ("look: Redis is out of reach: refused", None),
        ("look: the database does not answer: no route", None),
    ]


def test_each_duty_comes_round_after_its_pause_and_between_them_it_sleeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done, clock = list[tuple[str, float]](), Clock(monkeypatch)

    def often() -> None:
        clock.at += 0.25  # takes this long
        done.append(("often", clock.at))

    def seldom() -> None:
        done.append(("seldom", clock.at))
        clock.set()

    keep_doing({seldom: 4.0, often: 1.5}, clock)
    assert done == [("often", 1.75), ("often", 3.5), ("seldom", 4.0)]
    assert clock.waited == [1.5, 1.5, 0.5]


def test_a_duty_that_takes_long_and_fails_holds_up_no_other_for_good(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done, clock = list[str](), Clock(monkeypatch)

    def slow() -> None:
        clock.at += 60.0
        done.append("slow")
        raise ZeroDivisionError

    def quick() -> None:
        done.append("quick")
        if len(done) == 6:
            clock.set()

    keep_doing({slow: 0.5, quick: 2.0}, clock)
    assert done == 3 * ["slow", "quick"]
    assert [line.getMessage() for line in caplog.records] == 3 * ["slow failed; it is tried again"]


def test_all_that_is_to_be_forgotten_is_forgotten_a_part_at_a_time(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {"games": [500, 499], "outputs": [1000, 1000, 0]}
    monkeypatch.setattr(history, "forget", lambda *_, **__: parts["games"].pop(0))
    monkeypatch.setattr(clearing, "forget_outputs", lambda _: parts["outputs"].pop(0))
    duties_on(sessions).forget()
    assert parts == {"games": [], "outputs": []}
    parts |= {"games": [500] * 100, "outputs": [0]}
    duties_on(sessions).forget()
    assert len(parts["games"]) == 80, "other duties wait"


def test_a_kind_whose_dead_jobs_cannot_be_taken_back_holds_up_no_other(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    reaped = []

    def reap(_session: Session, kind: Kind[Any]) -> list[int]:
        if kind.name == CHECK:
            raise IntegrityError("INSERT", None, Exception("foreign key"))
        reaped.append(kind.name)
        return []

    monkeypatch.setattr(attempts, "expired", lambda _: {kind.name for kind in KINDS})
    monkeypatch.setattr(attempts, "reap", reap)
    duties = duties_on(sessions)
    wait_for_leases(monkeypatch, duties, 1)
    duties.reap()
    assert reaped == [kind.name for kind in KINDS if kind.name != CHECK]


def test_after_an_outage_workers_may_renew_their_leases_before_these_are_taken_back(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each match that was played through the outage would be played again.

    A scheduler that has just been started may not know of it.
    """
    away, reaped = False, []

    def expired(_session: Session) -> set[str]:
        if away:
            raise OperationalError("SELECT 1", {}, Exception("no route"))
        return {CHECK}

    def reap(_session: Session, kind: Kind[Any]) -> list[int]:
        reaped.append(kind.name)
        return []

    monkeypatch.setattr(attempts, "expired", expired)
    monkeypatch.setattr(attempts, "reap", reap)
    duties = duties_on(sessions)
    duties.reap()
    assert reaped == []
    wait_for_leases(monkeypatch, duties, 1)
    duties.reap()
    assert reaped == [CHECK]
    away = True
    with pytest.raises(OperationalError):
        duties.reap()
    away = False
    duties.reap()
    assert reaped == [CHECK]
    wait_for_leases(monkeypatch, duties, 2)
    duties.reap()
    assert reaped == [CHECK, CHECK]


def test_a_scheduler_that_comes_round_late_lets_workers_renew_their_leases_first(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite it waited for a lock as long as they did, and got it first."""
    reaped: list[str] = []
    monkeypatch.setattr(attempts, "expired", lambda _: {CHECK})
    monkeypatch.setattr(attempts, "reap", lambda _, kind: reaped.append(kind.name))
    duties = duties_on(sessions)
    wait_for_leases(monkeypatch, duties, 1)
    stood_still = time.monotonic() + 2 * SETTINGS.lease + SETTINGS.reap_every
    monkeypatch.setattr("ladder.scheduler.monotonic", lambda: stood_still)
    duties.reap()
    duties.reap()
    assert reaped == []
    wait_for_leases(monkeypatch, duties, 4)
    duties.reap()
    assert reaped == [CHECK]


def test_a_database_without_room_is_away_for_whoever_renews_a_lease(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can be read, so it shows what has expired; but nobody can renew anything."""
    duties, reaped = duties_on(sessions), list[str]()
    wait_for_leases(monkeypatch, duties, 1)

    def refuse(_part: Part, _session: Session) -> None:
        raise OperationalError("INSERT", {}, Exception("could not extend file"))

    monkeypatch.setattr(Part, "beat", refuse)
    monkeypatch.setattr(attempts, "expired", lambda _: {CHECK})
    monkeypatch.setattr(attempts, "reap", lambda _, kind: reaped.append(kind.name))
    with pytest.raises(OperationalError):
        duties.live()
    duties.reap()
    assert reaped == []


def test_a_defect_of_one_step_holds_up_no_other(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_session: Session) -> None:
        raise LookupError

    done: list[Session] = []
    monkeypatch.setattr(debts, "tend", fails)
    monkeypatch.setattr(forfeits, "decide", done.append)
    duties_on(sessions).tend()
    assert done


@on_sqlite
def test_what_operators_have_to_know_of_its_duties_is_logged(
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with sessions() as session:
        account = author(session)
        start_tournament(session)
        dead, waiting = match_ids(session)
        claimed(session, dead)
        force_lease_end(session, dead)
        set_job(session, waiting, not_before=now(session) + timedelta(hours=1))
        packages.store(session, BytesIO(b"of no version"), user_id=account.id)
        session.execute(update(Blob).values(created_at=now(session) - timedelta(hours=1)))
        session.commit()
    monkeypatch.setattr(forfeits, "decide", lambda _: [dead])
    duties = duties_on(sessions)
    wait_for_leases(monkeypatch, duties, 1)
    told = caplog.at_level(logging.INFO, "ladder.scheduler")
    with told:
        for duty in (duties.reap, duties.tend, duties.draw_in, duties.clear):
            for _ in range(2 - (duty == duties.tend)):
                duty()
    assert [line.getMessage() for line in caplog.records if line.name == "ladder.scheduler"] == [
        f"no heartbeat: match [{dead}] are taken back",
        f"bots stayed away: matches [{dead}] go on without them",
        "the database's clock was set back: 1 times are drawn in",
        "1 uploads and bundles were dropped: no version needs them",
    ]


def test_no_message_is_sent_to_a_queue_that_is_full(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        start_tournament(session)
        workers.beat(session, "tester", places=100)
        session.commit()
    redis = create_autospec(Redis)
    redis.llen.return_value = SETTINGS.dispatch_window
    duties_on(sessions, redis).dispatch()
    with sessions() as session:
        assert set(session.scalars(select(Job.sent_at))) == {None}


def overdue(sessions: sessionmaker[Session]) -> int:
    """A game in which the time for a choice has just passed; its id."""
    with sessions() as session:
        game = friends(session, 2, CasualPace.LADDER)
        write(session)
        game.asked_at = now(session) - timedelta(minutes=1)
        game.due_at = now(session) - timedelta(seconds=1)
        session.commit()
        return game.id


def waits_for_a_person(sessions: sessionmaker[Session], game_id: int) -> bool:
    """True if the game is as it was, and there is time to choose; False if the time is over."""
    with sessions() as session:
        game = session.get_one(CasualGame, game_id)
        return game.state is CasualState.PLAYING and game.due_at > now(session)


@pytest.fixture
def long_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that was just seen is there, however long a duty waits for a processor."""
    monkeypatch.setattr("ladder.parts.MOMENT", MOMENT)


def show_a_site(sessions: sessionmaker[Session], seen: timedelta = timedelta()) -> None:
    with sessions.begin() as session:
        Part(Role.SITE).beat(session)
        session.execute(update(PartRow).values(seen_at=now(session) - seen))


@pytest.mark.usefixtures("long_moment")
def test_a_scheduler_that_begins_gives_people_the_time_in_which_there_was_none(
    sessions: sessionmaker[Session],
) -> None:
    game = overdue(sessions)
    show_a_site(sessions)
    duties_on(sessions).tend()
    assert waits_for_a_person(sessions, game)


@pytest.mark.usefixtures("long_moment")
def test_nobody_loses_on_time_while_there_is_no_site(sessions: sessionmaker[Session]) -> None:
    show_a_site(sessions)
    duties = duties_on(sessions)
    duties.tend()
    game = overdue(sessions)
    show_a_site(sessions, OUTAGE)
    duties.tend()
    with sessions() as session:
        assert session.get_one(CasualGame, game).state is CasualState.PLAYING
    show_a_site(sessions)
    duties.tend()
    assert waits_for_a_person(sessions, game)


@pytest.mark.usefixtures("long_moment")
@on_postgresql
def test_a_scheduler_begins_while_another_one_closes_games(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        gathering = opening.open_game(session, Wish((None,)))
        gathering.due_at = now(session) - OUTAGE
    game = overdue(sessions)
    show_a_site(sessions)
    with meanwhile(sessions, "after", "UPDATE casual_games", playing.tend):
        duties_on(sessions).tend()
    assert waits_for_a_person(sessions, game)
    with sessions() as session:
        assert session.get_one(CasualGame, gathering.id).state is CasualState.CLOSED


@pytest.mark.usefixtures("long_moment")
@pytest.mark.parametrize(("away_for", "has_time"), [(timedelta(), False), (OUTAGE, True)])
def test_an_outage_of_the_database_is_nobodys_time(
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    away_for: timedelta,
    has_time: bool,
) -> None:
    show_a_site(sessions)
    duties = duties_on(sessions)
    before = datetime.now(UTC) - away_for
    with monkeypatch.context() as earlier:
        earlier.setattr(model, "now", lambda _: before)
        duties.tend()
    game = overdue(sessions)
    show_a_site(sessions)
    duties.tend()
    assert waits_for_a_person(sessions, game) is has_time


@on_sqlite
def test_after_an_outage_bots_have_the_whole_grace_time_to_come_back(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    with sessions() as session:
        cup = running_cup(session, format="round_robin", count=2)
        go_away(session, cup, entrants(session, cup)[0])
        ago = now(session) - timedelta(hours=1)
        session.execute(update(Tournament).values(waiting_since=ago))
        session.execute(update(Version).values(unreached_since=ago))
        session.commit()
    duties = duties_on(sessions)
    decided = list[int]()

    def decide(_: Session, tournament_id: int, __: object) -> list[int]:
        decided.append(tournament_id)
        return []

    monkeypatch.setattr(forfeits, "_give_up_a_deal", decide)
    duties.tend()
    assert not decided
    with sessions.begin() as session:
        session.execute(update(Tournament).values(waiting_since=ago))
    duties.tend()
    assert decided == [cup]


@on_sqlite
def test_a_tournament_whose_round_cannot_be_made_holds_up_no_other(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    with sessions() as session:
        cups = [running_cup(session, format="swiss", count=2, rounds=2) for _ in range(2)]
        for cup in cups:
            for match_id in queued(session, cup):
                play(session, match_id)
    go_on = lifecycle.go_on

    def make(session: Session, tournament_id: int) -> int:
        if tournament_id == cups[0]:
            raise LookupError
        return go_on(session, tournament_id)

    monkeypatch.setattr(lifecycle, "go_on", make)
    duties_on(sessions).go_on()
    with sessions() as session:
        assert [len(queued(session, cup)) for cup in cups] == [0, 2]


@on_sqlite
@pytest.mark.parametrize("duty", [Duties.reap, Duties.tend, Duties.dispatch, Duties.go_on])
def test_an_idle_scheduler_builds_no_statement_again(
    sessions: sessionmaker[Session], duty: Callable[[Duties], None]
) -> None:
    duties, asked = duties_on(sessions), []

    def note(_connection: object, statement: object, *_: object) -> None:
        asked.append(statement)

    duty(duties)  # the first one knows of nothing before it
    event.listen(sessions.kw["bind"], "before_execute", note)
    for _ in range(2):
        duty(duties)
    first, second = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    assert asked
    assert all(one is other for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("kind", [CHECKS, BUILDS])
def test_which_checks_and_builds_wait_is_built_once(kind: Kind[Any]) -> None:
    queue = kind.queues[0]
    assert kind.waits() is kind.waits() is kind.fits(queue, ())


@pytest.mark.parametrize(
    ("kind", "queue"), KINDS.queues, ids=[queue.name for _, queue in KINDS.queues]
)
def test_which_jobs_may_be_done_is_built_once(kind: Kind[Any], queue: Queue) -> None:
    assert kind.fits(queue, [1]) is kind.fits(queue, [2])
    without_hosts = [lanes.HOSTS, lanes.UNRATED, lanes.ANSWERS]
    assert kind.fits(queue, without_hosts) is kind.fits(queue, [7, *without_hosts])


@on_sqlite
@pytest.mark.parametrize("kind", [MatchKind.CHALLENGE, MatchKind.TOURNAMENT, MatchKind.LADDER])
def test_to_choose_what_to_send_builds_no_statement_again(
    session: Session, kind: MatchKind
) -> None:
    start_tournament(session, deals=2)
    workers.beat(session, "w", places=32)
    if kind is not MatchKind.TOURNAMENT:
        as_kind(session, kind)
    asked: list[object] = []
    event.listen(session.connection(), "before_execute", lambda _, said, *__: asked.append(said))
    for number in range(3):
        first, asked[:] = asked[:], []
        sent = dispatch.due(session, KINDS, kind, limit=1, message_age=60)
        assert sent == [number + 1]
    assert all(one is other for one, other in zip(first, asked, strict=True))


@on_sqlite
def test_to_count_what_is_needed_builds_no_statement_again(session: Session) -> None:
    start_tournament(session, count=2, deals=1)
    session.execute(update(Job).values(queue=MatchKind.LADDER))
    session.execute(update(Match).values(kind=MatchKind.LADDER, tournament_id=None))
    asked: list[object] = []
    event.listen(session.connection(), "before_execute", lambda _, said, *__: asked.append(said))
    for _ in range(2):
        assert matchmaking.need(session, 4, message_age=20.0, pace=inf).matches < 8, "one waits"
    first, second = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    assert all(one is other for one, other in zip(first, second, strict=True))


def wait_for_leases(monkeypatch: pytest.MonkeyPatch, duties: Duties, count: int) -> None:
    """As if that time had passed since the test's beginning, and the scheduler had been awake."""
    later = duties._reaped_at = time.monotonic() + count * SETTINGS.lease
    monkeypatch.setattr("ladder.scheduler.monotonic", lambda: later)


def duties_on(sessions: sessionmaker[Session], redis: Redis | None = None) -> Duties:
    redis = redis or create_autospec(Redis)
    return Duties(SETTINGS, sessions, redis, Celery(), Part(Role.SCHEDULER))
