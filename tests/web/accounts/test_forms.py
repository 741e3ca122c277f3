"""Forms are taken from our own pages alone, and once somebody else is signed in no more."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.people import tickets
from tests.web.accounts.visitors import PASSWORD, make, post, sign_in, signed_in, token

FORMS = (
    "/sign-in",
    "/sign-up",
    "/sign-out",
    "/reset/x",
    "/account/tokens",
    "/account/tokens/1/revoke",
    "/account/password",
    "/account/browsers",
    "/account/leave",
    "/admin/people/1/role",
    "/admin/people/1/reset-link",
)


@pytest.mark.parametrize("path", FORMS)
@pytest.mark.parametrize("sent", [None, "", "x", "x" * 10_000])
def test_no_form_without_its_token(boss: FlaskClient, path: str, sent: str | None) -> None:
    answer = boss.post(path, data={} if sent is None else {"csrf_token": sent})
    assert answer.status_code == 400
    assert "This form has expired" in answer.text
    assert signed_in(boss) == "boss"


def test_all_forms_of_accounts_are_on_that_list(app: Flask) -> None:
    parts = ("entrance", "accounts")
    found = {
        re.sub("<int[^>]*>", "1", rule.rule).replace("<ticket>", "x")
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.endpoint.partition(".")[0] in parts
    }
    assert found == set(FORMS)


def test_the_token_of_another_browser_is_not_good(
    app: Flask, boss: FlaskClient, session: Session
) -> None:
    other = app.test_client()
    stolen = token(other)
    answer = boss.post(
        "/account/tokens", data={"csrf_token": stolen, "name": "x", "scopes": "read"}
    )
    assert answer.status_code == 400
    assert tickets.list_tokens(session, make(session)) == []


def test_a_form_from_before_the_sign_in_or_out_cannot_be_sent_again(boss: FlaskClient) -> None:
    held = token(boss, "/account")
    assert boss.post("/sign-out", data={"csrf_token": held}).status_code == 303
    again = {"csrf_token": held, "name": "boss", "password": PASSWORD}
    assert boss.post("/sign-in", data=again).status_code == 400
    before = token(boss)
    assert sign_in(boss, "boss").status_code == 303
    assert boss.post("/sign-out", data={"csrf_token": before}).status_code == 400


def test_on_https_a_form_comes_from_this_host(client: FlaskClient, session: Session) -> None:
    make(session)
    page = client.get("/sign-in", base_url="https://ladder.example").text
    form = {"csrf_token": page.split('csrf_token" value="')[1].split('"')[0], "name": "ana"}
    for referer in (None, "https://evil.example/", "http://ladder.example/"):
        answer = client.post(
            "/sign-in",
            base_url="https://ladder.example",
            data={**form, "password": PASSWORD},
            headers={"Referer": referer} if referer else {},
        )
        assert answer.status_code == 400


def test_a_reset_link_is_good_once(client: FlaskClient, session: Session) -> None:
    ana = make(session)
    ticket = tickets.make_reset_link(session, None, ana.id).ticket
    session.commit()
    page = f"/reset/{ticket}"
    assert "for ana" in client.get(page).text
    assert post(client, page, page, password="short").status_code == 422
    held = token(client, page)
    form = {"csrf_token": held, "password": "another harbour"}
    assert client.post(page, data=form).location == "/sign-in"
    again = {"csrf_token": token(client), "password": "a third harbour"}
    assert client.post(page, data=again).status_code == 404
    assert client.get(page).status_code == 404
    assert (
        client.get("/reset/never-made").text.replace("never-made", ticket) == client.get(page).text
    )
    assert sign_in(client, "ana", "another harbour").status_code == 303


def test_a_form_that_is_too_large(boss: FlaskClient) -> None:
    form = {"csrf_token": token(boss, "/account"), "name": "x" * 2_000_000, "scopes": "read"}
    assert boss.post("/account/tokens", data=form).status_code == 413
