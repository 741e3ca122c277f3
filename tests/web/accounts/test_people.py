import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.model import User
from ladder.people.accounts import HOUSE, Account, audit_records, record_action
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import register


@pytest.fixture
def ana(session: Session, boss: FlaskClient) -> Account:
    return make(session)


def test_giving_a_role(boss: FlaskClient, ana: Account, session: Session) -> None:
    done = post(boss, f"/admin/people/{ana.id}/role", "/admin", role="organiser", part="an")
    assert done.location == "/admin?name=an"
    shown = boss.get("/admin?name=ana").text
    assert '<option value="organiser" selected>organiser</option>' in shown
    page = boss.get("/admin/audit").text
    assert "boss" in page
    assert f"user {ana.id}" in page
    assert "author → organiser" in page


def test_a_reset_link_is_shown_once(boss: FlaskClient, app: Flask, ana: Account) -> None:
    page = post(boss, f"/admin/people/{ana.id}/reset-link", "/admin").text
    found = re.search(
        r'<code class="shown-once" id="shown-once">http://localhost(/reset/[^<]+)</code>', page
    )
    assert found
    assert found[1] not in boss.get("/admin").text
    assert "for ana" in app.test_client().get(found[1]).text


@pytest.mark.parametrize(
    ("path", "fields", "code"),
    [("role", {"role": "king"}, 422), ("role", {}, 422), ("role", {"role": "author"}, 409)],
)
def test_what_cannot_be(
    boss: FlaskClient, path: str, fields: dict[str, str | list[str]], code: int
) -> None:
    assert post(boss, f"/admin/people/1/{path}", "/admin", **fields).status_code == code


def test_nobody_there(boss: FlaskClient) -> None:
    for path in ("role", "reset-link"):
        answer = post(boss, f"/admin/people/77/{path}", "/admin", role="admin")
        assert answer.status_code == 404
    assert post(boss, f"/admin/people/{10**20}/role", role="admin").status_code == 404


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_only_admins_come_in(app: Flask, boss: FlaskClient, session: Session, role: str) -> None:
    make(session, "luz", role)
    luz = app.test_client()
    sign_in(luz, "luz")
    assert luz.get("/admin").status_code == luz.get("/admin/audit").status_code == 403
    for number in (1, 2, 77):
        answers = [
            post(luz, f"/admin/people/{number}/role", role="admin"),
            post(luz, f"/admin/people/{number}/reset-link"),
        ]
        assert [answer.status_code for answer in answers] == [403, 403]
    assert audit_records(session) == []
    assert "/admin" not in luz.get("/account").text


def test_both_lists_have_pages(boss: FlaskClient, session: Session) -> None:
    for number in range(60):
        record_action(session, None, "annul", f"match {number}", "a bug")
    session.commit()
    first = boss.get("/admin/audit").text
    older = re.search(r'href="(/admin/audit\?before=\d+)"', first)
    assert older
    assert "match 59<" in first
    assert "match 9<" not in first
    assert "match 9<" in boss.get(older[1]).text


def test_the_house_bots_user_has_no_buttons(boss: FlaskClient, session: Session) -> None:
    register(session, ["random"])
    session.get_one(User, 2).name = HOUSE
    session.commit()
    page = boss.get("/admin?name=arena").text
    assert "owns the house bots" in page
    assert "/admin/people/2/" not in page
    assert "/admin/people/1/role" in boss.get("/admin").text
