"""Scripts and SQL in every form and every parameter of the site, whichever there are.

The site tells what it takes: its pages hold the forms, and its views ask for their parameters.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask, Request
from flask.testing import FlaskClient
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from werkzeug.datastructures import ImmutableMultiDict

from ladder.config import SECRET_KEY
from ladder.model import Bot, User
from tests.ladder.bots.authors import house_bot
from tests.web.accounts.visitors import sign_in
from tests.web.api.programs import KEY, arena_of

SCRIPT = "<script>alert(1)</script>"
LONG = "0" * 10 + "9" * 5_000  # not long by its first digits, and more than Python reads
WORDS = (SCRIPT, "1'; DROP TABLE bots; --\"><img src=x onerror=alert(1)>", "\x00", LONG)
RAW = re.compile(r"<script(?![^>]*\ssrc=)|<img[^>]*onerror")
VALUES: dict[str, Any] = {
    "seats": 2,
    "key": "k" * 24,
    "ticket": "x",
    "name": "fairness",
    "code": "de",
}
WAITING = ("live.news", "live.stream", "play.stream")  # which answer when something happens
WITHOUT_FIELDS = {
    "own_bots.renew_token",
    "submissions.withdraw",
    "submissions.retry",
    "packages.publish",
    "packages.unpublish",
    "packages.remove",
    "tournaments.play_forfeits",
}
OTHERWISE = (
    "accounts.",
    "entrance.",
    "play.",
    "play_analysis.",
)  # see accounts/test_mischief.py, test_play.py

asked: set[str] = set()
"""The parameters that views have asked for since somebody looked."""


class Noting(ImmutableMultiDict[str, str]):
    """Notes which parameters are asked for."""

    def __contains__(self, key: object) -> bool:
        asked.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, *args: Any, **kwargs: Any) -> Any:
        asked.add(key)
        return super().get(key, *args, **kwargs)

    def getlist(self, key: str, *args: Any, **kwargs: Any) -> Any:
        asked.add(key)
        return super().getlist(key, *args, **kwargs)


class Noted(Request):
    parameter_storage_class = Noting


@dataclass
class Form:
    """A form of a page, filled in as it stands there, with all boxes ticked."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """Gathers the forms of a page."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self._page = page
        self.found: list[Form] = []
        self._open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = True
            # A script has the same fields checked elsewhere before they are sent.
            fields: dict[str, str] = {}
            actions = [has["data-guide"]] if "data-guide" in has else []
            for action in (*actions, has.get("action") or self._page):
                self.found.append(Form(action, has.get("method", "get"), fields))
        elif self._open and tag in ("input", "select", "textarea", "button") and "name" in has:
            self.found[-1].fields.setdefault(has["name"], has.get("value", ""))
        elif self._open and "formaction" in has:  # a button that sends it elsewhere
            form = self.found[-1]
            action = has["formaction"].partition("#")[0]
            self.found.insert(-1, Form(action, form.method, form.fields))

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "form"


@pytest.fixture
def boss(app: Flask, session: Session, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """An admin who has a bot, beside a tournament, a played match and a house bot."""
    monkeypatch.setenv(SECRET_KEY, KEY)
    arena = arena_of(session)
    house_bot(session)
    session.get_one(User, arena.ana.id).role = "admin"
    session.commit()
    app.request_class = Noted
    client = app.test_client()
    sign_in(client, "ana")
    return client


def pages(app: Flask) -> Iterator[str]:
    """A path to every page that a browser can open."""
    for rule in app.url_map.iter_rules():
        opens = "GET" in (rule.methods or ()) and rule.endpoint not in WAITING
        if opens and not rule.rule.startswith(("/api/", "/static/")):
            values = {name: VALUES.get(name, 1) for name in rule.arguments}
            yield app.url_map.bind("").build(rule.endpoint, values)


def test_every_parameter_takes_any_text(app: Flask, boss: FlaskClient) -> None:
    for path in pages(app):
        asked.clear()
        assert boss.get(f"{path}?seats=2").status_code < 500, path
        for name in sorted(asked):
            for word in WORDS:
                answer = boss.get(f"{path}?{name}={quote(word)}&seats=2")
                assert answer.status_code < 500, (path, name, word)
                shown = answer.data.decode(errors="replace")  # it may be a picture
                assert not RAW.search(shown), (path, name, word)


def test_every_field_takes_any_text(app: Flask, boss: FlaskClient, session: Session) -> None:
    answers = {path: boss.get(path) for path in pages(app)}
    shown = {path: one.text for path, one in answers.items() if one.mimetype == "text/html"}
    forms = [form for path, text in shown.items() for form in Forms(path, text).found]
    posted = {(form.action, *form.fields): form for form in forms if form.method == "post"}
    reached = {
        app.url_map.bind("").match(form.action, method="POST")[0] for form in posted.values()
    }
    views = {rule.endpoint for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    site = {view for view in views if not view.startswith(("api", *OTHERWISE))}
    assert site - reached == WITHOUT_FIELDS, "some page shows a form for each of the others"
    for form in posted.values():
        if not form.action.startswith(("/sign-out", "/account")):
            send(app, boss, form)
    assert session.scalar(select(func.count()).select_from(Bot)), "the table is still there"
    for path in shown:
        assert not RAW.search(boss.get(path).text), path


def send(app: Flask, boss: FlaskClient, form: Form) -> None:
    for name in form.fields.keys() - {"csrf_token"}:
        for word in WORDS:
            app.extensions["santiago.limits"]._own.storage.reset()
            answer = boss.post(form.action, data={**form.fields, name: word})
            assert answer.status_code < 500, (form.action, name, word)
            assert not RAW.search(answer.text), (form.action, name, word)
