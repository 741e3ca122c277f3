"""Browsers for tests: they keep cookies and send the token of the form they saw."""

import re
from html import unescape
from os import urandom

from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from ladder.model import User
from ladder.people import signing
from ladder.people.accounts import Account

PASSWORD = "seven ships sail"


def make(session: Session, name: str = "ana", role: str = "author") -> Account:
    """A new account; committed."""
    made = signing.sign_up(session, name=name, password=PASSWORD)
    session.get_one(User, made.id).role = role
    session.commit()
    return Account(made.id, made.name, role)


def token(client: FlaskClient, page: str = "/sign-in") -> str:
    """The CSRF token of a form on the page."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(page).text)
    assert found, page
    return unescape(found[1])


def held_token(client: FlaskClient) -> str:
    """What `token` returns, without a page: most of what a form costs is showing it."""
    with client.session_transaction() as cookie:
        known = cookie.setdefault("csrf_token", urandom(20).hex())
    key = client.application.secret_key
    assert key is not None
    return URLSafeTimedSerializer(key, salt="wtf-csrf-token").dumps(known)


def post(
    client: FlaskClient, path: str, page: str = "/account", **fields: str | list[str]
) -> TestResponse:
    """Send a form as a browser would that has seen it on the page."""
    form = {"csrf_token": held_token(client), **fields}
    return client.post(path, data=form, headers={"Referer": f"http://localhost{page}"})


def sign_in(client: FlaskClient, name: str = "ana", password: str = PASSWORD) -> TestResponse:
    return post(client, "/sign-in", "/sign-in", name=name, password=password)


def signed_in(client: FlaskClient) -> str | None:
    """Whose name the page shows."""
    found = re.search(r'<a class="own"[^>]*>([^<]+)</a>', client.get("/").text)
    assert found
    return None if found[1] == "Sign in" else found[1]
