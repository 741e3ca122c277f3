"""The site on a database of the test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from sqlalchemy.orm import Session
from werkzeug.routing import Rule

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder.config import Settings
from ladder.secrets import SecretBox
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make, sign_in
from web import create_app

BOX = SecretBox(Fernet.generate_key().decode())


@pytest.fixture(scope="session", autouse=True)
def compiled_routes() -> Iterator[None]:
    """Compile the routes of the site once for all tests: nine tenths of the cost of an app."""
    compile_route: Callable[[Rule], None] = Rule.compile
    compiled: dict[tuple[object, ...], Rule] = {}

    def remember(rule: Rule) -> None:
        key = (rule.rule, repr(rule.defaults), rule.subdomain)
        if key not in compiled:
            compile_route(rule)
            compiled[key] = rule
        else:
            known = compiled[key]
            rule._parts, rule._trace = known._parts, known._trace
            rule._converters = known._converters
            rule.arguments |= known.arguments
            rule._build, rule._build_unknown = known._build, known._build_unknown

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "compile", remember)
        yield


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database_url=new_ladder(tmp_path / "ladder.db"), redis_url="unix:///nowhere")


@pytest.fixture
def session(settings: Settings) -> Iterator[Session]:
    with session_on(settings.database_url) as session:
        yield session


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates, compiled once for all tests."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))


@pytest.fixture
def app(settings: Settings, compiled: FileSystemBytecodeCache) -> Iterator[Flask]:
    app = create_app(settings, BOX)
    app.jinja_env.bytecode_cache = compiled
    app.testing = True
    yield app
    app.extensions["santiago.sessions"].kw["bind"].dispose()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def boss(client: FlaskClient, session: Session) -> FlaskClient:
    """The browser, with an admin signed in."""
    make(session, "boss", "admin")
    sign_in(client, "boss")
    return client


@pytest.fixture
def luz(app: Flask, session: Session) -> FlaskClient:
    """Another browser, with another user."""
    make(session, "luz")
    other = app.test_client()
    sign_in(other, "luz")
    return other
