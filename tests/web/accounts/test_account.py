import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from limits import parse
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import NotSignedIn, Phrase
from ladder.model import ApiToken, Bot, Notice, NoticeTone, now
from ladder.people import tickets
from ladder.people.notices import notify
from tests.web.accounts.visitors import PASSWORD, make, post, sign_in, signed_in
from web import limits

NEW = "another harbour"
NEW_TOKEN = {"password": PASSWORD, "days": "90"}
_CSRF_TOKEN = re.compile(r'name="csrf_token" value="[^"]*"')  # holds the second it was made in


@pytest.fixture
def ana(client: FlaskClient, session: Session) -> FlaskClient:
    make(session)
    sign_in(client)
    return client


def make_token(client: FlaskClient, name: str = "lab machine", *scopes: str) -> str:
    """The token, as the page shows it."""
    answer = post(
        client, "/account/tokens", **NEW_TOKEN, name=name, scopes=list(scopes or ("read",))
    )
    found = re.search(r'<code class="shown-once" id="shown-once">([^<]+)</code>', answer.text)
    assert found, answer.text
    return found[1]


def test_a_token_is_shown_once(ana: FlaskClient, session: Session) -> None:
    token = make_token(ana, "lab machine", "read", "bots")
    assert tickets.bearer(session, token).scopes == ("read", "bots")
    session.commit()
    page = ana.get("/account").text
    assert token not in page
    assert "lab machine" in page
    assert "read, bots" in page


def test_the_scopes_say_what_the_api_allows(client: FlaskClient, session: Session) -> None:
    make(session, "boss", "admin")
    sign_in(client, "boss")
    page = client.get("/account").text
    assert "create and manage tournaments, annul matches" in page
    assert "cancel and requeue matches, pause anybody’s bots, manage ladders and hosts" in page


def test_a_user_makes_so_many_tokens_in_an_hour(
    ana: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TOKEN", replace(limits.TOKEN, rate=parse("1 per hour")))
    make_token(ana)
    answer = post(ana, "/account/tokens", **NEW_TOKEN, name="other", scopes=["read"])
    assert answer.status_code == 429
    assert "too many attempts" in answer.text.lower()
    assert session.scalars(select(ApiToken.name)).all() == ["lab machine"]


def test_a_token_is_revoked(ana: FlaskClient, session: Session) -> None:
    token = make_token(ana)
    assert post(ana, "/account/tokens/1/revoke").status_code == 303
    with pytest.raises(NotSignedIn):
        tickets.bearer(session, token)
    assert "lab machine" not in ana.get("/account").text


def test_anothers_token_is_answered_as_one_that_is_not_there(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    token = make_token(ana)
    hers, nobodys = (post(luz, f"/account/tokens/{number}/revoke") for number in (1, 2))
    assert hers.status_code == nobodys.status_code == 404
    pages = [_CSRF_TOKEN.sub("", answer.text) for answer in (hers, nobodys)]
    assert pages[0].replace("token 1", "token 2") == pages[1]
    assert tickets.bearer(session, token).account.name == "ana"
    session.commit()
    assert "lab machine" not in luz.get("/account").text


@pytest.mark.parametrize(
    ("fields", "code", "sentence"),
    [
        ({"name": "", "scopes": ["read"]}, 422, "A token&#39;s name has 1 to 60 characters"),
        ({"name": "x" * 61, "scopes": ["read"]}, 422, "A token&#39;s name has 1 to 60 characters"),
        ({"name": "lab machine", "scopes": []}, 422, "Choose at least one of these"),
        ({"name": "lab machine", "scopes": ["all"]}, 422, "Choose at least one of these"),
        ({"name": "lab machine", "scopes": ["admin"]}, 403, "The role author can&#39;t have"),
        ({"name": "x", "scopes": ["read"], "days": "9"}, 422, "Choose for how long the token"),
        ({"name": "x", "scopes": ["read"], "password": "wrong"}, 422, "Wrong password."),
    ],
)
def test_what_is_wrong_with_a_token(
    ana: FlaskClient, fields: dict[str, str | list[str]], code: int, sentence: str
) -> None:
    answer = post(ana, "/account/tokens", "/account", **(NEW_TOKEN | fields))
    assert answer.status_code == code
    assert sentence in answer.text


def test_what_was_chosen_for_a_token_stays_if_the_password_is_wrong(ana: FlaskClient) -> None:
    wanted: dict[str, str | list[str]] = {"scopes": ["read", "bots"], "days": "30"}
    wanted["password"] = "wrong"
    answer = post(ana, "/account/tokens", "/account", **(NEW_TOKEN | wanted))
    for chosen in ("read", "bots", "30"):
        assert f'value="{chosen}" checked' in answer.text


def test_a_new_token_is_announced_and_its_end_is_shown(ana: FlaskClient) -> None:
    make_token(ana)
    assert "A new API token was created: lab machine." in ana.get("/notices").text
    assert ana.get("/account").text.count("<time ") >= 2, "since when, and until when"


@pytest.mark.parametrize("wanted", [{}, {"end_tokens": "on"}])
def test_a_changed_password_offers_to_revoke_all_tokens(
    ana: FlaskClient, session: Session, wanted: dict[str, str]
) -> None:
    offer = 'name="end_tokens"'
    assert offer not in ana.get("/account").text, "there are none"
    token = make_token(ana)
    assert offer in ana.get("/account").text
    post(ana, "/account/password", old=PASSWORD, password=NEW, **wanted)
    if wanted:
        with pytest.raises(NotSignedIn):
            tickets.bearer(session, token)
    else:
        assert tickets.bearer(session, token).account.name == "ana"


def test_a_changed_password_signs_out_all_other_browsers(app: Flask, ana: FlaskClient) -> None:
    other = app.test_client()
    sign_in(other)
    wrong = post(ana, "/account/password", old="wrong", password=NEW)
    assert wrong.status_code == 422
    assert "Wrong password." in wrong.text
    changed = post(ana, "/account/password", old=PASSWORD, password=NEW)
    assert changed.location == "/account?password=changed#password"
    assert "Your password is changed" in ana.get(changed.location).text
    assert "Your password is changed" not in ana.get("/account").text
    assert signed_in(ana) == "ana"
    assert signed_in(other) is None
    assert sign_in(other).status_code == 422
    assert sign_in(other, "ana", NEW).status_code == 303


def test_signing_out_all_other_browsers(app: Flask, ana: FlaskClient) -> None:
    other = app.test_client()
    sign_in(other)
    assert post(ana, "/account/browsers").status_code == 303
    assert signed_in(ana) == "ana"
    assert signed_in(other) is None


def test_leaving(ana: FlaskClient) -> None:
    form = ana.get("/account").text.split('action="/account/leave"')[1].split("</form>")[0]
    assert '<input name="password" type="password"' in form
    wrong = post(ana, "/account/leave", password="wrong")
    assert wrong.status_code == 422
    assert "Wrong password." in wrong.text
    assert signed_in(ana) == "ana"
    left = post(ana, "/account/leave", password=PASSWORD)
    assert left.status_code == 303
    assert "Your account is deleted." in ana.get(left.headers["Location"]).text
    assert signed_in(ana) is None
    assert sign_in(ana).status_code == 422


def test_notices_are_counted_until_they_are_read(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    for number in range(3):
        notify(session, 1, NoticeTone.NEUTRAL, f"Notice {number}.")
    session.commit()
    assert '<span class="count" aria-hidden="true">3</span>' in ana.get("/").text
    page = ana.get("/notices").text
    assert re.findall(r"Notice \d", page) == ["Notice 2", "Notice 1", "Notice 0"]
    notify(session, 1, NoticeTone.NEUTRAL, "Notice 3.")
    session.commit()
    page = ana.get("/").text
    assert '<span class="count" aria-hidden="true">1</span>' in page, "what came in since is new"
    assert "Notice" not in luz.get("/notices").text.partition("<main")[2].replace("Notices", "")
    assert "Notice 3" in ana.get("/notices").text
    assert '<span class="count" aria-hidden="true">' not in ana.get("/").text


def test_what_no_page_has_shown_stays_new(ana: FlaskClient, session: Session) -> None:
    for number in range(52):
        notify(session, 1, NoticeTone.NEUTRAL, f"Notice {number}.")
    session.commit()
    older = re.findall(r'href="(/notices\?before=\d+)"', ana.get("/notices").text)
    assert "Notices (2 new)" in ana.get("/bots/mine").text
    assert ana.get(older[0]).text.count('class=" new"') == 2
    assert ">Notices</a>" in ana.get("/bots/mine").text


def test_the_notices_have_the_tabs_of_the_other_own_pages(ana: FlaskClient) -> None:
    page = ana.get("/notices").text
    assert '<a href="/bots/mine">Bots</a>' in page
    assert '<a href="/notices" aria-current="page">Notices</a>' in page
    assert '<a href="/notices">Notices</a>' in ana.get("/bots/mine").text


def test_a_notice_is_read_in_the_language_of_the_page(ana: FlaskClient, session: Session) -> None:
    session.add(Notice(user_id=1, sentence="havana was an old bot.", created_at=now(session)))
    why = Phrase("An admin paused it: %(reason)s", reason="too <loud>")
    notify(session, 1, NoticeTone.BAD, "%(bot)s was paused. %(reason)s", bot="havana", reason=why)
    notify(session, 1, NoticeTone.NEUTRAL, "Your role is now %(role)s.", role="50 % author")
    session.commit()
    page = ana.get("/notices", headers={"Accept-Language": "de"}).text
    assert "<p>havana wurde pausiert. Ein Admin hat den Bot pausiert: too &lt;loud&gt;</p>" in page
    assert "<p>Your role is now 50 % author.</p>" in page, "a sentence that the site has no more"
    assert '<p lang="en">havana was an old bot.</p>' in page
    page = ana.get("/notices", headers={"Accept-Language": "en"}).text
    assert "<p>havana was paused. An admin paused it: too &lt;loud&gt;</p>" in page


def test_notices_are_grouped_and_good_ones_differ_from_bad_ones(
    ana: FlaskClient, session: Session
) -> None:
    other = make(session, "luisa")
    zorro = Bot(user_id=1, name="zorro", created_at=now(session))
    luz = Bot(user_id=other.id, name="luz", created_at=now(session))
    session.add_all([zorro, luz])
    session.flush()
    active = "%(bot)s 1 is now active."
    notify(session, 1, NoticeTone.BAD, "%(bot)s was paused. Late.", bot_id=zorro.id, bot="zorro")
    notify(session, 1, NoticeTone.GOOD, active, bot_id=luz.id, bot="luz")
    notify(session, 1, NoticeTone.GOOD, active, bot_id=zorro.id, bot="zorro")
    session.commit()
    page = ana.get("/notices").text.partition("<main")[2]
    leads = re.findall(r'<h2 id="about-\d+"><a class="bot" href="([^"]+)">(\w+)<', page)
    assert leads == [(f"/bots/{zorro.id}/own", "zorro"), (f"/bots/{luz.id}", "luz")]
    assert re.findall(r'<li class="(good|bad) new">', page) == ["good", "bad", "good"]


@pytest.mark.parametrize("path", ["/account", "/notices", "/admin", "/admin/audit"])
def test_strangers_see_none_of_it(client: FlaskClient, path: str) -> None:
    assert client.get(path).location == f"/sign-in?next={path}"
