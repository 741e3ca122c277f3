"""A worker whose analysis is cut short: the engine's process ends, and nothing is lost."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import Any

import pytest
from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses import queue
from ladder.analyses.engine import Analysed, run_engine
from ladder.analyses.job import ANALYSES, ANALYSIS
from ladder.config import Settings
from ladder.jobs import attempts
from ladder.jobs.runner import Handler, Runner
from ladder.jobs.stage import Stage
from ladder.model import Job
from referee.replay import write
from tests.e2e.processes import until
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.referee.analysis.games import replay_of

SETTINGS = Settings("unused", "unix:///unused", lease=60.0, renew=0.02)
Started = list[asyncio.subprocess.Process]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(SETTINGS.renew)
    yield stage
    stage.close()


@pytest.fixture
def match_id(sessions: sessionmaker[Session]) -> int:
    """A match whose analysis waits."""
    with sessions() as session:
        start_tournament(session)
        first = match_ids(session)[0]
        finished(session, first, replace(ranked(1, 2), replay=write(replay_of("two"))))
        queue.ask(session, first)
        session.commit()
    return first


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """The engine's processes."""
    found: Started = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: str, **options: Any) -> asyncio.subprocess.Process:
        found.append(await start(*command, **options))
        return found[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    return found


async def for_ever(data: bytes) -> Analysed:
    return await run_engine(data, looks=10**9)


def job_of(sessions: sessionmaker[Session], match_id: int) -> Job:
    with sessions() as session:
        return session.get_one(Job, (ANALYSIS, match_id))


@on_sqlite
@pytest.mark.parametrize("lost", [False, True], ids=["the worker stops", "the lease is lost"])
def test_what_is_cut_short_is_done_again(
    stage: Stage, sessions: sessionmaker[Session], match_id: int, started: Started, lost: bool
) -> None:
    handler = Handler(ANALYSES, partial(ANALYSES.analyse, by=for_ever))
    runner = Runner(SETTINGS, sessions, stage, [handler], "one")
    thread = Thread(target=runner.work, args=(ANALYSIS, match_id))
    thread.start()
    until(lambda: started)
    if lost:
        with sessions.begin() as session:
            attempts.void(session, ANALYSIS, match_id)
    else:
        stage.stop()
    thread.join(60)
    until(lambda: started[0].returncode is not None)
    with sessions() as session:
        assert queue.analysis(session, match_id).state == "waiting"
    waiting = job_of(sessions, match_id)
    assert (waiting.token, waiting.number) == (None, 1 if lost else 0)
