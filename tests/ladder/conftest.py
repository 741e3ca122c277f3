"""Databases of a test's own, on SQLite and on PostgreSQL alike."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session, sessionmaker

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from tests.conftest import once_for_all
from tests.forking import Forked
from tests.ladder.databases import Emptied, new_ladder
from tests.ladder.service import Process, RedisServer, Start

BACKENDS = ("sqlite", "postgresql")
FAST = {
    "SANTIAGO_ANALYSES": "0",
    "SANTIAGO_PLACES": "4",
    "SANTIAGO_RENEW": "0.2",
    "SANTIAGO_MESSAGE_AGE": "1",
}


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
    else:
        server = request.getfixturevalue("postgres_url")
        yield create_postgres(server, template="template1")


@pytest.fixture(scope="module", params=BACKENDS)
def shared_empty_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The address of an empty database that a module fills once, for `copied`."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('shared')}/empty.db"
    return create_postgres(request.getfixturevalue("postgres_url"), template="template1")


@pytest.fixture
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Copies a database that nobody uses just now; returns the copy's address."""

    def copy(url: str) -> str:
        name = make_url(url).database or ""
        if url.startswith("sqlite"):
            return f"sqlite:///{shutil.copy(name, tmp_path / 'copy.db')}"
        return create_postgres(request.getfixturevalue("postgres_url"), template=name)

    return copy


@pytest.fixture(params=BACKENDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database with the newest schema and no rows."""
    if request.param == "sqlite":
        yield new_ladder(tmp_path / "ladder.db")
    else:
        emptied: Emptied = request.getfixturevalue("emptied_postgres")
        emptied.empty()
        yield emptied.url


@pytest.fixture
def sessions(request: pytest.FixtureRequest, database_url: str) -> Iterator[sessionmaker[Session]]:
    if database_url.startswith("postgresql"):
        shared: Emptied = request.getfixturevalue("emptied_postgres")
        if database_url == shared.url:
            with shared.engine() as engine:
                yield model.session_factory(engine)
            return
    engine = model.engine(database_url)
    yield model.session_factory(engine)
    engine.dispose()


@pytest.fixture
def session(sessions: sessionmaker[Session]) -> Iterator[Session]:
    with sessions() as session:
        yield session


@pytest.fixture
def redis_of_its_own(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def start(database_url: str, redis_of_its_own: RedisServer) -> Iterator[Start]:
    """Starts `worker` (with the seconds that a match takes) or `scheduler`; ends them all."""
    environ = {
        **os.environ,
        **FAST,
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_of_its_own.url,
    }
    started: list[Process] = []

    def start_(*role: str, log: Path | None = None, **settings: str) -> Process:
        started.append(Forked("tests.ladder.process", *role, env=environ | settings, log=log))
        return started[-1]

    yield start_
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a database to copy; one process of the run makes it for all."""
    name = "template_ladder"
    url = make_url(postgres_url).set(database=name).render_as_string(hide_password=False)
    with once_for_all(tmp_path_factory, name):
        try:
            execute(postgres_url, f"CREATE DATABASE {name}")
        except ProgrammingError:
            return name  # another process has made it
        model.upgrade(url)
    return name


@pytest.fixture(scope="session")
def emptied_postgres(postgres_url: str, postgres_template: str) -> Iterator[Emptied]:
    """The database that tests of one process share."""
    made = Emptied(create_postgres(postgres_url, postgres_template))
    yield made
    made.close()


def create_postgres(server: str, template: str) -> str:
    """The address of a new database on the server; it goes with the server."""
    name = f"test_{uuid4().hex}"
    execute(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    return make_url(server).set(database=name).render_as_string(hide_password=False)


def execute(url: str, *statements: str) -> None:
    """Run statements, each in no transaction."""
    engine = model.engine(url)
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()
