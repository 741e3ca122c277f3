"""What the site's own scripts ask for."""

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.web.arena import play_next, register, tournament
from web.database import sessions


def test_standings(client: FlaskClient, session: Session) -> None:
    play_next(session, tournament(session, register(session, ["ana", "luz"])))
    answer = client.get("/api/v1/standings/2").get_json()
    assert answer["seats"] == 2
    assert {row["name"] for row in answer["standings"]} == {"ana", "luz"}
    assert answer["standings"][0]["rank"] == 1


def test_standings_of_no_table(client: FlaskClient) -> None:
    answer = client.get("/api/v1/standings/7")
    assert answer.status_code == 404


def test_progress(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    play_next(session, cup)
    assert client.get(f"/api/v1/tournaments/{cup}/progress").get_json() == {
        "total": 2,
        "queued": 1,
        "running": 0,
        "finished": 1,
        "failed": 0,
        "cancelled": 0,
        "annulled": 0,
        "over": False,
        "state": "running",
    }


def test_progress_reads_the_tournament_once(app: Flask, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    engine, asked = sessions(app).kw["bind"], list[str]()
    event.listen(engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    app.test_client().get(f"/api/v1/tournaments/{cup}/progress")
    assert len([statement for statement in asked if "FROM tournaments" in statement]) == 1


def test_errors_are_json(client: FlaskClient) -> None:
    for path in ("matches/1/frames", "tournaments/1/progress", "nothing"):
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 404
        assert answer.get_json()["status"] == 404


def test_health(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}
