"""The whole API against its own description: whatever is sent, the answer is one that it names.

schemathesis makes calls that fit the description, and calls that do not: wrong types, nulls,
numbers beyond every bound, texts with all of Unicode, missing and unknown fields, other methods. It
checks status codes, bodies and headers, and that what needs a token is refused without one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.config import SchemathesisConfig
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.config import Settings
from ladder.model import User
from ladder.people.tickets import SCOPES
from tests.ladder.conftest import create_postgres
from tests.ladder.databases import new_ladder, session_on
from tests.web.api.programs import KEY, Program, arena_of
from tests.web.conftest import BOX
from web import create_app, limits
from web.api.description import PARTS, description

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

NOWHERE = "unix:///nowhere"
CONFIG = {
    "checks": {
        # What fits the description may still be no good: an address without a port.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "401", "403", "404", "409", "415", "422"]
        }
    }
}


class Door:
    """The application that answers; the calls are known before there is one."""

    app: Flask

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        return self.app(environ, start)


def by_token_alone(document: dict[str, Any]) -> dict[str, Any]:
    """Where both a token and a cookie are sent the token counts. schemathesis would make a cookie
    up and expect that a call with it, and with our good token, is refused."""
    del document["components"]["securitySchemes"]["browser"]
    for path in document["paths"].values():
        for operation in path.values():
            if "security" in operation:
                operation["security"] = [one for one in operation["security"] if "token" in one]
    return document


schema = schemathesis.openapi.from_dict(
    by_token_alone(description(PARTS)), config=SchemathesisConfig.from_dict(CONFIG)
)
schema.app = door = Door()


@pytest.fixture(
    scope="module",
    # One may do little, the other everything. What a stranger may is what both may: schemathesis
    # makes each call without a token, too.
    params=[("author", "sqlite"), ("admin", "postgresql")],
    ids=" on ".join,
)
def headers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Who asks, of a site with a ladder."""
    asker, backend = request.param
    if backend == "sqlite":
        url = new_ladder(tmp_path_factory.mktemp("api") / "ladder.db")
    else:
        url = create_postgres(request.getfixturevalue("postgres_url"), template="template1")
        model.upgrade(url)
    door.app = create_app(Settings(database_url=url, redis_url=NOWHERE), BOX)
    with pytest.MonkeyPatch.context() as patch, session_on(url) as session:
        patch.setenv("SANTIAGO_SECRET_KEY", KEY)
        patch.setattr(limits.Counts, "wait", lambda *_: 0)  # however many calls there are
        yield _token(session, asker)
    door.app.extensions["santiago.sessions"].kw["bind"].dispose()


def _token(session: Session, asker: str) -> dict[str, str]:
    """The headers of the author of a bot that plays, who may also be an admin."""
    ana, client = arena_of(session).ana, door.app.test_client()
    if asker == "author":
        return Program.of(client, session, ana, "read", "bots").headers
    session.execute(update(User).where(User.id == ana.id).values(role="admin"))
    return Program.of(client, session, replace(ana, role="admin"), *SCOPES).headers


@schema.parametrize()
@settings(
    max_examples=5,  # of each call
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_every_call(case: Case[Any], headers: dict[str, str]) -> None:
    case.call_and_validate(headers={**headers, "Accept-Encoding": "identity"})
