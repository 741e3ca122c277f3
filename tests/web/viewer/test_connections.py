"""Threads of the site and the connections to the database, of which there are few."""

from collections.abc import Callable
from threading import Lock

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.orm import Session

from tests.ladder.bots.authors import house_bot
from tests.ladder.casual.tables import friends
from tests.web.accounts.visitors import token
from tests.web.viewer.conftest import Told
from web.database import sessions
from web.viewer import tables, watching
from web.viewer.hub import EXTENSION

Locked = Callable[[Lock], list[bool]]


@pytest.fixture
def locked(app: Flask) -> Locked:
    """Returns a list of whether a lock is held as a thread asks for a connection, from now on."""
    pool = sessions(app).kw["bind"].pool

    def watch(lock: Lock) -> list[bool]:
        seen: list[bool] = []
        event.listen(pool, "checkout", lambda *_: seen.append(lock.locked()))
        return seen

    return watch


def test_the_lobby_waits_for_no_connection_with_its_lock(
    app: Flask, client: FlaskClient, locked: Locked
) -> None:
    cache = app.extensions["santiago.lobby"] = watching._Cache()
    seen = locked(cache._lock)
    client.get("/live/news")
    assert seen == [False]


def test_the_hub_waits_for_no_connection_with_its_lock(
    app: Flask, client: FlaskClient, told: Told, locked: Locked
) -> None:
    seen = locked(app.extensions[EXTENSION]._lock)
    client.get(f"/matches/{told[0].match_id}/live/frames")
    assert seen == [False]


def test_a_choice_in_a_game_that_was_forgotten_waits_for_no_connection_with_a_lock(
    app: Flask, client: FlaskClient, session: Session, locked: Locked
) -> None:
    key = friends(session, bots=(house_bot(session, "greedy"),)).table[0].key
    form = {"csrf_token": token(client), "decision": "0", "move": "x", "part": "1"}
    with app.app_context():
        seen = locked(tables.tables()._lock)
    assert client.post(f"/play/{key}/move", data=form).status_code == 409
    assert seen
    assert not any(seen)
