"""The whole API against its own description: whatever is sent, the answer is one that it names.

schemathesis makes calls that fit the description, and calls that do not: wrong types, nulls,
numbers beyond every bound, texts with all of Unicode, missing and unknown fields, other methods. It
checks status codes, bodies and headers, and that what needs a token is refused without one.
"""

import re
from collections.abc import Collection, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, settings
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.config import Settings
from ladder.model import User
from ladder.people.tickets import SCOPES
from tests.ladder.conftest import create_postgres
from tests.ladder.databases import new_ladder, session_on
from tests.web.api.programs import KEY, Program, arena_of
from tests.web.conftest import BOX, NOWHERE, close
from web import create_app, limits
from web.api.description import GROUPS, description
from web.api.operations import PREFIX

if TYPE_CHECKING:  # it takes its time, which only the process that runs these tests has to spend
    from schemathesis import Case
    from schemathesis.schemas import BaseSchema

METHODS = ["get", "post", "put", "patch", "delete"]
"""What a call is also made with, to be refused; all others are refused alike."""
AUTHORS = ("read", "bots")  # the scopes that an author can have
CONFIG = {
    "checks": {
        # What fits the description may still be no good: an address without a port.
        "positive_data_acceptance": {
            "expected-statuses": ["2xx", "401", "403", "404", "409", "415", "422"]
        }
    }
}

DRAWN = {"author": 3, "admin": 1}
"""Calls of each kind that are drawn by chance; the admin also makes all that cover the bounds."""


class Asked(NamedTuple):
    """A site with a ladder, and who asks: an "author" or an "admin"."""

    app: Flask
    asker: str
    headers: dict[str, str]


def by_token_alone(document: dict[str, Any]) -> dict[str, Any]:
    """Where both a token and a cookie are sent the token counts. schemathesis would make a cookie
    up and expect that a call with it, and with our good token, is refused."""
    del document["components"]["securitySchemes"]["browser"]
    for path in document["paths"].values():
        for operation in path.values():
            if "security" in operation:
                operation["security"] = [one for one in operation["security"] if "token" in one]
    return document


@pytest.fixture(
    scope="module",
    # One may do little, the other everything. What a stranger may is what both may: schemathesis
    # makes each call without a token, too.
    params=[("author", "sqlite"), ("admin", "postgresql")],
    ids=" on ".join,
)
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asked]:
    asker, backend = request.param
    if backend == "sqlite":
        url = new_ladder(tmp_path_factory.mktemp("api") / "ladder.db")
    else:
        url = create_postgres(request.getfixturevalue("postgres_url"), template="template1")
        model.upgrade(url)
    app = create_app(Settings(database_url=url, redis_url=NOWHERE), BOX)
    with pytest.MonkeyPatch.context() as patch, session_on(url) as session:
        patch.setenv("SANTIAGO_SECRET_KEY", KEY)
        patch.setattr(limits.Counts, "wait", lambda *_: 0)  # however many calls there are
        yield Asked(app, asker, _headers(app, session, asker))
    close(app)


def _headers(app: Flask, session: Session, asker: str) -> dict[str, str]:
    """The headers of the author of a bot that plays, who may also be an admin."""
    ana, client = arena_of(session).ana, app.test_client()
    if asker == "author":
        return Program.of(client, session, ana, *AUTHORS).headers
    session.execute(update(User).where(User.id == ana.id).values(role="admin"))
    return Program.of(client, session, replace(ana, role="admin"), *SCOPES).headers


def beyond(scopes: Collection[str]) -> list[str]:
    """The calls that need another scope."""
    return [
        f"{operation.method} {PREFIX}{operation.path}"
        for group in GROUPS
        for operation in group.operations
        if operation.scope not in (None, *scopes)
    ]


@pytest.fixture
def schema(asked: Asked) -> "BaseSchema":
    """The calls that this asker may make; every bound of every field is for the admin to try."""
    import schemathesis
    from schemathesis.config import SchemathesisConfig

    app, asker, _ = asked
    coverage = {"enabled": asker == "admin", "unexpected-methods": METHODS}
    phases: dict[str, Any] = {"coverage": coverage}
    config = SchemathesisConfig.from_dict({**CONFIG, "phases": phases})
    made = schemathesis.openapi.from_dict(by_token_alone(deepcopy(description())), config=config)
    made.app = app
    return made.exclude(name=beyond(AUTHORS)) if asker == "author" else made


@pytest.mark.timeout(1800)  # 2,500 calls
def test_every_call(schema: "BaseSchema", asked: Asked, subtests: pytest.Subtests) -> None:
    from schemathesis.pytest.lazy import get_all_tests

    headers = {**asked.headers, "Accept-Encoding": "identity"}
    tried = settings(
        max_examples=DRAWN[asked.asker],
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )

    def call(case: "Case[Any]") -> None:
        case.call_and_validate(headers=headers)

    for made in get_all_tests(schema=schema, test_func=call, settings=tried, given_kwargs=None):
        operation, test = made.ok()  # type: ignore[union-attr]  # otherwise it raises
        with subtests.test(operation.label):
            test()


def test_an_author_makes_no_calls_of_others(ana: Program) -> None:
    for method, path in (call.split() for call in beyond(AUTHORS)):
        answer = ana.client.open(re.sub("{.*?}", "2", path), method=method, headers=ana.headers)
        assert answer.status_code == 403, path
