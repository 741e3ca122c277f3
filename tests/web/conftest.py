"""The site on a database of the test's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.routing import Rule

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.config import Settings
from ladder.secrets import SecretBox
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import make, sign_in
from web import create_app, limits, packages
from web.viewer import hub, tables

NOWHERE = "unix:///nowhere"  # where no Redis is
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
    return Settings(database_url=new_ladder(tmp_path / "ladder.db"), redis_url=NOWHERE)


@pytest.fixture
def session(settings: Settings) -> Iterator[Session]:
    with session_on(settings.database_url) as session:
        yield session


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The site that all tests share, each with a database and counts of its own: see `app`."""
    url = new_ladder(tmp_path_factory.mktemp("site") / "ladder.db")
    site = create_app(Settings(database_url=url, redis_url=NOWHERE), BOX)
    site.testing = True
    yield site
    close(site)


@pytest.fixture
def app(site: Flask, settings: Settings) -> Iterator[Flask]:
    """The site with a test's own database. What the test changes of the application is undone."""
    own = vars(site)
    before = {name: copy(it) if isinstance(it, dict) else it for name, it in own.items()}
    sessions = model.session_factory(model.engine(settings.database_url))
    site.extensions["santiago.sessions"] = sessions
    limits.init_app(site, settings.redis_url)
    hub.init_app(site, settings.redis_url)
    tables.init_app(site)
    site.extensions["santiago.uploads"] = packages.Uploads()
    yield site
    close(site)
    own.clear()
    own.update(before)


@pytest.fixture
def app_of_its_own(settings: Settings) -> Iterator[Flask]:
    """An application that has not answered yet, so that it takes more routes and hooks."""
    with site_of(settings) as app:
        yield app


@contextmanager
def site_of(settings: Settings) -> Iterator[Flask]:
    """Make an application by what the environment says now; close it afterwards."""
    app = create_app(settings, BOX)
    app.testing = True
    yield app
    close(app)


def close(app: Flask) -> None:
    """Close the application's connections to its database."""
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
