"""Browsers for tests: they keep cookies and send the token of the form they saw."""

import re
from html import unescape

from flask.testing import FlaskClient
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


def post(
    client: FlaskClient, path: str, page: str = "/account", **fields: str | list[str]
) -> TestResponse:
    """Send a form as the browser would that shows the page."""
    return client.post(path, data={"csrf_token": token(client, page), **fields})


def sign_in(client: FlaskClient, name: str = "ana", password: str = PASSWORD) -> TestResponse:
    return post(client, "/sign-in", "/sign-in", name=name, password=password)


def signed_in(client: FlaskClient) -> str | None:
    """Whose name the page shows."""
    found = re.search(r'<a class="own"[^>]*>([^<]+)</a>', client.get("/").text)
    assert found
    return None if found[1] == "Sign in" else found[1]
