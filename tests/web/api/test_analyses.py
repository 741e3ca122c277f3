"""Anybody may ask for the analysis of a match, and read it."""

from functools import cache

import pytest
from flask.testing import FlaskClient
from limits import parse
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.analyses import queue
from ladder.analyses.engine import Analysed
from ladder.analyses.job import ANALYSES, ANALYSIS
from ladder.jobs import attempts
from ladder.matches import reading
from ladder.model import Analysis
from referee.analysis import analyse, document, pack, unpack
from referee.engine import VERSION
from referee.replay import read
from tests.web.accounts.visitors import post
from tests.web.api.programs import Arena, Program, problem
from web import limits
from web.api.analyses import AnalysisShown


@cache
def made(replay: bytes) -> Analysed:
    """The analysis of a replay, at little depth; that of the arena's match is made once."""
    return Analysed(VERSION, 1, pack(analyse(read(replay), looks=1)))


def settled(session: Session, match_id: int) -> Analysed:
    """Make the analysis that was asked for, as a worker does; committed."""
    claim = attempts.claim(session, ANALYSES, match_id, "tester", lease=60.0)
    session.commit()
    assert claim is not None
    analysed = made(reading.replay(session, match_id))
    ANALYSES.finish(session, claim, analysed)
    session.commit()
    return analysed


def test_it_is_there_some_time_after_somebody_asked(
    stranger: Program, session: Session, arena: Arena
) -> None:
    path = f"/matches/{arena.match}/analysis"
    status, why, _ = problem(stranger.get(path))
    assert (status, "ask for it by POST" in why) == (404, True)
    asked = stranger.post(path)
    assert (asked.status_code, asked.get_json()["state"]) == (202, "waiting")
    awaited = stranger.get(path).get_json()
    assert awaited.pop("analysis") is None
    assert asked.get_json() == awaited | {"match_id": arena.match}
    expected = unpack(settled(session, arena.match).data)
    found = stranger.get(path).get_json()
    assert (found["state"], found["engine"], found["outdated"]) == ("ready", VERSION, False)
    assert found["analysis"]["decisions"] == document(expected)["decisions"]
    described = AnalysisShown.model_validate(found, by_name=True).model_dump()
    assert described.keys() == found.keys()
    assert described["analysis"] == found["analysis"]
    assert len(found["analysis"]["chances"]) == len(
        stranger.get(f"/matches/{arena.match}/frames").get_json()["frames"]
    )


def test_who_has_it_is_not_sent_it_again(stranger: Program, session: Session, arena: Arena) -> None:
    path = f"/matches/{arena.match}/analysis"
    stranger.post(path)
    settled(session, arena.match)
    first = stranger.get(path)
    again = Program(stranger.client, {"If-None-Match": first.headers["ETag"]}).get(path)
    assert (again.status_code, again.text) == (304, "")
    session.execute(update(Analysis).values(engine=VERSION - 1))
    session.commit()
    assert stranger.get(path).headers["ETag"] != first.headers["ETag"], "now it is outdated"


def test_a_failure_says_why(stranger: Program, session: Session, arena: Arena) -> None:
    path = f"/matches/{arena.match}/analysis"
    at = reading.match(session, arena.match).finished_at
    row = Analysis(match_id=arena.match, failed="No.", failed_engine=VERSION, failed_at=at)
    session.add(row)
    session.commit()
    found = stranger.get(path).get_json()
    assert (found["state"], found["reason"], found["analysis"]) == ("failed", "No.", None)
    assert problem(stranger.post(path))[0] == 409


@pytest.mark.parametrize("path", ["/matches/4711/analysis", "/matches/2/analysis"])
def test_what_cannot_be_analysed_is_refused(stranger: Program, arena: Arena, path: str) -> None:
    assert problem(stranger.post(path))[0] == (404 if "4711" in path else 409)
    status, why, _ = problem(stranger.get(path))
    assert (status, "by POST" in why) == (404, False)


def test_nobody_may_ask_all_the_time(
    stranger: Program, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANALYSIS", limits.Rule("analysis", parse("1 per hour")))
    path = f"/matches/{arena.match}/analysis"
    assert stranger.post(path).status_code == 202
    assert problem(stranger.post(path))[0] == 429


def test_two_addresses_at_once_leave_room_in_the_queue_for_others() -> None:
    assert 2 * limits.ANALYSIS.rate.amount < queue.MOST_WAITING


def test_while_many_wait_an_address_may_ask_for_few(
    stranger: Program, session: Session, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a few addresses do not fill the queue."""
    monkeypatch.setattr(queue, "MOST_WAITING", 4)
    path, few = f"/matches/{arena.match}/analysis", limits.ANALYSIS_IN_CROWD.rate.amount
    attempts.enqueue(session, ANALYSIS, ANALYSIS, [arena.match])
    session.commit()
    assert {stranger.post(path).status_code for _ in range(few + 1)} == {202}, "one waits"
    attempts.enqueue(session, ANALYSIS, ANALYSIS, [4711])
    session.commit()
    assert {stranger.post(path).status_code for _ in range(few)} == {202}
    assert problem(stranger.post(path))[0] == 429


def test_the_form_leads_to_the_page_of_the_analysis(client: FlaskClient, arena: Arena) -> None:
    answer = client.post(f"/matches/{arena.match}/analysis")
    assert answer.status_code == 400, "a form of another site"
    answer = post(client, f"/matches/{arena.match}/analysis")
    assert (answer.status_code, answer.location) == (303, f"/matches/{arena.match}/analysis")
