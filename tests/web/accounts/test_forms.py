"""Forms are taken from our own pages alone, as the browser says, or else their tokens."""

import re
from html import unescape

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


def test_a_form_is_taken_if_the_browser_says_that_it_comes_from_this_site(
    boss: FlaskClient,
) -> None:
    """A tab may be older than the sign-in."""
    held = token(boss, "/account")
    assert boss.post("/sign-out", data={"csrf_token": held}).status_code == 303
    assert sign_in(boss, "boss").status_code == 303
    for site in ("cross-site", "same-site", "none", "same-origin, cross-site", ""):
        answer = boss.post(
            "/account/browsers", data={"csrf_token": held}, headers={"Sec-Fetch-Site": site}
        )
        assert answer.status_code == 400, site
    own = {"Sec-Fetch-Site": "same-origin"}
    answer = boss.post("/account/browsers", data={"csrf_token": held}, headers=own)
    assert answer.status_code == 303


def test_what_was_typed_is_kept_for_who_was_signed_out_meanwhile(boss: FlaskClient) -> None:
    own = {"Sec-Fetch-Site": "same-origin"}
    post(boss, "/sign-out")
    wished = {"name": 'Copa "Ñ" <b>', "entrants": ["1", "2"]}
    answer = boss.post("/tournaments", data=wished, headers=own)
    assert answer.status_code == 401
    assert 'href="/sign-in" target="_blank"' in answer.text
    held = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', answer.text)
    kept = [(name, unescape(value)) for name, value in held if name != "csrf_token"]
    assert kept == [("name", 'Copa "Ñ" <b>'), ("entrants", "1"), ("entrants", "2")]


@pytest.mark.parametrize("field", ["password", "old"])
def test_no_password_is_in_the_page_that_asks_to_sign_in(client: FlaskClient, field: str) -> None:
    answer = post(client, "/account/tokens", **{field: PASSWORD, "name": "ci"})
    assert answer.status_code == 401
    assert 'href="/sign-in">' in answer.text
    assert "hidden" not in answer.text.partition("<main")[2].partition("</main")[0]
    assert PASSWORD not in answer.text


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
    assert client.post(page, data=form).location == "/sign-in?password=set"
    again = {"csrf_token": token(client), "password": "a third harbour"}
    assert client.post(page, data=again).status_code == 404
    assert client.get(page).status_code == 404
    assert (
        client.get("/reset/never-made").text.replace("never-made", ticket) == client.get(page).text
    )
    assert sign_in(client, "ana", "another harbour").status_code == 303


def test_a_form_that_is_too_large(boss: FlaskClient) -> None:
    form = {"csrf_token": token(boss, "/account"), "name": "x" * 70_000, "scopes": "read"}
    assert boss.post("/account/tokens", data=form).status_code == 413
