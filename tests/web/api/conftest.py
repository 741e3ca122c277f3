"""A ladder with a bit of everything, and programs that ask for it."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.web.accounts.visitors import make
from tests.web.api.programs import KEY, Arena, Program, arena_of


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key with which secrets of bots are sealed."""
    monkeypatch.setenv("SANTIAGO_SECRET_KEY", KEY)


@pytest.fixture
def arena(session: Session) -> Arena:
    return arena_of(session)


@pytest.fixture
def stranger(client: FlaskClient) -> Program:
    return Program(client)


@pytest.fixture
def ana(client: FlaskClient, session: Session, arena: Arena) -> Program:
    """The author's program, with the scopes that an author can have."""
    return Program.of(client, session, arena.ana, "read", "bots")


@pytest.fixture
def organiser(client: FlaskClient, session: Session, arena: Arena) -> Program:
    return Program.of(client, session, make(session, "olga", "organiser"), "read", "tournaments")
