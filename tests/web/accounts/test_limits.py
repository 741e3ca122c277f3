"""Tries are counted in a real Redis, and by the process itself while that is away."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from limits import parse
from redis import Redis
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from ladder.config import Settings
from ladder.errors import NotSignedIn, TooMany
from ladder.people import tickets
from ladder.people.accounts import Account
from tests.web.accounts.visitors import PASSWORD, make, post, sign_in, token
from tests.web.conftest import site_of
from web import guesses, limits

Places = dict[str, str]


@pytest.fixture
def redis_address(request: pytest.FixtureRequest) -> str:
    """Of a real Redis, unless a test is `also_alone`."""
    if getattr(request, "param", "redis") == "away":
        return "unix:///nowhere"
    address: str = request.getfixturevalue("redis_url")
    with Redis.from_url(address) as redis:
        redis.flushall()
    return address


@pytest.fixture
def settings(settings: Settings, redis_address: str) -> Settings:
    return replace(settings, redis_url=redis_address)


also_alone = pytest.mark.parametrize("redis_address", ["redis", "away"], indirect=True)
"""For tests of what is counted and how long it lasts; what counts for whom is the same."""


def from_(address: str) -> Places:
    return {"REMOTE_ADDR": address}


def tries(client: FlaskClient, name: str, count: int, address: str = "192.0.2.1") -> list[int]:
    """The answers to so many wrong passwords."""
    form = {"csrf_token": client.get("/sign-in").text.split('csrf_token" value="')[1].split('"')[0]}
    form |= {"name": name, "password": "wrong"}
    return [
        client.post("/sign-in", data=form, environ_base=from_(address)).status_code
        for _ in range(count)
    ]


def guess(app: Flask, name: str, address: str) -> None:
    """Try a wrong password as `tries` does, without a page: most of what a form costs."""
    with (
        app.test_request_context(environ_base=from_(address)),
        suppress(NotSignedIn),
        guesses.sign_in(name),
    ):
        raise NotSignedIn("the password is wrong")


def from_elsewhere(app: Flask, password: str = PASSWORD) -> TestResponse:
    """The answer to a first attempt, by a new browser at an address of its own."""
    form = {"csrf_token": token(client := app.test_client()), "name": "ana", "password": password}
    return client.post("/sign-in", data=form, environ_base=from_("203.0.113.5"))


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[object]]:
    """A context in which all waits are over."""

    @contextmanager
    def over() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr("web.limits.Counts.barred", lambda *_: 0)
            yield

    return over


def many_guess(app: Flask, no_waiting: Callable[[], AbstractContextManager[object]]) -> None:
    """Ten strangers at ten addresses try ten wrong passwords each, within an hour."""
    with no_waiting():
        for number in range(100):
            guess(app, "ana", f"198.51.100.{number // 10}")


@also_alone
def test_guessing_a_password_is_slow(client: FlaskClient, session: Session) -> None:
    make(session)
    assert tries(client, "ana", 12) == [422] * 10 + [429] * 2
    assert tries(client, " ANA ", 1) == [429], "the same name"
    assert tries(client, "luz", 1) == [422], "another name"
    assert tries(client, "ana", 1, "192.0.2.2") == [422], "the owner, from elsewhere"


def test_so_is_trying_many_names(app: Flask, client: FlaskClient) -> None:
    for number in range(39):
        guess(app, f"user{number}", "192.0.2.1")
    assert [tries(client, name, 1)[0] for name in ("ana", "luz", "rey")] == [422, 429, 429]


@also_alone
def test_who_failed_waits_longer_each_time(
    app: Flask, client: FlaskClient, no_waiting: Callable[[], AbstractContextManager[object]]
) -> None:
    waits = []
    for failures in (10, 1, 1, 40):
        with no_waiting():
            for _ in range(failures):
                guess(app, "ana", "127.0.0.1")
        answer = sign_in(client)
        assert answer.status_code == 429
        waits.append(int(answer.headers["Retry-After"]))
    assert [round(wait, -1) for wait in waits] == [30, 60, 90, 600]
    assert "Too many attempts: try again in 10 minutes." in answer.text
    assert 'name="name" value="ana"' in answer.text, "the form, to try again with"
    assert client.get("/").status_code == 200


@also_alone
def test_many_who_guess_one_name_wait_and_its_owner_does_not(
    app: Flask,
    client: FlaskClient,
    session: Session,
    no_waiting: Callable[[], AbstractContextManager[object]],
) -> None:
    make(session)
    sign_in(client)
    post(client, "/sign-out", "/account")
    many_guess(app, no_waiting)
    assert from_elsewhere(app).status_code == 303, "the owner, in a new browser"
    assert from_elsewhere(app, "wrong").status_code == 422
    again = from_elsewhere(app)
    assert again.status_code == 429, "a second attempt, long before ten of its own"
    assert 30 <= int(again.headers["Retry-After"]) <= 60
    assert tries(app.test_client(), "luz", 1, "203.0.113.5") == [422], "another name"
    # A browser that has signed in before is not kept waiting.
    assert tries(app.test_client(), "ana", 11, "127.0.0.1")[-1] == 429, "at the same address, too"
    assert sign_in(client, password="mistyped").status_code == 422
    assert sign_in(client).status_code == 303


def test_it_waits_for_its_own_failures(app: Flask, client: FlaskClient, session: Session) -> None:
    make(session)
    sign_in(client)
    post(client, "/sign-out", "/account")
    assert tries(client, "ana", 12) == [422] * 10 + [429] * 2
    assert tries(client, "ana", 1, "192.0.2.9") == [429], "wherever it goes"
    assert tries(app.test_client(), "ana", 1) == [422], "others at the address do not"


@pytest.mark.parametrize("cookie", ["", "x.y.z", "WyJ4IixbInkiXV0.aaaa.bbbb"])
def test_a_cookie_that_the_site_has_not_signed_is_a_strangers(
    client: FlaskClient, session: Session, cookie: str
) -> None:
    make(session)
    client.set_cookie("santiago-known", cookie)
    assert tries(client, "ana", 11, "127.0.0.1") == [422] * 10 + [429]


def test_a_browser_is_known_for_the_names_that_it_has_signed_in_with(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    make(session, "luz")
    sign_in(client, "luz")
    post(client, "/sign-out", "/account")
    assert tries(client, "ana", 11, "127.0.0.1") == [422] * 10 + [429]
    assert tries(client, "luz", 1) == [422]


def test_who_collects_cookies_gets_no_more_attempts(
    app: Flask, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attempt holds a place, and one address must not hold them all for long."""
    make(session)
    monkeypatch.setattr(limits, "_KNOWN_SIGN_IN", limits.Rule("few", parse("2 per hour")))
    browsers = [app.test_client() for _ in range(3)]
    for browser in browsers:
        assert sign_in(browser).status_code == 303
        post(browser, "/sign-out", "/account")
    assert [sign_in(browser).status_code for browser in browsers] == [303, 303, 429]
    assert sign_in(app.test_client()).status_code == 303


def test_attempts_leave_threads_for_pages(
    client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(session)
    places = limits.Places(most=1, of_one=1)
    monkeypatch.setattr(guesses, "_PLACES", places)
    assert tries(client, "ana", 3) == [422] * 3
    assert places.take("192.0.2.1")
    answer = sign_in(client)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")
    places.leave("192.0.2.1")
    assert sign_in(client).status_code == 303


def test_attempts_from_one_address_leave_places_for_others(
    app: Flask, client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(session)
    places = limits.Places(guesses.AT_ONCE, guesses.OF_ONE)
    monkeypatch.setattr(guesses, "_PLACES", places)
    while places.take("127.0.0.1"):
        pass
    assert sign_in(client).status_code == 429
    assert from_elsewhere(app).status_code == 303
    places.leave("127.0.0.1")
    assert sign_in(client).status_code == 303


def test_a_hall_full_of_people_may_sign_in_at_once() -> None:
    places = limits.Places(guesses.AT_ONCE, guesses.OF_ONE)
    assert all(places.take("192.0.2.1") for _ in range(150))
    assert places.take("192.0.2.2")


def test_all_households_of_a_site_leave_places_for_others(
    app: Flask, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has many IPv6 addresses has four times the attempts, but not all places at once."""
    make(session)
    places = limits.Places(guesses.AT_ONCE, of_one=1)
    monkeypatch.setattr(guesses, "_PLACES", places)
    assert places.take("2001:db8:1::/48")
    assert tries(app.test_client(), "ana", 1, "2001:db8:1:2::1") == [429]
    assert tries(app.test_client(), "ana", 1, "2001:db8:2:2::1") == [422]


@also_alone
def test_only_failures_count(client: FlaskClient, session: Session) -> None:
    make(session)
    for _ in range(11):
        assert sign_in(client).status_code == 303
        post(client, "/sign-out", "/account")
    assert tries(client, "ana", 10, "127.0.0.1") == [422] * 10


def test_a_household_counts_as_one_visitor(client: FlaskClient) -> None:
    assert tries(client, "ana", 10, "2001:db8:1:2::1") == [422] * 10
    assert tries(client, "ana", 1, "2001:db8:1:2:ffff::9") == [429]
    assert tries(client, "ana", 1, "2001:db8:1:3::1") == [422]
    assert tries(client, "luz", 10, "::ffff:192.0.2.7") == [422] * 10
    assert tries(client, "luz", 1, "192.0.2.7") == [429]
    assert tries(client, "luz", 1, "::ffff:192.0.2.8") == [422]


def test_many_households_of_one_site_count_together(app: Flask) -> None:
    """Who has 48 bits of IPv6 has 65,536 households."""
    for number in range(160):
        guess(app, f"user{number}", f"2001:db8:1:{number:x}::1")
    with pytest.raises(TooMany):
        guess(app, "ana", "2001:db8:1:ffff::1")
    guess(app, "ana", "2001:db8:2::1")  # another site


def test_accounts_of_one_site_are_counted_together(app: Flask) -> None:
    def sign_up(household: int) -> None:
        with app.test_request_context(environ_base=from_(f"2001:db8:1:{household:x}::1")):
            limits.sign_up()

    for household in range(80):
        sign_up(household)
    with pytest.raises(TooMany):
        sign_up(80)


def test_accounts_are_made_one_after_the_other(client: FlaskClient) -> None:
    answers = [post(client, "/sign-up", "/sign-up", name="x", password="x") for _ in range(21)]
    assert [answer.status_code for answer in answers] == [422] * 20 + [429]


def test_a_hall_of_guests_signs_up(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANTIAGO_SIGN_UPS", "21")
    answers = [post(client, "/sign-up", "/sign-up", name="x", password="x") for _ in range(22)]
    assert [answer.status_code for answer in answers] == [422] * 21 + [429]


def test_reset_links_that_are_tried_are_counted(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RESET", replace(limits.RESET, rate=parse("2 per hour")))
    tried = [post(client, "/reset/guessed", password="x").status_code for _ in range(3)]
    assert tried == [404, 404, 429]


def test_passwords_of_who_is_signed_in_are_counted_too(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    sign_in(client)
    wrong = [post(client, "/account/leave", password="wrong").status_code for _ in range(11)]
    assert wrong == [422] * 10 + [429]
    assert post(client, "/account/password", old=PASSWORD, password="x" * 12).status_code == 429


def test_who_has_forgotten_the_password_does_not_wait_after_a_reset(
    client: FlaskClient, session: Session
) -> None:
    ana = make(session)
    assert tries(client, "ana", 11, "127.0.0.1") == [422] * 10 + [429]
    link = tickets.make_reset_link(session, None, ana.id)
    session.commit()
    answer = post(client, f"/reset/{link.ticket}", password="fourteen citizens")
    assert answer.location == "/sign-in?password=set"
    assert "Your new password is set" in client.get(answer.location).text
    assert "Your new password is set" not in client.get("/sign-in").text
    assert sign_in(client, password="fourteen citizens").status_code == 303


def test_a_new_password_that_is_too_weak_is_no_guess(client: FlaskClient, session: Session) -> None:
    make(session)
    sign_in(client)
    weak = {"old": PASSWORD, "password": "short"}
    weakly = [post(client, "/account/password", **weak).status_code for _ in range(12)]
    assert weakly == [422] * 12
    unnamed = {"password": PASSWORD, "name": "", "scopes": "read", "days": "90"}
    assert post(client, "/account/tokens", **unnamed).status_code == 422


@also_alone
def test_submissions_are_counted_by_account(app: Flask) -> None:
    with app.test_request_context():
        for _ in range(30):
            limits.SUBMISSION.count(Account(1, "ana", "author"))
        with pytest.raises(TooMany) as refused:
            limits.SUBMISSION.count(Account(1, "ana", "author"))
        assert 0 < refused.value.retry_after <= 3600
        limits.SUBMISSION.count(Account(2, "luz", "author"))


@contextmanager
def another_process(settings: Settings) -> Iterator[FlaskClient]:
    with site_of(settings) as app:
        yield app.test_client()


def test_all_processes_of_the_site_count_as_one(client: FlaskClient, settings: Settings) -> None:
    assert tries(client, "ana", 10) == [422] * 10
    with another_process(settings) as other:
        assert tries(other, "ana", 1) == [429]
