"""Attacks on the API, each refused or made harmless."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.model import Match
from ladder.people import tickets
from tests.web.api.programs import API, Arena, Program, problem
from tests.web.arena import claim_next, play_next, register, tournament

SCRIPT = "<script>alert(1)</script>"
SQL = ("1 OR 1=1", "1; DROP TABLE bots", "' OR ''='", "1)) UNION SELECT secret FROM versions --")


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
@pytest.mark.parametrize("path", ["", "/result", "/replay", "/frames", "/finish", "/seats"])
def test_no_call_takes_a_result(
    organiser: Program, session: Session, arena: Arena, method: str, path: str
) -> None:
    """Results come from workers that have claimed the match, through the database alone."""
    claim = claim_next(session, arena.cup)
    forged = {"seats": [{"rank": 1, "vp": 99}, {"rank": 2, "vp": 0}], "token": claim.held.token}
    call = getattr(organiser.client, method)
    answer = call(f"{API}/matches/{claim.match_id}{path}", json=forged, headers=organiser.headers)
    assert problem(answer)[0] in (404, 405)
    assert session.get_one(Match, claim.match_id, populate_existing=True).state == "running"


def test_no_answer_holds_a_fencing_token_or_a_seed(
    organiser: Program, session: Session, arena: Arena
) -> None:
    claim = claim_next(session, arena.cup)
    for path in (f"/matches/{claim.match_id}", "/matches", "/export/results", "/fairness/workers"):
        text = organiser.get(path).text
        assert claim.held.token not in text
        assert "seed" not in text
        assert str(claim.layout_seed) not in text


def test_a_revoked_token(ana: Program, session: Session, arena: Arena) -> None:
    (made,) = tickets.list_tokens(session, arena.ana)
    tickets.revoke_token(session, arena.ana, made.id)
    session.commit()
    assert problem(ana.get("/account"))[0] == 401
    assert problem(ana.post(f"/bots/{arena.own}/retire"))[0] == 401


@pytest.mark.parametrize("text", SQL)
def test_sql_in_every_parameter(ana: Program, organiser: Program, arena: Arena, text: str) -> None:
    for path in ("/bots", "/matches", "/tournaments", "/export/results", "/export/replays"):
        for name in ("before", "limit", "after", "bot", "opponent", "tournament", "state"):
            assert problem(ana.get(path, **{name: text}))[0] == 422
    for path in ("bots", "matches", "tournaments", "standings", "fairness", "account/bots"):
        assert problem(ana.get(f"/{path}/{text}"))[0] == 404
    assert problem(ana.get(f"/bots/{arena.own}/log", which=text))[0] == 422
    for field in ("name", "version", "address", "language"):
        given = {"name": "rum", "version": "1", field: text}
        assert problem(ana.post("/bots", **given))[0] == 422
    annulled = organiser.post(f"/matches/{arena.match}/annul", reason=text)
    assert annulled.get_json()["annul_reason"] == text, "here it is a text as any other"
    assert len(ana.get("/bots").get_json()["bots"]) == 3


def test_script_comes_back_as_json_alone(
    client: FlaskClient, organiser: Program, session: Session, arena: Arena
) -> None:
    cup = tournament(session, register(session, [f"ana{SCRIPT}", "rosa"]), name=f"Copa{SCRIPT}")
    played = play_next(session, cup)
    organiser.post(f"/matches/{played}/annul", reason=SCRIPT)
    for path in (f"/matches/{played}", "/tournaments", "/bots", "/standings", "/export/results"):
        answer = client.get(f"{API}{path}")
        assert SCRIPT in answer.text or "\\u003cscript" in answer.text
        assert answer.mimetype in ("application/json", "application/x-ndjson")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    refused = organiser.post("/tournaments", name="x", bots=[1, 2], format=SCRIPT)
    assert refused.mimetype == "application/problem+json"
    assert refused.headers["X-Content-Type-Options"] == "nosniff"


def test_ids_beyond_every_bound(organiser: Program) -> None:
    for number in ("0", "-1", str(2**31), str(2**63), str(2**64), "9" * 5000):
        for path in ("bots", "matches", "tournaments"):
            assert problem(organiser.get(f"/{path}/{number}"))[0] == 404
        assert problem(organiser.post(f"/tournaments/{number}/start"))[0] == 404
