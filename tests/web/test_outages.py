"""Pages while the database is away, and a site whose database has not its tables."""

import sqlite3
from contextlib import closing

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ladder.config import Settings
from ladder.errors import SettingsError
from ladder.parts import SignsOfLife
from tests.web.conftest import BOX, site_of
from web import create_app, database


@pytest.fixture(params=["sqlite:////nowhere/ladder.db", "postgresql://nobody@127.0.0.1:1/ladder"])
def app(request: pytest.FixtureRequest) -> Flask:
    """The site, its database unreachable."""
    return create_app(Settings(database_url=request.param, redis_url="unix:///nowhere"), BOX)


@pytest.mark.parametrize("path", ["/", "/bots/1", "/matches", "/account"])
def test_a_page_says_that_it_comes_back(app: Flask, path: str) -> None:
    client = app.test_client()
    client.set_cookie("santiago", "somebody's")
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "<h1>The database does not answer</h1>" in answer.text


def test_so_does_the_api(app: Flask) -> None:
    answer = app.test_client().get("/api/v1/bots")
    assert (answer.status_code, answer.mimetype) == (503, "application/problem+json")
    assert answer.get_json()["title"] == "The database does not answer"


def test_the_health_check_fails(app: Flask) -> None:
    answer = app.test_client().get("/healthz")
    assert (answer.status_code, answer.get_json()) == (
        503,
        {"status": "the database does not answer"},
    )


def test_the_health_check_asks_for_the_process_own_last_sign_of_life(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site_of(settings) as app, closing(database.live(app)) as signs:
        assert app.test_client().get("/healthz").status_code == 200
        monkeypatch.setattr(SignsOfLife, "silent", True)
        answer = app.test_client().get("/healthz")
        monkeypatch.undo()
        assert not signs.silent
    assert (answer.status_code, answer.get_json()) == (
        503,
        {"status": "the site gives no sign of life"},
    )


def test_a_database_without_tables_is_told_at_the_start() -> None:
    with pytest.raises(SettingsError, match="make them with `santiago db upgrade`"):
        create_app(Settings(database_url="sqlite://", redis_url="unix:///nowhere"), BOX)


def test_a_connection_lost_at_the_end_of_a_request_leaves_the_answer_as_it_is(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lose(_session: Session) -> None:
        raise OperationalError("ROLLBACK", None, Exception("terminating connection"))

    monkeypatch.setattr(Session, "close", lose)
    with site_of(settings) as app:
        assert app.test_client().get("/healthz").status_code == 200
        pool = database.sessions(app).kw["bind"].pool
        assert pool.checkedout() == 0, "no other request gets a connection that was lost"
    (line,) = (record for record in caplog.records if record.name == "web.database")
    assert line.getMessage().endswith("lost when the request ended: terminating connection")
    assert line.exc_info is None


@pytest.mark.parametrize("path", ["/no-room", "/api/v1/no-room"])
def test_a_full_disk_is_told(
    app_of_its_own: Flask, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    @app_of_its_own.get(path)
    def write() -> str:
        raise OperationalError("COMMIT", None, sqlite3.OperationalError("database or disk is full"))

    answer = app_of_its_own.test_client().get(path)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "There is no room at the moment" in answer.text
    assert "the operator has to make room" in answer.text
    (line,) = (record.getMessage() for record in caplog.records if record.name == "web.errors")
    assert line == f"GET {path}: the database has no room: database or disk is full"
