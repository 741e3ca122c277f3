"""Analyses of finished matches: who may ask, what is stored, and what follows from failures."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from functools import cache
from signal import SIGKILL
from typing import Any

import pytest
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session

from ladder.analyses import engine, queue
from ladder.analyses.engine import ATTEMPTS, Analysed, NotAnalysed, run_engine
from ladder.analyses.job import ANALYSES, ANALYSIS, Analyse, AnalysisClaim
from ladder.contests.tournaments.forfeits import forfeit
from ladder.errors import NotFound, Refused, Stale
from ladder.jobs import attempts, workers
from ladder.jobs.kinds import Attempt
from ladder.model import Analysis, Job, Match, MatchKind, now
from referee.analysis import pack, unpack
from referee.analysis.process import framed
from referee.engine import VERSION
from referee.replay import write
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import LEASE, finished, match_ids, ranked, start_tournament
from tests.referee.analysis.games import analysis_of, replay_of

LOWEST = 19
REPLAY = write(replay_of("two"))


@cache
def analysed() -> Analysed:
    return Analysed(VERSION, 2, pack(analysis_of("two")))


@pytest.fixture
def match_id(session: Session) -> int:
    """A match that is over, and one that is not."""
    start_tournament(session)
    first = match_ids(session)[0]
    finished(session, first, replace(ranked(1, 2), replay=REPLAY))
    return first


def asked(session: Session, match_id: int) -> str:
    found = queue.ask(session, match_id)
    session.commit()
    return found.state


@on_sqlite
def test_those_that_failed_are_found_without_reading_all(session: Session) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    assert queue.failures(session, limit=1) == []
    assert queue.queue_state(session).failed == 0
    steps = [step for one in asked for step in plan(session, *one) if "analyses" in step]
    used = ["ix_analyses_failed", "ix_casual_analyses_failed"] * 2
    assert [step.split()[-1] for step in steps] == used


def state(session: Session, match_id: int) -> str:
    session.expire_all()
    found = queue.analysis(session, match_id).state
    session.commit()
    return found


def claimed(session: Session, match_id: int) -> AnalysisClaim:
    claim = attempts.claim(session, ANALYSES, match_id, "tester", lease=LEASE)
    session.commit()
    assert claim is not None
    return claim


def attempted(session: Session, match_id: int, analyse: Analyse) -> None:
    """Make an attempt as a worker does; committed."""
    attempts.bring_forward(session, ANALYSIS, match_id)
    claim = claimed(session, match_id)
    settle = asyncio.run(ANALYSES.analyse(claim, by=analyse))
    settle(session, claim)
    session.commit()


async def made(replay: bytes) -> Analysed:
    assert replay == REPLAY
    return analysed()


async def broken(replay: bytes) -> Analysed:
    raise NotAnalysed("The engine was ended by signal 9.")


@on_sqlite
def test_a_match_is_analysed_when_somebody_asks(session: Session, match_id: int) -> None:
    assert state(session, match_id) == "none"
    assert asked(session, match_id) == "waiting"
    claim = claimed(session, match_id)
    assert state(session, match_id) == "running"
    ANALYSES.finish(session, claim, analysed())
    session.commit()
    found = queue.analysis(session, match_id)
    assert (found.state, found.engine, found.outdated) == ("ready", VERSION, False)
    assert unpack(found.data or b"") == analysis_of("two")


def test_who_asks_again_changes_nothing(session: Session, match_id: int) -> None:
    assert [asked(session, match_id) for _ in range(2)] == ["waiting"] * 2
    attempted(session, match_id, made)
    assert asked(session, match_id) == "ready"
    assert session.scalars(select(Job).where(Job.kind == ANALYSIS)).all() == []


def test_an_older_engines_analysis_stays_until_it_is_made_anew(
    session: Session, match_id: int
) -> None:
    asked(session, match_id)
    attempted(session, match_id, made)
    session.execute(update(Analysis).values(engine=VERSION - 1))
    session.commit()
    assert queue.analysis(session, match_id).outdated
    assert asked(session, match_id) == "waiting"
    assert queue.analysis(session, match_id).data == analysed().data


@on_sqlite
def test_only_matches_that_are_over_are_analysed(session: Session, match_id: int) -> None:
    running = match_ids(session)[-1]
    with pytest.raises(Refused, match="only a game that was played to its end"):
        queue.ask(session, running)
    with pytest.raises(NotFound):
        queue.ask(session, 4711)
    attempts.enqueue(session, ANALYSIS, ANALYSIS, [running])
    session.commit()
    assert attempts.claim(session, ANALYSES, running, "tester", lease=LEASE) is None
    assert session.scalars(select(Job.subject).where(Job.kind == ANALYSIS)).all() == []


@on_sqlite
def test_the_queue_has_its_bounds(
    session: Session, match_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "MOST_WAITING", 0)
    with pytest.raises(Refused, match="try again later"):
        queue.ask(session, match_id)


def test_an_analysis_that_fails_is_not_tried_for_ever(session: Session, match_id: int) -> None:
    asked(session, match_id)
    for _ in range(ATTEMPTS):
        assert state(session, match_id) == "waiting"
        attempted(session, match_id, broken)
    found = queue.analysis(session, match_id)
    assert (found.state, found.reason) == ("failed", "The engine was ended by signal 9.")
    assert queue.tend(session, pace=60.0) is None
    with pytest.raises(Refused, match="tomorrow"):
        queue.ask(session, match_id)
    session.rollback()
    yesterday = now(session) - queue.AFTER_FAILURE - timedelta(seconds=1)
    session.execute(update(Analysis).values(failed_at=yesterday))
    session.commit()
    assert asked(session, match_id) == "waiting"
    attempted(session, match_id, made)
    assert state(session, match_id) == "ready"


def taken_back(session: Session, match_id: int) -> Attempt:
    """The attempt of a worker that then dies."""
    attempts.bring_forward(session, ANALYSIS, match_id)
    held = claimed(session, match_id).held
    late = now(session) - timedelta(seconds=1)
    session.execute(update(Job).where(Job.kind == ANALYSIS).values(lease_until=late))
    session.commit()
    assert attempts.reap(session, ANALYSES) == [match_id]
    session.commit()
    return held


@on_sqlite
def test_workers_that_die_beside_other_work_fail_no_analysis(
    session: Session, match_id: int
) -> None:
    asked(session, match_id)
    for _ in range(ATTEMPTS - 1):
        attempted(session, match_id, broken)
    assert not taken_back(session, match_id).alone
    assert state(session, match_id) == "waiting", "something else was done beside it"
    attempted(session, match_id, made)
    assert state(session, match_id) == "ready"


@on_sqlite
def test_an_analysis_of_which_workers_die_alone_is_given_up(
    session: Session, match_id: int
) -> None:
    asked(session, match_id)
    alone = [taken_back(session, match_id).alone for _ in range(ATTEMPTS)]
    assert alone == [False, False, True, True, True]
    found = queue.analysis(session, match_id)
    assert (found.state, found.reason) == ("failed", "Its worker was interrupted.")


def test_a_damaged_replay_fails_at_once(session: Session) -> None:
    start_tournament(session)
    match_id = match_ids(session)[0]
    finished(session, match_id, ranked(1, 2))
    asked(session, match_id)
    attempted(session, match_id, run_engine)
    found = queue.analysis(session, match_id)
    assert found.state == "failed"
    assert "does not begin with SANTIAGO" in (found.reason or "")


@pytest.mark.parametrize(
    ("status", "complaint", "why"),
    [
        (-SIGKILL, b"", "The engine was ended by signal 9."),
        (1, b"Traceback:\nOSError: \xff no file: '/srv/a'\n", "The engine failed: OSError"),
        (1, b"/usr/bin/python3: No module named referee\n", "The engine failed: exit status 1"),
        (2, b" ", "The engine failed: exit status 2"),
    ],
)
def test_why_a_process_of_the_engine_ended_is_told(status: int, complaint: bytes, why: str) -> None:
    failed = engine._failure(status, complaint)
    assert (str(failed), failed.for_good) == (why, False)


def test_a_process_of_its_own_analyses_the_replay(session: Session, match_id: int) -> None:
    found = asyncio.run(run_engine(REPLAY, looks=2))
    assert unpack(found.data) == analysis_of("two")


def test_the_process_has_the_lowest_priority_and_ends_if_nobody_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: str, **options: Any) -> asyncio.subprocess.Process:
        started.append(await start(*command, **options))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def cancelled() -> None:
        running = asyncio.create_task(run_engine(REPLAY, looks=10**9))
        while not (started and os.getpriority(os.PRIO_PROCESS, started[0].pid) == LOWEST):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()

    asyncio.run(cancelled())
    assert [process.returncode for process in started] == [-SIGKILL]


def test_the_process_ends_if_whoever_started_it_is_gone() -> None:
    command = (sys.executable, "-m", "referee.analysis.process", "analyse", str(10**9))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(framed(REPLAY))
        process.stdin.close()
        assert process.wait(timeout=60) == 1


def test_a_worker_that_lost_its_lease_writes_nothing(session: Session, match_id: int) -> None:
    asked(session, match_id)
    late = claimed(session, match_id)
    session.execute(
        update(Job)
        .where(Job.kind == ANALYSIS)
        .values(lease_until=now(session) - timedelta(seconds=1))
    )
    session.commit()
    assert attempts.reap(session, ANALYSES) == [match_id]
    session.commit()
    attempts.bring_forward(session, ANALYSIS, match_id)
    second = claimed(session, match_id)
    with pytest.raises(Stale):
        ANALYSES.finish(session, late, analysed())
    session.rollback()
    ANALYSES.finish(session, second, analysed())
    session.commit()
    assert state(session, match_id) == "ready"


@on_sqlite
def test_the_games_of_tournaments_are_analysed_by_themselves(
    session: Session, match_id: int
) -> None:
    assert queue.tend(session, pace=0.0) is None
    assert queue.tend(session, pace=1.0) == match_id
    session.commit()
    assert queue.tend(session, pace=1.0) is None, "one waits"
    attempted(session, match_id, made)
    assert queue.tend(session, pace=1.0) is None, "there is no other"


def test_others_are_analysed_as_time_allows(session: Session, match_id: int) -> None:
    session.execute(update(Match).values(kind=MatchKind.LADDER, tournament_id=None))
    session.commit()
    assert queue.tend(session, pace=1.0) is None, "no worker has time"
    session.rollback()
    workers.beat(session, "tester", places=2)
    session.commit()
    assert queue.tend(session, pace=1.0) == match_id
    session.commit()
    attempted(session, match_id, made)
    session.execute(update(Analysis).values(match_id=match_ids(session)[-1]))
    session.commit()
    assert queue.tend(session, pace=1.0) is None, "one was made in this hour"
    assert queue.tend(session, pace=2.0) == match_id


@on_sqlite
def test_matches_without_a_game_stop_no_analyses(session: Session, match_id: int) -> None:
    newest = match_ids(session)[-1]
    session.commit()
    forfeit(session, newest, [0])
    session.commit()
    assert queue.tend(session, pace=1.0) == match_id
