"""Scripts and SQL in every field and parameter: text everywhere, and never a failure of ours."""

import re
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import NoticeTone, User, now
from ladder.people import tickets
from ladder.people.accounts import record_action
from ladder.people.notices import notify
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import register

SCRIPT = "<script>alert(1)</script>"
SQL = "'; DROP TABLE users; --"
WORDS = (SCRIPT, SQL, '"><img src=x onerror=alert(1)>', "\x00", "x" * 20_000, "🚢" * 9)
PAGES = ("/", "/account", "/notices", "/admin", "/admin/audit", "/bots/1", "/sign-up", "/nowhere")
FIELDS = {
    "/sign-in": ("name", "password", "next"),
    "/sign-up": ("name", "password", "next"),
    "/reset/x": ("password",),
    "/account/tokens": ("name", "scopes"),
    "/account/password": ("old", "password"),
    "/account/leave": ("password",),
    "/admin/people/1/role": ("role", "part"),
}


@pytest.fixture
def boss(client: FlaskClient, session: Session) -> FlaskClient:
    """A browser of an admin on a site where all that people wrote tries to be a script."""
    boss = make(session, "boss", "admin")
    register(session, [f"ana{SCRIPT}"])
    tickets.make_token(session, boss, name=f"laptop{SCRIPT}", scopes=["read"])
    notify(session, boss.id, NoticeTone.NEUTRAL, f"Paused: {SCRIPT}", bot_id=1)
    record_action(session, boss, f"annul{SCRIPT}", f"match{SCRIPT}", f"why{SCRIPT}")
    session.add(User(name=f"rey{SCRIPT}", created_at=now(session)))
    session.commit()
    sign_in(client, "boss")
    return client


@pytest.mark.parametrize("page", PAGES)
def test_what_people_wrote_is_text_on_every_page(boss: FlaskClient, page: str) -> None:
    shown = boss.get(page).text
    assert SCRIPT not in shown
    assert not re.search(r"<script(?![^>]*\ssrc=)", shown)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", shown)
    if page in ("/account", "/notices", "/admin", "/admin/audit"):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_takes_any_text(boss: FlaskClient, session: Session, path: str) -> None:
    for field in FIELDS[path]:
        for word in WORDS:
            form: dict[str, str | list[str]] = dict.fromkeys(FIELDS[path], "read")
            answer = post(boss, path, "/account", **{**form, field: word})
            assert answer.status_code < 500, (field, word)
            assert not re.search(r"<script(?![^>]*\ssrc=)|<img", answer.text), (field, word)
    assert session.scalar(select(User.role).where(User.name == "boss")) == "admin"


@pytest.mark.parametrize(
    "path",
    [
        "/sign-in?next={}",
        "/sign-up?next={}",
        "/reset/{}",
        "/notices?before={}",
        "/admin?name={}",
        "/admin?before={}",
        "/admin/audit?before={}",
        "/account/tokens/{}/revoke",
        "/admin/people/{}/role",
    ],
)
def test_every_parameter_takes_any_text(boss: FlaskClient, path: str) -> None:
    for word in (*WORDS, "-1", "0", "1e9", str(2**31), str(2**63), "1 OR 1=1", "\ud800"):
        answer = boss.get(path.format(quote(word, safe="", errors="surrogatepass")))
        assert answer.status_code < 500, word
        assert not re.search(r"<script(?![^>]*\ssrc=)|<img", answer.text), word


@pytest.mark.parametrize("word", [*WORDS, "x" * 4_000, "é", "a; b", '"'])
def test_every_cookie_and_header_takes_any_text(app: Flask, word: str) -> None:
    client = app.test_client()
    raw = word.encode().decode("latin1").replace("\x00", "%00")[:6_000]
    headers = {"Cookie": f"santiago={raw}; santiago-forms={raw}", "Referer": raw}
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/account", headers=headers).status_code == 302
    assert client.post("/sign-out", headers=headers).status_code == 400
