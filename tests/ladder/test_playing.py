import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pkgutil import resolve_name
from threading import Event as Flag, Thread
from time import monotonic
from typing import NoReturn

import pytest
from celery import Celery
from celery.exceptions import Reject
from redis import Redis
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError, TimeoutError as NoConnection
from sqlalchemy.orm import Session, sessionmaker

from ladder import model, playing
from ladder.config import Settings
from ladder.contests.tournaments import lifecycle
from ladder.jobs import attempts, process
from ladder.jobs.celery import WORK
from ladder.jobs.kinds import ALONE_FROM
from ladder.jobs.process import add_task
from ladder.jobs.runner import Handler, Runner
from ladder.jobs.stage import Stage
from ladder.live import stream
from ladder.live.game import Watch
from ladder.matches import reading, results
from ladder.matches.job import _LOST_HOSTS, INTERRUPTIONS, MATCHES, MatchClaim
from ladder.matches.reading import MatchRow
from ladder.matches.results import Result
from ladder.matches.states import JOB
from ladder.model import Job, Match, Version
from ladder.ratings import ledger
from referee.errors import Interrupted, OtherVersion, Unreachable
from referee.hosting.client import HostLost
from tests.e2e.processes import until
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import first_match, ranked

TIMEOUT = 300.0  # seconds until what must happen has happened
Open = Callable[..., Runner]


@pytest.fixture
def open_runner(sessions: sessionmaker[Session], redis_url: str) -> Iterator[Open]:
    """Opens a runner in which matches are played by the function that is given."""
    redis = Redis.from_url(redis_url)
    publisher = stream.Publisher(redis)
    opened: list[Runner] = []

    def open_(
        play: playing.Play, own: sessionmaker[Session] = sessions, lease: float = 60.0
    ) -> Runner:
        settings = Settings("unused", redis_url, lease=lease, renew=0.02)
        skill = Handler(MATCHES, partial(playing.play, by=play, live=publisher))
        opened.append(Runner(settings, own, Stage(settings.renew), [skill], "runner"))
        return opened[-1]

    yield open_
    for runner in opened:
        runner.stage.close()
    publisher.close()
    redis.close()


@pytest.fixture
def match_id(session: Session) -> int:
    return first_match(session)


async def quick(claim: MatchClaim, watch: Watch) -> Result:
    watch({"type": "move", "move": "drive 1"})
    return ranked(1, 2)


async def endless(claim: MatchClaim, watch: Watch) -> Result:
    await asyncio.Event().wait()
    raise AssertionError


def raising(error: Exception) -> playing.Play:
    async def play(claim: MatchClaim, watch: Watch) -> Result:
        raise error

    return play


@contextmanager
def in_play(runner: Runner, sessions: sessionmaker[Session], match_id: int) -> Iterator[Thread]:
    """A thread that plays the match, which is running; afterwards it has ended."""
    thread = Thread(target=runner.work, args=(JOB, match_id))
    thread.start()
    until(lambda: read(sessions, match_id).state == "running")
    yield thread
    thread.join(TIMEOUT)
    assert not thread.is_alive()


def read(sessions: sessionmaker[Session], match_id: int) -> MatchRow:
    with sessions() as session:
        return reading.match(session, match_id)


def test_a_match_is_played_and_finished(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    assert open_runner(quick).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (match.state, match.attempt, match.result_number) == ("finished", 1, 1)


def test_a_second_message_plays_nothing(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    runner = open_runner(quick)
    assert runner.work(JOB, match_id)
    assert runner.work(JOB, match_id)
    assert read(sessions, match_id).attempt == 1


def test_a_message_of_a_match_that_is_being_played_plays_nothing(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    runner = open_runner(endless)
    with in_play(runner, sessions, match_id):
        assert runner.work(JOB, match_id)
        assert read(sessions, match_id).attempt == 1
        runner.stage.stop()


def test_what_happens_goes_to_the_live_stream(
    open_runner: Open, redis_url: str, match_id: int
) -> None:
    with Redis.from_url(redis_url) as redis:
        redis.delete(f"santiago:live:{match_id}")
        open_runner(quick).work(JOB, match_id)
        (event,) = stream.read(redis, match_id, wait=TIMEOUT)
    assert (event.attempt, event.sequence) == (1, 1)
    assert event.frame == {"type": "move", "move": "drive 1"}


@on_sqlite
def test_nothing_goes_there_while_another_attempt_may_have_begun(
    open_runner: Open, redis_url: str, match_id: int
) -> None:
    async def asleep_for_a_while(claim: MatchClaim, watch: Watch) -> Result:
        until, claim.held.lease.until = claim.held.lease.until, 0.0
        watch({"type": "move", "move": "drive 2"})
        claim.held.lease.until = until
        return await quick(claim, watch)

    with Redis.from_url(redis_url) as redis:
        redis.delete(f"santiago:live:{match_id}")
        open_runner(asleep_for_a_while).work(JOB, match_id)
        event, *_ = stream.read(redis, match_id, wait=TIMEOUT)
    assert (event.sequence, event.frame["move"]) == (2, "drive 1")


def test_a_bot_out_of_reach_is_tried_again(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    open_runner(raising(Unreachable(1, "connection refused"))).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (match.state, match.interruptions) == ("queued", 0)
    with sessions() as session:
        assert session.get_one(Match, match_id).unreached == 1


def test_a_bot_of_which_another_version_answers_is_paused(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    open_runner(raising(OtherVersion(1, "it says 2", "2"))).work(JOB, match_id)
    assert read(sessions, match_id).state == "queued"
    with sessions() as session:
        (reason,) = session.scalars(
            select(Version.suspension).where(Version.suspension.is_not(None))
        ).all()
    assert reason is not None
    assert reason.startswith("The bot reports version 2, but version 1 is active.")


def test_an_interruption_puts_the_match_back(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    open_runner(raising(Interrupted("the loop lagged"))).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (match.state, match.interruptions) == ("queued", 1)


@pytest.mark.parametrize("error", [Interrupted("the loop lagged"), HostLost("it is gone")])
def test_who_lost_its_host_is_not_played_alone(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int, error: Interrupted
) -> None:
    runner = open_runner(raising(error))
    for _ in range(ALONE_FROM):
        runner.work(JOB, match_id)
    at_once = isinstance(error, HostLost)
    waits = nullcontext() if at_once else pytest.raises(attempts.WantsToBeAlone)
    with sessions() as session, waits:
        claim = attempts.claim(session, MATCHES, match_id, "runner", lease=60.0, alone=False)
        assert claim is not None


def test_a_match_without_result_names_no_machine(
    open_runner: Open,
    sessions: sessionmaker[Session],
    match_id: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    runner = open_runner(raising(HostLost("The host 10.0.0.7:7070: UNAVAILABLE")))
    for _ in range(_LOST_HOSTS + INTERRUPTIONS):
        runner.work(JOB, match_id)
    match = read(sessions, match_id)
    assert match.state == "failed"
    assert match.reason == (
        "interrupted 11 times, 5 times alone; the last time because "
        "the host of its bots could not be reached, or broke off"
    )
    assert "10.0.0.7:7070" in caplog.text  # for the operator


def test_an_unexpected_error_is_logged_with_the_match_which_is_not_lost(
    open_runner: Open,
    sessions: sessionmaker[Session],
    match_id: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    open_runner(raising(RuntimeError("a bug"))).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (match.state, match.interruptions) == ("queued", 1)
    assert f"match {match_id}, attempt 1" in caplog.text
    assert "a bug" in caplog.text


def test_the_lease_is_renewed_while_the_match_is_played(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    runner = open_runner(endless)
    with in_play(runner, sessions, match_id):
        until_renewed(sessions, match_id)
        runner.stage.stop()


def until_renewed(sessions: sessionmaker[Session], match_id: int) -> None:
    def lease_until() -> object:
        with sessions() as session:
            return session.get_one(Job, (JOB, match_id)).lease_until

    first = lease_until()
    until(lambda: lease_until() != first)


def test_a_match_that_is_cancelled_is_not_played_on(
    open_runner: Open,
    sessions: sessionmaker[Session],
    match_id: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with in_play(open_runner(endless), sessions, match_id) as thread, sessions.begin() as session:
        lifecycle.cancel(session, 1)
        session.commit()
        thread.join(TIMEOUT)
    assert read(sessions, match_id).state == "cancelled"
    assert "its result does not count" in caplog.text


def test_at_the_end_matches_are_given_back_without_a_mark(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    runner = open_runner(endless)
    with in_play(runner, sessions, match_id):
        runner.stage.stop()
    match = read(sessions, match_id)
    assert (match.state, match.interruptions) == ("queued", 0)
    assert not runner.work(JOB, match_id)
    assert read(sessions, match_id).state == "queued"


def test_closing_gives_back_what_is_being_played(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    runner = open_runner(endless)
    with in_play(runner, sessions, match_id):
        runner.stage.close()
        assert read(sessions, match_id).state == "queued"


def test_a_game_that_is_cancelled_from_within_counts_as_interrupted(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    async def cancelled(claim: MatchClaim, watch: Watch) -> Result:
        raise asyncio.CancelledError

    open_runner(cancelled).work(JOB, match_id)
    assert read(sessions, match_id).interruptions == 1


def test_many_matches_are_played_on_one_loop(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    together = asyncio.Barrier(2)

    async def meet(claim: MatchClaim, watch: Watch) -> Result:
        await asyncio.wait_for(together.wait(), TIMEOUT)
        return ranked(1, 2)

    runner = open_runner(meet)
    threads = [Thread(target=runner.work, args=(JOB, match_id + number)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT)
    assert read(sessions, match_id).state == read(sessions, match_id + 1).state == "finished"


def test_who_was_interrupted_twice_is_played_when_all_others_have_ended(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    alone, beside = match_id, match_id + 1
    go_on = Flag()
    played: list[int] = []

    async def play(claim: MatchClaim, watch: Watch) -> Result:
        while claim.match_id == beside and not go_on.is_set():
            await asyncio.sleep(0.001)
        played.append(claim.match_id)
        return ranked(1, 2)

    with sessions.begin() as session:
        session.get_one(Job, (JOB, alone)).alone = True
    runner = open_runner(play)
    with in_play(runner, sessions, beside):
        waiting = Thread(target=runner.work, args=(JOB, alone))
        waiting.start()
        until(lambda: sent_at(sessions, alone) is not None)  # it keeps its message while it waits
        assert read(sessions, alone).state == "queued"
        go_on.set()
    waiting.join(TIMEOUT)
    assert played == [beside, alone]


def test_at_the_end_nobody_waits_to_be_alone(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    with sessions.begin() as session:
        session.get_one(Job, (JOB, match_id)).alone = True
    runner = open_runner(endless)
    told: list[bool] = []
    with in_play(runner, sessions, match_id + 1):
        waiting = Thread(target=lambda: told.append(runner.work(JOB, match_id)))
        waiting.start()
        until(lambda: sent_at(sessions, match_id) is not None)
        runner.stage.stop()
    waiting.join(TIMEOUT)
    assert told == [False]


def test_a_match_keeps_how_late_the_loop_was(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    async def dawdle(claim: MatchClaim, watch: Watch) -> Result:
        runner.stage.lag.note(0.75)
        return ranked(1, 2)

    runner = open_runner(dawdle)
    runner.work(JOB, match_id)
    with sessions() as session:
        lag_ms = session.get_one(Match, match_id).lag_ms
    assert lag_ms is not None
    assert lag_ms >= 750


def test_a_game_that_was_played_ends_the_time_for_which_a_bot_was_missed(
    open_runner: Open, sessions: sessionmaker[Session], match_id: int
) -> None:
    with sessions.begin() as session:
        for version in session.scalars(select(Version)):
            version.unreached_since = version.created_at
    open_runner(quick).work(JOB, match_id)
    with sessions() as session:
        assert set(session.scalars(select(Version.unreached_since))) == {None}


def sent_at(sessions: sessionmaker[Session], match_id: int) -> object:
    with sessions() as session:
        return session.get_one(Job, (JOB, match_id)).sent_at


def test_a_result_outlives_a_database_that_goes_away_for_a_moment(
    open_runner: Open,
    sessions: sessionmaker[Session],
    match_id: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finish, told = results.finish, 0

    def finish_at_last(session: Session, claim: MatchClaim, result: Result) -> int:
        nonlocal told
        told += 1
        if told == 2:  # it is written, and nobody hears of it
            finish(session, claim, result)
            session.commit()
        if told < 3:
            raise OperationalError("COMMIT", {}, Exception("the server is gone"))
        return finish(session, claim, result)

    monkeypatch.setattr(results, "finish", finish_at_last)
    assert open_runner(quick).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (told, match.state, match.attempt, match.result_number) == (3, "finished", 1, 1)


@pytest.mark.parametrize(
    "trouble",
    [OperationalError("COMMIT", {}, Exception("the server is gone")), NoConnection("none is free")],
)
def test_a_result_outlives_a_database_that_is_away_for_longer_than_a_lease(
    open_runner: Open,
    sessions: sessionmaker[Session],
    match_id: int,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Exception,
) -> None:
    finish, told, time = results.finish, 0, [0.0]
    monkeypatch.setattr("ladder.jobs.runner.monotonic", lambda: time[0])

    def finish_at_last(session: Session, claim: MatchClaim, result: Result) -> int:
        nonlocal told
        told += 1
        if told == 1:
            time[0] += 3600.0
            raise trouble
        return finish(session, claim, result)

    monkeypatch.setattr(results, "finish", finish_at_last)
    assert open_runner(quick).work(JOB, match_id)
    match = read(sessions, match_id)
    assert (told, match.state, match.attempt) == (2, "finished", 1)


def test_at_the_end_nobody_waits_for_the_database(
    open_runner: Open, match_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(session: Session, claim: MatchClaim, result: Result) -> int:
        runner.stage.stop()
        raise OperationalError("BEGIN", {}, Exception("the server is gone"))

    monkeypatch.setattr(results, "finish", refuse)
    runner = open_runner(quick)
    with pytest.raises(OperationalError):
        runner.work(JOB, match_id)


def test_at_the_end_nobody_waits_to_claim(
    open_runner: Open, match_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def refuse(*claim: object, **_: object) -> NoReturn:
        asked.append(claim)
        runner.stage.stop()
        raise OperationalError("BEGIN", {}, Exception("the server is gone"))

    monkeypatch.setattr(attempts, "claim", refuse)
    runner = open_runner(quick)
    with pytest.raises(OperationalError):
        runner.work(JOB, match_id)
    assert len(asked) == 1


def test_a_message_goes_back_if_the_worker_ends(
    open_runner: Open,
    match_id: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """And Celery prints no traceback for it."""
    app, runner = Celery(set_as_current=False), open_runner(quick)
    add_task(app, runner)
    runner.stage.stop()
    with pytest.raises(Reject, match=r"the worker ends.*True"):
        app.tasks[WORK].run(JOB, match_id)
    for patched in ("celery.app.trace.log_policy_reject", "celery.apps.worker.safe_say"):
        monkeypatch.setattr(patched, resolve_name(patched))
    for name in ("celery.worker.strategy", "celery.app.trace"):
        caplog.set_level(logging.INFO, name)
    process._quieten()
    app.tasks[WORK].apply((JOB, match_id))
    assert caplog.messages == []


@on_sqlite
@pytest.mark.parametrize(
    "trouble",
    [OperationalError("BEGIN", {}, Exception("the server is gone")), NoConnection("none is free")],
)
def test_a_job_that_cannot_be_claimed_is_left_with_a_sentence(
    open_runner: Open,
    match_id: int,
    trouble: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Celery would print a traceback for each message that waits while the database is away."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise trouble

    monkeypatch.setattr(attempts, "claim", refuse)
    monkeypatch.setattr("ladder.jobs.runner.sleep", lambda _: None)
    app = Celery(set_as_current=False)
    add_task(app, open_runner(quick))
    app.tasks[WORK].run(JOB, match_id)
    assert caplog.messages[-1].startswith(f"match {match_id} is left to a later attempt: ")


def test_no_secret_is_logged(
    open_runner: Open, match_id: int, caplog: pytest.LogCaptureFixture
) -> None:
    tokens: list[str] = []

    async def fail(claim: MatchClaim, watch: Watch) -> Result:
        tokens.append(claim.held.token)
        raise RuntimeError(f"with {claim}")

    with caplog.at_level(logging.DEBUG):
        open_runner(fail).work(JOB, match_id)
    assert "RuntimeError" in caplog.text
    assert tokens[0] not in caplog.text


@pytest.fixture
def impatient(database_url: str) -> Iterator[sessionmaker[Session]]:
    """Sessions whose statements may take a second, as a worker's take half a lease at most."""
    engine = model.engine(database_url, 1.0)
    yield model.session_factory(engine)
    engine.dispose()


@on_postgresql
def test_a_result_waits_while_the_ledger_is_held_for_longer_than_a_lease(
    open_runner: Open,
    sessions: sessionmaker[Session],
    impatient: sessionmaker[Session],
    match_id: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    held, lease, time = Flag(), 60.0, [monotonic()]
    monkeypatch.setattr("ladder.jobs.runner.monotonic", lambda: time[0])
    monkeypatch.setattr("ladder.model.postgresql._GONE", 3600.0)

    async def once_it_is_held(claim: MatchClaim, watch: Watch) -> Result:
        await asyncio.to_thread(held.wait, TIMEOUT)
        return ranked(1, 2)

    runner = open_runner(once_it_is_held, impatient, lease)
    with in_play(runner, sessions, match_id), sessions.begin() as session:
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        ledger.lock(session)
        held.set()
        until(lambda: "is not settled yet" in caplog.text)
        for _ in range(2):
            until_renewed(sessions, match_id)
            until_renewed(sessions, match_id)  # the first may have begun before time went on
            time[0] += 0.6 * lease
    match = read(sessions, match_id)
    assert (match.state, match.attempt, match.interruptions) == ("finished", 1, 0)


@on_postgresql
def test_a_claim_that_the_database_ends_is_tried_again(
    open_runner: Open,
    sessions: sessionmaker[Session],
    impatient: sessionmaker[Session],
    match_id: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    thread = Thread(target=open_runner(quick, impatient).work, args=(JOB, match_id))
    with sessions.begin() as session:
        session.get_one(Match, match_id, with_for_update=True)
        thread.start()
        until(lambda: "not claimed yet" in caplog.text)
    thread.join(TIMEOUT)
    assert read(sessions, match_id).state == "finished"
