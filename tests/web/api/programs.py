"""Programs that use the API, and a ladder with a bit of everything for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from cryptography.fernet import Fernet
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from ladder.people import tickets
from ladder.people.accounts import Account
from tests.ladder.bots.authors import active
from tests.web.accounts.visitors import make
from tests.web.arena import play_next, register, tournament

KEY: Final = Fernet.generate_key().decode()
API: Final = "/api/v1"


@dataclass(frozen=True)
class Arena:
    """`cup` is a tournament of the two `bots` of compay, with one match played and one queued;
    ana has a bot that plays."""

    ana: Account
    own: int
    bots: tuple[int, ...]
    cup: int
    match: int


def arena_of(session: Session) -> Arena:
    """The arena, in this database; committed."""
    ana = make(session, "ana")
    own = active(session, ana).bot_id
    bots = register(session, ["luz", "rey"])
    cup = tournament(session, bots)
    return Arena(ana, own, tuple(bots), cup, play_next(session, cup))


@dataclass(frozen=True)
class Program:
    """A program, with a token or without."""

    client: FlaskClient
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, client: FlaskClient, session: Session, account: Account, *scopes: str) -> Program:
        """One with a new token of the account."""
        made = tickets.make_token(session, account, name="program", scopes=scopes)
        session.commit()
        return cls(client, {"Authorization": f"Bearer {made.token}"})

    def get(self, path: str, **query: Any) -> TestResponse:
        return self.client.get(f"{API}{path}", query_string=query, headers=self.headers)

    def post(self, path: str, **body: Any) -> TestResponse:
        """With a JSON object, or without a body where nothing is given."""
        given = {"json": body} if body else {}
        return self.client.post(f"{API}{path}", headers=self.headers, **given)


def problem(answer: TestResponse) -> tuple[int, str, str | None]:
    """Status, detail and field of an error, which must be one."""
    assert answer.mimetype == "application/problem+json", answer.text
    told = answer.get_json()
    assert told["status"] == answer.status_code
    assert told["type"] == "about:blank"
    return answer.status_code, told["detail"], told.get("field")
