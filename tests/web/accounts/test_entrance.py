import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import User, now
from tests.web.accounts.visitors import PASSWORD, make, post, sign_in, signed_in
from web.api.exports import LICENCE

HTTPS = "https://ladder.example"


def test_who_signs_up_is_told_the_licence_of_the_games(client: FlaskClient) -> None:
    form = client.get("/sign-up").text
    assert f">{LICENCE}</a>" in form
    assert form.index(LICENCE) < form.index('<button class="primary">')


def test_signing_up_signs_in(client: FlaskClient) -> None:
    answer = post(client, "/sign-up", "/sign-up", name="Ana", password=PASSWORD)
    assert (answer.status_code, answer.location) == (303, "/bots/mine")
    assert signed_in(client) == "ana"


def test_two_clicks_on_sign_up_make_one_account_and_sign_in(app: Flask, session: Session) -> None:
    for browser in (app.test_client(), app.test_client()):  # no answer has come before the second
        answer = post(browser, "/sign-up", "/sign-up", name="Ana", password=PASSWORD)
        assert (answer.status_code, answer.location) == (303, "/bots/mine")
        assert signed_in(browser) == "ana"
    assert session.scalars(select(User.name)).all().count("ana") == 1


@pytest.mark.parametrize(
    ("name", "password", "sentence"),
    [
        ("ana", "seven other ships", "The name ana is taken: choose another one."),
        ("arena", PASSWORD, "The name arena is reserved for the service"),
        ("x" * 33, PASSWORD, "A name has 2 to 32 characters"),
        ("luz", "short", "A password has 10 to 200 characters."),
    ],
)
def test_what_is_wrong_stands_by_its_field(
    client: FlaskClient, session: Session, name: str, password: str, sentence: str
) -> None:
    make(session)
    answer = post(client, "/sign-up", "/sign-up", name=name, password=password)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert f'value="{name}"' in answer.text
    assert answer.text.count('aria-invalid="true" autofocus') == 1
    assert password not in answer.text
    assert signed_in(client) is None


def test_what_is_asked_for_is_no_part_of_a_fields_name(client: FlaskClient) -> None:
    field = r'<input name="name"[^>]* aria-label="Name" aria-description="(\w+)'
    told = re.findall(field, client.get("/sign-up").text)
    told += re.findall(field, post(client, "/sign-up", name="x" * 33, password=PASSWORD).text)
    assert told == ["Shown", "A"]


def test_both_fields_are_told_at_once(client: FlaskClient) -> None:
    page = post(client, "/sign-up", "/sign-up", name="x" * 33, password="short").text
    assert "A name has 2 to 32 characters" in page
    assert "A password has 10 to 200 characters." in page


def test_signing_in_and_out(client: FlaskClient, session: Session) -> None:
    make(session)
    assert sign_in(client).location == "/bots/mine"
    assert signed_in(client) == "ana"
    assert client.get("/sign-in").location == "/bots/mine"
    answer = post(client, "/sign-out")
    assert answer.status_code == 303
    assert signed_in(client) is None


def test_a_copied_cookie_is_worthless_after_signing_out(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    make(session)
    sign_in(client)
    cookie = client.get_cookie("santiago")
    assert cookie is not None
    thief = app.test_client()
    thief.set_cookie("santiago", cookie.value)
    assert signed_in(thief) == "ana"
    post(client, "/sign-out")
    assert signed_in(thief) is None


def test_each_sign_in_has_a_ticket_of_its_own_and_ends_the_one_before(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    make(session)
    client.set_cookie("santiago", "chosen-by-another")
    sign_in(client)
    first = client.get_cookie("santiago")
    assert first is not None
    assert first.value != "chosen-by-another"
    client.delete_cookie("santiago")
    post(client, "/sign-in", "/sign-in", name="ana", password=PASSWORD)
    second = client.get_cookie("santiago")
    assert second is not None
    assert second.value != first.value


def test_it_is_not_told_whether_a_name_exists(client: FlaskClient, session: Session) -> None:
    make(session)
    session.add(User(name="arena", created_at=now(session)))
    session.commit()
    pages = {
        sign_in(client, name, password).text.replace(f'value="{name}"', "").partition("</main>")[0]
        for name, password in (("ana", "wrong"), ("nobody", "wrong"), ("arena", "wrong"))
    }
    (page,) = (page.partition("<main")[2] for page in {_without_token(page) for page in pages})
    assert "Wrong name or password." in page


def _without_token(page: str) -> str:
    before, _, after = page.partition('name="csrf_token" value="')
    return before + after.partition('"')[2]


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("/matches?state=queued", "/matches?state=queued"),
        ("//evil.example/", "/bots/mine"),
        ("/\\evil.example/", "/bots/mine"),
        ("https://evil.example/", "/bots/mine"),
        ("javascript:alert(1)", "/bots/mine"),
        ("/\nSet-Cookie: x=y", "/bots/mine"),
        ("", "/bots/mine"),
    ],
)
def test_it_goes_on_to_pages_of_this_site_alone(
    client: FlaskClient, session: Session, wanted: str, target: str
) -> None:
    make(session)
    answer = post(client, "/sign-in", "/sign-in", name="ana", password=PASSWORD, next=wanted)
    assert answer.location == target


def test_a_private_page_asks_to_sign_in_and_then_goes_on(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    answer = client.get("/notices?before=7")
    assert answer.location == "/sign-in?next=/notices?before%3D7"
    page = client.get(answer.location).text
    assert 'name="next" value="/notices?before=7"' in page
    assert "You need an account for this page." in page
    wrong = post(client, "/sign-in", answer.location, name="ana", password="x", next="/notices")
    assert "You need an account for this page." in wrong.text


def test_who_wants_to_sign_in_is_not_told_that_a_page_needs_it(client: FlaskClient) -> None:
    way = re.findall(r'account\? <a href="([^"]+)"', client.get("/sign-up").text)
    for address in ("/sign-in", "/sign-in?next=//elsewhere", *way):
        assert "You need an account" not in client.get(address).text
    assert len(way) == 1


def test_cookies_are_kept_from_scripts_and_other_sites(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    for cookie in sign_in(client).headers.getlist("Set-Cookie"):
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Path=/" in cookie
        assert "Secure" not in cookie


def test_on_https_cookies_are_secure_and_the_hosts_own(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    client.get("/sign-in", base_url=HTTPS)
    page = client.get("/sign-in", base_url=HTTPS)
    form = {"csrf_token": page.text.split('csrf_token" value="')[1].split('"')[0]}
    answer = client.post(
        "/sign-in",
        base_url=HTTPS,
        headers={"Referer": f"{HTTPS}/sign-in"},
        data={**form, "name": "ana", "password": PASSWORD},
    )
    assert answer.status_code == 303
    cookies = answer.headers.getlist("Set-Cookie")
    assert any(cookie.startswith("__Host-santiago=") for cookie in cookies)
    for cookie in cookies:
        assert cookie.startswith("__Host-")
        assert "Secure" in cookie
    assert "ana" in client.get("/account", base_url=HTTPS).text


def test_pages_of_one_browser_are_not_kept_for_others(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    stranger = client.get("/")
    assert "Cookie" in stranger.vary
    assert "Set-Cookie" not in stranger.headers
    sign_in(client)
    assert client.get("/").cache_control.private
    assert client.get("/account").cache_control.no_store
