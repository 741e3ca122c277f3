"""The pages that a process of the site asks for before it serves."""

import logging

import pytest
from flask import Flask, request
from sqlalchemy.orm import Session

from ladder.config import Settings
from tests.web.arena import play_next, register, tournament
from tests.web.conftest import BOX
from web import create_app, first_looks, traffic


def looked_at(app: Flask, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are asked for, by an application whose requests are counted and logged."""
    seen: list[str] = []
    monkeypatch.setattr(first_looks, "_TIMEOUT", None)
    app.before_request(lambda: seen.append(request.path))
    first_looks.init_app(app)
    traffic.watch(app, log=True)
    first_looks.take(app)
    return seen


def test_the_overview_and_tournaments_of_many_matches_are_asked_for(
    app_of_its_own: Flask,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    bots = register(session, ["ana", "luz"])
    _small, large = tournament(session, bots), tournament(session, bots)
    play_next(session, large)
    monkeypatch.setattr(first_looks, "_LARGE", 0)
    assert looked_at(app_of_its_own, monkeypatch) == [
        "/",
        "/matches",
        "/docs",
        f"/tournaments/{large}",
    ]
    assert not [record for record in caplog.records if record.name.startswith("web.")]


def test_a_database_that_is_away_is_left_to_the_pages_that_tell_of_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(Settings("sqlite:////nowhere/ladder.db", "unix:///nowhere"), BOX)
    assert looked_at(app, monkeypatch) == ["/", "/matches", "/docs"]
    assert "Traceback" not in caplog.text
