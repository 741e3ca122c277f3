"""Tries are counted in a real Redis, and by the process itself while that is away."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis
from sqlalchemy.orm import Session

from ladder.config import Settings
from ladder.errors import TooMany
from ladder.people.accounts import Account
from tests.web.accounts.visitors import PASSWORD, make, post, sign_in
from tests.web.conftest import BOX
from web import create_app, limits

Places = dict[str, str]


@pytest.fixture(params=["redis", "away"])
def redis_address(request: pytest.FixtureRequest) -> str:
    if request.param == "away":
        return "unix:///nowhere"
    address: str = request.getfixturevalue("redis_url")
    with Redis.from_url(address) as redis:
        redis.flushall()
    return address


@pytest.fixture
def settings(settings: Settings, redis_address: str) -> Settings:
    return replace(settings, redis_url=redis_address)


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


def test_guessing_a_password_is_slow(client: FlaskClient, session: Session) -> None:
    make(session)
    assert tries(client, "ana", 12) == [422] * 10 + [429] * 2
    assert tries(client, " ANA ", 1) == [429], "the same name"
    assert tries(client, "luz", 1) == [422], "another name"
    assert tries(client, "ana", 1, "192.0.2.2") == [422], "the owner, from elsewhere"


def test_so_is_trying_many_names(client: FlaskClient) -> None:
    answers = [tries(client, f"user{number}", 1)[0] for number in range(42)]
    assert answers == [422] * 40 + [429] * 2


def test_the_right_password_is_not_taken_either(client: FlaskClient, session: Session) -> None:
    make(session)
    tries(client, "ana", 10, "127.0.0.1")
    answer = sign_in(client)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 600
    assert "Too many attempts: try again in 10 minutes." in answer.text
    assert client.get("/").status_code == 200


def test_a_household_counts_as_one_visitor(client: FlaskClient) -> None:
    assert tries(client, "ana", 10, "2001:db8:1:2::1") == [422] * 10
    assert tries(client, "ana", 1, "2001:db8:1:2:ffff::9") == [429]
    assert tries(client, "ana", 1, "2001:db8:1:3::1") == [422]
    assert tries(client, "luz", 10, "::ffff:192.0.2.7") == [422] * 10
    assert tries(client, "luz", 1, "192.0.2.7") == [429]
    assert tries(client, "luz", 1, "::ffff:192.0.2.8") == [422]


def test_accounts_are_made_one_after_the_other(client: FlaskClient) -> None:
    answers = [post(client, "/sign-up", "/sign-up", name="x", password="x") for _ in range(21)]
    assert [answer.status_code for answer in answers] == [422] * 20 + [429]


def test_passwords_of_who_is_signed_in_are_counted_too(
    client: FlaskClient, session: Session
) -> None:
    make(session)
    sign_in(client)
    wrong = [post(client, "/account/leave", password="wrong").status_code for _ in range(11)]
    assert wrong == [422] * 10 + [429]
    assert post(client, "/account/password", old=PASSWORD, password="x" * 12).status_code == 429


def test_submissions_are_counted_by_account(app: Flask) -> None:
    with app.test_request_context():
        for _ in range(30):
            limits.submission(Account(1, "ana", "author"))
        with pytest.raises(TooMany) as refused:
            limits.submission(Account(1, "ana", "author"))
        assert 0 < refused.value.retry_after <= 3600
        limits.submission(Account(2, "luz", "author"))


@contextmanager
def another_process(settings: Settings) -> Iterator[FlaskClient]:
    app = create_app(settings, BOX)
    yield app.test_client()
    app.extensions["santiago.sessions"].kw["bind"].dispose()


@pytest.mark.parametrize("redis_address", ["redis"], indirect=True)
def test_all_processes_of_the_site_count_as_one(client: FlaskClient, settings: Settings) -> None:
    assert tries(client, "ana", 10) == [422] * 10
    with another_process(settings) as other:
        assert tries(other, "ana", 1) == [429]
