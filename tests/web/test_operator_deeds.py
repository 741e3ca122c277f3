import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.contests import ladders
from ladder.contests.cross_table import current_table
from ladder.contests.tournaments import lookup
from ladder.contests.tournaments.forfeits import forfeit
from ladder.matches import reading
from ladder.model import SILENT, HostRow, now
from ladder.people.accounts import audit_records
from tests.ladder.league import BUNDLE, PACKAGE, host
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import play_next, register, tournament

SURE = {"reason": "no more rum", "sure": "yes"}


def test_a_match_is_cancelled_on_a_page_of_its_own(boss: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    assert 'href="/operator/matches/1"' in boss.get("/operator").text
    assert boss.get("/operator/match?match=1").location == "/operator/matches/1"
    page = "/operator/matches/1"
    assert "Cancel match 1" in boss.get(page).text
    unsure = post(boss, f"{page}/cancel", page, reason="no more rum")
    assert unsure.status_code == 422
    assert "sure" in unsure.text
    assert post(boss, f"{page}/cancel", page, sure="yes", reason=" ").status_code == 422
    assert reading.match(session, 1).state == "queued"
    assert post(boss, f"{page}/cancel", page, **SURE).location == page
    session.rollback()
    assert reading.match(session, 1).state == "cancelled"
    assert lookup.tournament(session, cup).settled == 1
    assert "Nothing can be done" in boss.get(page).text
    assert post(boss, f"{page}/cancel", "/account", **SURE).status_code == 409


def test_a_finished_match_is_annulled(boss: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]), format="swiss", rounds=2)
    match_id = play_next(session, cup)
    page = f"/operator/matches/{match_id}"
    lists = (page, "/matches", f"/tournaments/{cup}")
    assert not any("state-annulled" in boss.get(where).text for where in lists)
    assert post(boss, f"{page}/annul", page, **SURE).status_code == 303
    assert all("state-annulled" in boss.get(where).text for where in lists)
    assert 'title="annulled"' in boss.get(f"/tournaments/{cup}").text, "in its round"
    assert "Annulled: no more rum" in boss.get(page).text
    session.rollback()
    assert audit_records(session)[0].action == "annul"


def test_an_organiser_annuls_a_match_from_its_page(client: FlaskClient, session: Session) -> None:
    match_id = play_next(session, tournament(session, register(session, ["ana", "luz"])))
    make(session, "rosa", "organiser")
    public, page = f"/matches/{match_id}", f"/operator/matches/{match_id}"
    assert page not in client.get(public).text
    sign_in(client, "rosa")
    assert f'href="{page}"' in client.get(public).text
    shown = client.get(page).text
    assert "Annul match" in shown
    assert 'href="/operator"' not in shown
    assert post(client, f"{page}/annul", page, **SURE).status_code == 303
    assert "Annulled: no more rum" in client.get(public).text, "it is public"
    assert f'href="{page}"' not in client.get(public).text
    assert client.get(page).status_code == 200


def test_an_organiser_annuls_a_forfeit_from_its_page(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    assert forfeit(session, 1, [0])
    session.commit()
    make(session, "rosa", "organiser")
    public, page = "/matches/1", "/operator/matches/1"
    assert page not in client.get(public).text
    sign_in(client, "rosa")
    assert f'href="{page}"' in client.get(public).text
    assert post(client, f"{page}/annul", page, **SURE).status_code == 303
    annulled = client.get(public).text
    assert "Annulled: no more rum" in annulled
    assert "state-annulled" in annulled
    assert f'href="{page}"' not in annulled
    session.rollback()
    assert not any(row.games for row in current_table(session, cup).rows)


def test_a_bot_is_paused_and_resumed(boss: FlaskClient, session: Session) -> None:
    register(session, ["ana"])
    page = "/operator/bots/1"
    assert post(boss, f"{page}/pause", page, **SURE).status_code == 303
    assert "no more rum" in boss.get("/operator").text
    assert post(boss, f"{page}/resume", page, **SURE).status_code == 303
    assert "All bots are reachable" in boss.get("/operator").text


def test_a_bot_is_paused_until_an_admin_resumes_it(boss: FlaskClient, session: Session) -> None:
    register(session, ["ana"])
    page = "/operator/bots/1"
    assert post(boss, f"{page}/bar", page, **SURE).status_code == 303
    shown = boss.get(page).text
    assert "The author can’t resume it" in shown
    assert "only an admin can resume it: no more rum" in shown
    assert "only an admin can resume it: no more rum" in boss.get("/operator").text
    assert "pause until an admin resumes" in boss.get("/admin/audit").text
    assert post(boss, f"{page}/bar", page, **SURE).status_code == 409
    assert post(boss, f"{page}/resume", page, **SURE).status_code == 303
    assert "All bots are reachable" in boss.get("/operator").text


def test_a_ladder_is_closed(boss: FlaskClient, session: Session) -> None:
    form, is_open = boss.get("/operator").text, 'name="open" value="yes"'
    assert 'action="/operator/ladders/3"' in form
    assert form.count(f"{is_open} checked>") == form.count(is_open) == 3
    changed = post(boss, "/operator/ladders/3", "/operator", share="4", sure="yes")
    assert changed.status_code == 303
    changed_ladder = ladders.every(session)[1]
    assert (changed_ladder.seats, changed_ladder.open, changed_ladder.share) == (3, False, 4)
    assert not changed_ladder.hosted_only
    assert boss.get("/operator").text.count(f"{is_open}>") == 1
    post(boss, "/operator/ladders/3", "/operator", share="4", hosted_only="yes", sure="yes")
    session.rollback()
    assert ladders.every(session)[1].hosted_only
    assert "Only hosted bots play on this ladder" in boss.get("/?seats=3").text
    wrong = post(boss, "/operator/ladders/3", "/operator", share="many", sure="yes")
    assert wrong.status_code == 422


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_others_may_do_nothing(client: FlaskClient, session: Session, role: str) -> None:
    tournament(session, register(session, ["ana", "luz"]))
    make(session, "rosa", role)
    sign_in(client, "rosa")
    for page in ("/operator/matches/1", "/operator/bots/1", "/operator/match?match=1"):
        assert client.get(page).status_code == 403
    for deed in ("matches/1/cancel", "matches/1/requeue", "bots/1/pause"):
        assert post(client, f"/operator/{deed}", "/account", **SURE).status_code == 403
    annulled = post(client, "/operator/matches/1/annul", "/account", **SURE)
    assert annulled.status_code == (409 if role == "organiser" else 403), "it is not finished"
    ladder = post(client, "/operator/ladders/2", "/account", share="1", sure="yes")
    assert ladder.status_code == 403


def test_a_form_from_elsewhere_does_nothing(boss: FlaskClient, session: Session) -> None:
    tournament(session, register(session, ["ana", "luz"]))
    assert boss.post("/operator/matches/1/cancel", data=SURE).status_code == 400
    assert reading.match(session, 1).state == "queued"


def test_hosts_are_drained_and_files_banned(boss: FlaskClient, session: Session) -> None:
    assert "No worker has seen a host" in boss.get("/operator/hosts").text
    bots = register(session, ["ana"])
    host(session, bots)
    guards, at = '["No network: a namespace of its own."]', now(session)
    session.add(HostRow(name="iron", address="unix:/i", guards=guards, lanes=1, seen_at=at))
    session.commit()
    page = "/operator/hosts"
    shown = boss.get(page).text
    assert "No network: a namespace of its own." in shown
    assert "accepts work" in shown
    assert BUNDLE in boss.get(f"/operator/bots/{bots[0]}").text
    assert post(boss, f"{page}/drain", page, what="iron", **SURE).location == page
    assert "draining" in boss.get(page).text
    session.execute(update(HostRow).where(HostRow.name == "iron").values(seen_at=at - SILENT))
    session.commit()
    shown = boss.get(page).text
    assert "draining" not in shown, "it has ended"
    assert "not seen" in shown
    session.execute(update(HostRow).values(trouble=HostRow.NO_ANSWER))
    session.commit()
    assert "It has not answered since <time" in boss.get(page).text
    assert "Er antwortet seit <time" in boss.get(f"/de{page}").text
    assert post(boss, f"{page}/drain", page, what="iron", **SURE).status_code == 409
    assert post(boss, f"{page}/drain", page, what="iron", reason="x").status_code == 422
    unsaid = post(boss, f"{page}/drain", page, what="iron", **{**SURE, "reason": " "})
    assert unsaid.status_code == 422
    assert "give a reason" in unsaid.text.lower()
    assert "error-page" in unsaid.text, "not beside the field of the form for bans"
    wrong = post(boss, f"{page}/ban", page, what="beef", **SURE)
    assert wrong.status_code == 422
    assert re.search(r'name="what" value="beef"[^>]* aria-invalid="true"', wrong.text)
    assert "64 digits from 0 to f" in wrong.text
    assert 'name="reason" value="no more rum"' in wrong.text
    assert post(boss, f"{page}/ban", page, what=PACKAGE, **SURE).status_code == 303
    shown = boss.get(page).text
    assert PACKAGE in shown
    assert BUNDLE in shown
    assert post(boss, f"{page}/unban", page, what=PACKAGE, **SURE).status_code == 303
    assert BUNDLE not in boss.get(page).text
    assert post(boss, f"{page}/unban", page, what=PACKAGE, **SURE).status_code == 404
    audit = boss.get("/admin/audit").text
    for action in ("drain a host", "ban files", "lift a ban"):
        assert action in audit
