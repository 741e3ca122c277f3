import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.analyses.job import ANALYSIS
from ladder.contests.tournaments import creating, lifecycle
from ladder.jobs import attempts, workers
from ladder.model import Analysis, CasualAnalysis, Match
from ladder.ratings import fairness
from referee.clock import Clock
from tests.ladder.casual.tables import friends
from tests.web.accounts.visitors import make, sign_in
from tests.web.arena import play_next, register, tournament


def cup(session: Session) -> None:
    """Two bots and a tournament of two matches, one of which was given up."""
    ids = register(session, ["ada", "bela"])
    made = creating.create(session, None, name="Copa", seats=2, bot_ids=ids, deals=1, clock=Clock())
    lifecycle.start(session, made.id)
    failed = {"state": "failed", "finished_at": Match.created_at, "reason": "<b>no more rum</b>"}
    session.execute(update(Match).where(Match.id == 1).values(failed))
    session.commit()


def test_an_admin_sees_queue_workers_and_what_was_given_up(
    boss: FlaskClient, session: Session
) -> None:
    cup(session)
    workers.beat(session, "havana:7", places=4, lag_ms=12)
    attempts.enqueue(session, ANALYSIS, ANALYSIS, [1])
    at = session.get_one(Match, 2).created_at
    session.add(Analysis(match_id=2, failed="out of memory", failed_at=at))
    game = friends(session)
    session.add(CasualAnalysis(game_id=game.id, failed="no time", failed_at=at))
    session.commit()
    page = boss.get("/operator").text
    assert '<th scope="row">tournament</th><td class="number">1</td>' in page
    assert '<th scope="row">analysis</th><td class="number">1</td>' in page
    assert "2 in total" in page.partition("Analyses given up")[2]
    failed = '<a href="/operator/matches/2">Match 2</a></th>.*out of memory'
    assert re.search(failed, page, re.DOTALL)
    assert f"Game {game.id} with people" in page
    assert "havana:7" in page
    assert "12 ms" in page
    assert "&lt;b&gt;no more rum&lt;/b&gt;" in page
    assert 'href="/operator/matches/1"' in page


def test_the_faults_on_each_worker_are_seen(boss: FlaskClient, session: Session) -> None:
    assert "Faults and lag by worker" not in boss.get("/operator").text
    play_next(session, tournament(session, register(session, ["ada", "bela"])))
    fairness.refresh(session, 2)
    session.commit()
    page = boss.get("/operator").text
    assert "Faults and lag by worker" in page
    assert '<th scope="row">tests</th><td class="number" data-head="Matches">1</td>' in page


def test_where_nobody_works_it_says_what_to_start(boss: FlaskClient) -> None:
    page = boss.get("/operator").text
    assert "No workers are running" in page
    assert "santiago worker" in page


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_others_see_nothing(client: FlaskClient, session: Session, role: str) -> None:
    make(session, "ana", role)
    sign_in(client, "ana")
    assert client.get("/operator").status_code == 403


def test_who_has_not_signed_in_is_asked_to(client: FlaskClient) -> None:
    assert client.get("/operator").status_code in (302, 303, 401)
