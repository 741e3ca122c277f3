"""A ladder with a bit of everything, and programs that ask for it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from flask.testing import FlaskClient
from sqlalchemy import make_url
from sqlalchemy.orm import Session

from ladder.config import Settings
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make
from tests.web.api.programs import KEY, Arena, Program, arena_of


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key with which secrets of bots are sealed."""
    monkeypatch.setenv("SANTIAGO_SECRET_KEY", KEY)


@pytest.fixture(scope="session")
def made_arena(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Arena, sqlite3.Connection]]:
    """The arena, and a database with it to copy."""
    file = tmp_path_factory.mktemp("arena") / "ladder.db"
    with pytest.MonkeyPatch.context() as patch, session_on(new_ladder(file)) as session:
        patch.setenv("SANTIAGO_SECRET_KEY", KEY)
        arena = arena_of(session)
    with closing(sqlite3.connect(file)) as copied:
        yield arena, copied


@pytest.fixture
def arena(made_arena: tuple[Arena, sqlite3.Connection], settings: Settings) -> Arena:
    """The arena in the site's database, which was empty."""
    made, source = made_arena
    with closing(sqlite3.connect(make_url(settings.database_url).database or "")) as target:
        source.backup(target)
    return made


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
