"""What an admin does by the API, and nobody else."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.matches.job import MATCHES
from ladder.matches.queue import queue_unrated
from ladder.model import HostRow, MatchKind, now
from ladder.people.accounts import audit_records
from tests.web.accounts.visitors import make
from tests.web.api.programs import Arena, Program, problem
from tests.web.arena import LEASE

READ = ("queue", "matches", "bots", "versions", "ladders", "hosts", "builds", "uses", "bans")
WHY = {"reason": "no more rum"}


@pytest.fixture
def admin(client: FlaskClient, session: Session, arena: Arena) -> Program:
    return Program.of(client, session, make(session, "boss", "admin"), "admin")


def done(session: Session) -> tuple[str, str, str | None]:
    """The newest entry of the audit."""
    session.rollback()
    entry = audit_records(session)[0]
    return entry.action, entry.subject, entry.reason


def test_how_the_service_stands(admin: Program, session: Session, arena: Arena) -> None:
    queue = admin.get("/operator/queue").get_json()
    assert queue["queued"] == {str(kind): int(kind == MatchKind.TOURNAMENT) for kind in MatchKind}
    assert (queue["failed"], sum(queue["running"].values())) == (0, 0)
    assert queue["analyses"] == {"waiting": 0, "running": 0, "failed": 0}
    assert admin.get("/operator/matches").get_json() == {"matches": []}
    (waiting,) = admin.get("/operator/matches", state="queued").get_json()["matches"]
    assert (waiting["kind"], sorted(waiting["bots"])) == ("tournament", ["luz", "rey"])
    assert admin.get("/operator/bots").get_json() == {"bots": []}
    assert admin.get("/operator/versions").get_json() == {"versions": []}


def test_a_match_is_cancelled(admin: Program, session: Session, arena: Arena) -> None:
    (waiting,) = admin.get("/operator/matches", state="queued").get_json()["matches"]
    path = f"/operator/matches/{waiting['id']}/cancel"
    assert problem(admin.post(path))[0] == 415
    assert problem(admin.post(path, why="x"))[0] == 422
    assert problem(admin.post(path, reason=" "))[2] == "reason"
    cancelled = admin.post(path, **WHY).get_json()
    assert (cancelled["state"], cancelled["reason"]) == (
        "cancelled",
        "An admin cancelled it: no more rum",
    )
    assert done(session) == ("cancel", f"match {waiting['id']}", "no more rum")
    assert problem(admin.post(path, **WHY))[0] == 409
    assert problem(admin.post("/operator/matches/999/cancel", **WHY))[0] == 404


def test_a_match_that_is_stuck_is_played_anew(
    admin: Program, session: Session, arena: Arena
) -> None:
    table = [(bot, bot) for bot in arena.bots]
    match_id = queue_unrated(session, MatchKind.LADDER, table).id
    session.commit()
    assert attempts.claim(session, MATCHES, match_id, "tests", lease=LEASE)
    session.commit()
    again = admin.post(f"/operator/matches/{match_id}/requeue", **WHY).get_json()
    assert (again["state"], again["attempt"]) == ("queued", 1)
    assert {seat["bot_id"] for seat in again["seats"]} == set(arena.bots), "an admin may know"
    assert done(session)[0] == "requeue"


def test_anybodys_bot_is_paused_barred_and_resumed(
    admin: Program, ana: Program, session: Session, arena: Arena
) -> None:
    path = f"/operator/bots/{arena.own}"
    paused = admin.post(f"{path}/pause", **WHY).get_json()
    assert (paused["state"], paused["barred"], paused["author"]) == ("paused", False, "ana")
    assert ana.post(f"/bots/{arena.own}/resume").status_code == 200
    barred = admin.post(f"{path}/bar", **WHY).get_json()
    assert (barred["state"], barred["barred"]) == ("paused", True)
    assert "no more rum" in barred["reason"]
    assert problem(ana.post(f"/bots/{arena.own}/resume"))[0] == 409
    assert admin.get("/operator/bots").get_json()["bots"] == [barred]
    resumed = admin.post(f"{path}/resume", **WHY).get_json()
    assert (resumed["state"], resumed["barred"], resumed["reason"]) == ("active", False, None)
    assert done(session) == ("resume", f"bot {arena.own}", "no more rum")
    assert problem(admin.post(f"{path}/resume", **WHY))[0] == 409
    assert problem(admin.post("/operator/bots/999/pause", **WHY))[0] == 404


def test_a_ladder_is_closed(admin: Program, session: Session) -> None:
    answer = admin.post("/operator/ladders/3", open=False, share=4).get_json()
    assert answer == {"seats": 3, "open": False, "share": 4, "hosted_only": False}
    assert answer in admin.get("/operator/ladders").get_json()["ladders"]
    admin.post("/operator/ladders/3", open=False, share=4, hosted_only=True)
    assert admin.get("/operator/ladders").get_json()["ladders"][1]["hosted_only"]
    assert done(session)[0] == "ladder"
    assert problem(admin.post("/operator/ladders/3", open=True, share=1001))[2] == "share"
    assert problem(admin.post("/operator/ladders/5", open=True, share=1))[0] == 404


def test_nobody_else_may(
    ana: Program, organiser: Program, stranger: Program, session: Session, arena: Arena
) -> None:
    deeds = (
        *(f"bots/{arena.own}/{deed}" for deed in ("pause", "bar", "resume")),
        *("matches/1/cancel", "matches/1/requeue"),
    )
    for program, code in ((ana, 403), (organiser, 403), (stranger, 401)):
        for path in READ:
            assert problem(program.get(f"/operator/{path}"))[0] == code
        for deed in deeds:
            assert problem(program.post(f"/operator/{deed}", **WHY))[0] == code
        assert problem(program.post("/operator/ladders/2", open=False, share=1))[0] == code
    assert {entry.actor for entry in audit_records(session)} == {None}, "the arena's own"


def test_an_admins_token_needs_the_scope(
    client: FlaskClient, session: Session, arena: Arena
) -> None:
    boss = make(session, "boss", "admin")
    program = Program.of(client, session, boss, "read", "bots", "tournaments")
    assert "lacks the scope admin" in problem(program.get("/operator/queue"))[1]


def test_hosts_and_bans(admin: Program, session: Session) -> None:
    session.add(HostRow(name="iron", address="unix:/i", guards='["g"]', seen_at=now(session)))
    session.commit()
    (iron,) = admin.get("/operator/hosts").get_json()["hosts"]
    assert (iron["name"], iron["guards"], iron["there"]) == ("iron", ["g"], True)
    change = {"host": "iron", "reason": "new kernel"}
    assert admin.post("/operator/hosts", draining=True, **change).get_json()["hosts"][0]["draining"]
    assert problem(admin.post("/operator/hosts", draining=True, **change))[0] == 409
    ban = {"sha256": "c" * 64, "reason": "it mines coins"}
    (one,) = admin.post("/operator/bans", banned=True, **ban).get_json()["bans"]
    assert (one["sha256"], one["reason"]) == (ban["sha256"], ban["reason"])
    assert admin.post("/operator/bans", banned=False, **ban).get_json() == {"bans": []}
    for sha256 in ("C" * 64, "c" * 63, "rum"):
        told = problem(admin.post("/operator/bans", banned=True, sha256=sha256, reason="x"))
        sentence = "Give the SHA-256 of a package or a bundle: 64 digits from 0 to f."
        assert told == (422, sentence, "sha256")
    assert admin.get("/operator/builds").get_json() == {"under_way": [], "failed": []}
    assert admin.get("/operator/uses").get_json() == {"authors": []}
