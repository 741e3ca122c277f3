"""Who asks the API: a signed-in browser or a bearer token, and what they may."""

import pytest
from flask import Flask, jsonify
from flask.testing import FlaskClient
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from ladder.model import User
from ladder.people import tickets
from ladder.people.accounts import Account
from ladder.people.tickets import SCOPES
from tests.web.accounts.visitors import make, sign_in, token
from web import identity


@pytest.fixture
def app(app_of_its_own: Flask) -> Flask:
    """The site with three more calls: who may, one that changes something, and a browser's own."""

    def may(scope: str) -> ResponseReturnValue:
        account = identity.may(scope)
        assert identity.bearer() is identity.bearer(), "a token is looked up once"
        return jsonify(account.name)

    def change() -> ResponseReturnValue:
        return may("bots")

    def own() -> ResponseReturnValue:
        return jsonify(identity.signed_in().name)

    app = app_of_its_own
    app.add_url_rule("/api/v1/may/<scope>", view_func=may)
    app.add_url_rule("/api/v1/change", view_func=change, methods=["POST"])
    app.add_url_rule("/change", "change_page", view_func=change, methods=["POST"])
    app.add_url_rule("/api/v1/own", view_func=own)
    return app


def bearer(session: Session, account: Account, *scopes: str) -> dict[str, str]:
    """The header of a program with a new token."""
    made = tickets.make_token(session, account, name="laptop", scopes=scopes)
    session.commit()
    return {"Authorization": f"Bearer {made.token}"}


def allowed(client: FlaskClient, headers: dict[str, str] | None = None) -> list[int]:
    """The status code for each scope."""
    return [client.get(f"/api/v1/may/{scope}", headers=headers).status_code for scope in SCOPES]


def problem(answer: TestResponse) -> tuple[int, str]:
    assert answer.mimetype == "application/problem+json"
    told = answer.get_json()
    assert told["status"] == answer.status_code
    return answer.status_code, told["detail"]


def test_a_stranger_is_nobody(client: FlaskClient) -> None:
    assert allowed(client) == [401] * 4
    answer = client.post("/api/v1/change", json={})
    assert problem(answer) == (401, "Sign in, or send a token: Authorization: Bearer ….")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("role", "browser"),
    [
        ("author", [200, 200, 403, 403]),
        ("organiser", [200, 200, 200, 403]),
        ("admin", [200, 200, 200, 200]),
    ],
)
def test_a_browser_may_what_the_role_allows(
    client: FlaskClient, session: Session, role: str, browser: list[int]
) -> None:
    make(session, "ana", role)
    sign_in(client)
    assert client.get("/api/v1/may/read").get_json() == "ana"
    assert allowed(client) == browser


def test_a_token_may_what_its_scopes_allow(client: FlaskClient, session: Session) -> None:
    boss = make(session, "boss", "admin")
    for number, scope in enumerate(SCOPES):
        codes = allowed(client, bearer(session, boss, scope))
        assert codes == [200 if other == number else 403 for other in range(4)]
    session.get_one(User, boss.id).role = "author"
    everything = bearer(session, boss, "admin", "bots")
    assert allowed(client, everything) == [403, 200, 403, 403], "the role is gone since"


@pytest.mark.parametrize("sent", ["Bearer x", "bearer ", "BEARER \u00e9", "Bearer santiago_x y"])
def test_a_token_that_is_not_good_is_no_stranger(
    client: FlaskClient, session: Session, sent: str
) -> None:
    make(session)
    sign_in(client)
    answer = client.get("/api/v1/may/read", headers={"Authorization": sent})
    assert problem(answer)[0] == 401, "whoever is signed in, in this browser"


def test_another_scheme_is_not_ours(client: FlaskClient, session: Session) -> None:
    make(session)
    sign_in(client)
    headers = {"Authorization": "Basic YW5hOnNlY3JldA=="}
    assert client.get("/api/v1/may/read", headers=headers).get_json() == "ana"


def test_a_program_needs_no_form_token_and_a_browser_its_header(
    client: FlaskClient, session: Session
) -> None:
    ana = make(session)
    assert client.post("/api/v1/change", headers=bearer(session, ana, "bots")).status_code == 200
    sign_in(client)
    code, sentence = problem(client.post("/api/v1/change", json={}))
    assert code == 400
    assert "X-CSRFToken" in sentence
    headers = {"X-CSRFToken": token(client, "/account")}
    assert client.post("/api/v1/change", json={}, headers=headers).status_code == 200


def test_a_token_counts_below_the_api_alone(client: FlaskClient, session: Session) -> None:
    headers = bearer(session, make(session), "bots", "read")
    assert client.post("/change", headers=headers).status_code == 400
    assert client.get("/account", headers=headers).status_code == 302
    assert client.head("/account", headers=headers).status_code == 302
    assert client.get("/api/v1/own", headers=headers).status_code == 401


def test_a_revoked_token_and_a_deleted_account(client: FlaskClient, session: Session) -> None:
    ana = make(session)
    headers = bearer(session, ana, "read")
    assert client.get("/api/v1/may/read", headers=headers).get_json() == "ana"
    tickets.revoke_token(session, ana, 1)
    session.commit()
    assert client.get("/api/v1/may/read", headers=headers).status_code == 401
