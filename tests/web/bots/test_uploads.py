"""Uploads by page: what is taken in, what is refused, and who gets what of them."""

import errno
import io
import os
import re
import sqlite3
from typing import IO, NoReturn

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from werkzeug import formparser

from ladder import config
from ladder.bots import packages
from ladder.casual import opening, outputs
from ladder.matches.results import Written
from ladder.model import (
    Blob,
    Bot,
    BuildLine,
    CasualGame,
    CasualState,
    LadderPlace,
    Seat,
    SeatOutput,
    SignIn,
    Version,
    VersionState,
    now,
)
from ladder.people.accounts import Account
from tests.ladder.bots.authors import BAD, GOOD, active
from tests.ladder.bots.conftest import KEY
from tests.ladder.bots.uploads import active_upload, host
from tests.ladder.casual.tables import friends
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import play_next, register, tournament
from tests.web.bots.uploaded import FORM, UPLOAD, package, upload, uploaded
from web import limits
from web.packages import AT_ONCE, Uploads


@pytest.fixture
def ana(client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    monkeypatch.setenv(config.SECRET_KEY, KEY)
    make(session)
    sign_in(client)
    return client


def version_of(session: Session, version_id: int = 1) -> Version:
    return session.get_one(Version, version_id, populate_existing=True)


def test_an_upload_waits_for_its_build(ana: FlaskClient, session: Session) -> None:
    steps = uploaded(ana)
    assert steps == "/bots/1/versions/1"
    version = version_of(session)
    assert (version.bot.name, version.name, version.runtime) == ("zorro", "1", "python")
    assert (version.language, version.package_name) == ("Python", "zorro.zip")
    page = ana.get(steps).text
    assert "Waiting for a worker and a host." in page
    assert "<noscript><meta http-equiv" in page
    assert version.package is not None
    assert version.package in page
    assert page.count('<li class="step-') == 5
    own = ana.get("/bots/1/own").text
    assert "hosted, runtime python" in own
    assert "hosted:" not in own


def test_who_is_signed_out_while_the_package_arrives_has_uploaded_nothing(
    ana: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sign_out() -> None:
        session.execute(delete(SignIn))
        session.commit()

    monkeypatch.setattr("web.packages._allow_time", sign_out)
    assert upload(ana, package()).status_code == 401
    assert session.scalar(select(func.count()).select_from(Version)) == 0


def test_the_form_for_an_own_machine_knows_nothing_of_an_upload(ana: FlaskClient) -> None:
    uploaded(ana)
    form = ana.get(f"{FORM}?bot=1&version=1").text
    assert 'name="name" value="zorro"' in form
    assert "hosted:" not in form
    assert "to keep the secret" not in form


def test_the_log_of_the_build_comes_line_by_line(ana: FlaskClient, session: Session) -> None:
    steps = uploaded(ana)
    assert ana.get(f"{steps}/build").get_json() == {"lines": [], "over": False}
    for number, text in enumerate(("gcc <bot.c>", "done")):
        session.add(BuildLine(version_id=1, number=number, text=text, at=now(session)))
    session.commit()
    assert "gcc &lt;bot.c&gt;" in ana.get(steps).text
    found = ana.get(f"{steps}/build?after=0").get_json()
    assert found == {"lines": [{"number": 1, "text": "done"}], "over": False}
    session.execute(update(Version).values(state=VersionState.REJECTED, reason="It is broken."))
    session.commit()
    assert ana.get(f"{steps}/build?after=1").get_json() == {"lines": [], "over": True}
    page = ana.get(steps).text
    assert "It is broken." in page
    assert "step-wrong" in page
    assert "noscript" not in page


def test_a_bad_package_is_refused_with_its_entry(ana: FlaskClient, session: Session) -> None:
    answer = upload(ana, package(bot_exe=b"x").replace(b"bot.exe", b"../b.sh"))
    assert answer.status_code == 422
    told = r'<p class="wrong-sentence" role="alert" tabindex="-1" autofocus>([^<]+)</p>'
    (sentence,) = re.findall(told, answer.text)
    assert sentence.startswith("../b.sh: ")
    assert session.scalar(select(func.count()).select_from(Blob)) == 0
    assert upload(ana, b"no archive").status_code == 422
    assert post(ana, UPLOAD, FORM).status_code == 422
    assert ana.post(UPLOAD, data={"package": (io.BytesIO(b""), "x.zip")}).status_code == 400


def test_a_package_is_bounded(
    ana: FlaskClient, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    monkeypatch.setenv("SANTIAGO_PACKAGE_MB", "1")
    answer = upload(ana, bytes(2 * 2**20))
    assert answer.status_code == 422
    assert "A package has at most 1 MB." in answer.text
    assert upload(ana, package(noise_bin=os.urandom(2**20 - 2000))).status_code == 303
    assert post(ana, FORM, FORM, name="x" * 2 * 2**20).status_code == 413, (
        "no other form is as large"
    )


class Unread(io.BytesIO):
    """A body that is not to be read."""

    def read(self, *_: object) -> bytes:
        raise AssertionError("the body is read")


def test_a_form_without_files_is_never_as_large_as_a_package(ana: FlaskClient) -> None:
    """To read 30 MB of short fields takes the site 45 s and a gigabyte."""
    form = "application/x-www-form-urlencoded"
    answer = ana.post(UPLOAD, input_stream=Unread(), content_length=10**7, content_type=form)
    assert answer.status_code == 422
    assert "Choose a package: a .zip or .tar.gz" in answer.text


def test_who_is_not_signed_in_sends_nothing(client: FlaskClient) -> None:
    answer = client.post(UPLOAD, input_stream=Unread(), content_length=10**7)
    assert answer.status_code == 401


def test_a_full_disk_for_temporary_files_is_told(
    ana: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> IO[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    large = package(noise_bin=os.urandom(2**20 - 2000))
    with monkeypatch.context() as patch:
        patch.setattr(formparser, "SpooledTemporaryFile", full)
        answer = upload(ana, large)
    assert answer.status_code == 409
    assert "There is no room for uploads at the moment" in answer.text
    assert upload(ana, large).status_code == 303


def test_an_author_uploads_one_at_a_time(ana: FlaskClient, app: Flask, session: Session) -> None:
    doors: Uploads = app.extensions["santiago.uploads"]
    doors.enter(1, "198.51.100.1")
    answer = upload(ana, package())
    assert answer.status_code == 409
    assert "another upload of yours" in answer.text.lower()
    doors.leave(1)
    assert upload(ana, package()).status_code == 303
    for author in range(100, 100 + AT_ONCE):
        doors.enter(author, f"198.51.100.{author}")
    answer = upload(ana, package("2"))
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "10"


def test_nobody_takes_all_places_with_many_accounts(ana: FlaskClient, app: Flask) -> None:
    doors: Uploads = app.extensions["santiago.uploads"]
    for author in (100, 101):
        doors.enter(author, "127.0.0.1")
    doors.enter(102, "198.51.100.1")
    assert upload(ana, package()).status_code == 429
    doors.leave(100)
    assert upload(ana, package()).status_code == 303


def test_a_package_that_is_refused_is_no_submission(ana: FlaskClient, app: Flask) -> None:
    codes = [upload(ana, b"").status_code for _ in range(31)]
    assert codes == [422] * 31
    assert upload(ana, package()).status_code == 303
    with app.test_request_context():
        for _ in range(29):
            limits.SUBMISSION.count(Account(1, "ana", "author"))
    answer = upload(ana, package("2"))
    assert answer.status_code == 429
    assert "Too many bots and versions submitted in an hour: try again in " in answer.text


def test_uploads_are_counted_however_they_end(ana: FlaskClient, app: Flask) -> None:
    with app.test_request_context():
        for _ in range(118):
            limits.UPLOAD.count(Account(1, "ana", "author"))
    assert [upload(ana, b"").status_code for _ in range(3)] == [422, 422, 429]
    assert "Too many uploads in an hour, with those refused: " in upload(ana, package()).text


def test_only_its_author_downloads_what_was_uploaded(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    data = package(noise_bin=os.urandom(3 * 2**20))
    steps = upload(ana, data).headers["Location"]
    answer = ana.get(f"{steps}/package")
    assert answer.data == data
    assert answer.headers["Content-Disposition"] == 'attachment; filename="zorro.zip"'
    assert answer.content_length == len(data)
    assert answer.mimetype == "application/octet-stream"
    assert answer.cache_control.no_store
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("package", "build"):
        assert luz.get(f"{steps}/{path}").status_code == 404
        assert ana.application.test_client().get(f"{steps}/{path}").status_code == 302


def test_a_source_is_published_and_taken_back(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    steps = uploaded(ana)
    assert luz.get(f"{steps}/source").status_code == 404
    assert post(luz, f"{steps}/publish", licence="MIT").status_code == 404
    assert post(ana, f"{steps}/publish", licence="mine").status_code == 422
    assert post(ana, f"{steps}/publish", licence="MIT").status_code == 303
    session.execute(update(Version).values(state="active", activated_at=now(session)))
    session.commit()
    assert luz.get(f"{steps}/source").data == package()
    page = luz.get("/bots/1").text
    assert f'href="{steps}/source"' in page
    assert "(MIT)" in page
    assert "hosted, runtime python" in page
    assert "self-declared" not in page
    assert post(ana, f"{steps}/unpublish").status_code == 303
    assert luz.get(f"{steps}/source").status_code == 404
    assert "MIT" not in luz.get("/bots/1").text


def test_an_active_version_waits_for_a_host_with_its_runtime(
    ana: FlaskClient, session: Session
) -> None:
    uploaded(ana)
    session.execute(update(Version).values(state="active", activated_at=now(session)))
    host(session, runtimes='["node"]')
    assert "waits for a host" in ana.get("/bots/1/own").text
    host(session)
    assert "waits for a host" not in ana.get("/bots/1/own").text


def test_the_output_of_a_match_is_in_the_private_log(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    bots = [active(session, Account(1, "ana", "author")).bot_id, *register(session, ["mojito"])]
    match = play_next(session, tournament(session, bots))
    (seat,) = session.scalars(select(Seat.seat).where(Seat.bot_id == 1, Seat.match_id == match))
    written = {"output": b"", "errors": b"<b>gr\xfc\xdfe</b>\x1b[0m\n"}
    used = {"peak_memory": 40 * 2**20, "cpu_ms": 1234}
    session.add(SeatOutput(match_id=match, seat=seat, **written, **used))
    session.commit()
    log = ana.get("/bots/1/log").text
    assert "40\u00a0MB" in log
    assert "1.2\u00a0s" in log
    page = ana.get(f"/bots/1/log/{match}")
    out, errors = page.text.split(' id="stderr-title"')
    assert "Nothing was written." in out
    assert "&lt;b&gt;gr\ufffd\ufffde&lt;/b&gt;\ufffd[0m" in errors
    assert page.cache_control.no_store
    assert luz.get(f"/bots/1/log/{match}").status_code == 404
    assert ana.get("/bots/1/log/99").status_code == 404
    assert ana.get(f"/bots/{bots[1]}/log/{match}").status_code == 404


@pytest.mark.parametrize(
    ("vp", "said"), [(41, "mojito had 41 VP, too"), (40, "mojito had 41 VP, this bot 40.")]
)
def test_a_lost_tie_is_told_as_one(ana: FlaskClient, session: Session, vp: int, said: str) -> None:
    bots = [active(session, Account(1, "ana", "author")).bot_id, *register(session, ["mojito"])]
    play_next(session, tournament(session, bots))
    for bot, rank, points in zip(bots, (2, 1), (vp, 41), strict=True):
        row = update(Seat).where(Seat.bot_id == bot)
        session.execute(row.values(rank=rank, vp=points, fault=None))
    session.commit()
    assert said in ana.get("/bots/mine").text


def test_a_bot_that_is_being_placed_is_told_how_long(ana: FlaskClient, session: Session) -> None:
    bots = [active(session, Account(1, "ana", "author")).bot_id, *register(session, ["mojito"])]
    play_next(session, tournament(session, bots))
    for deviation, left in ((420, 49), (90, 16), (75.001, 1)):
        milli = round(1000 * deviation)
        session.execute(update(LadderPlace).values(deviation_milli=milli))
        session.commit()
        for path in ("/bots/mine", f"/bots/{bots[0]}"):
            page = ana.get(path).text
            assert f"rank after about {left} more game{'s' * (left > 1)}" in page
            assert "once its ± is 75 or less" in page
        assert f"being placed, 1 of about {1 + left} games" in ana.get("/?seats=2").text
    session.execute(update(LadderPlace).values(deviation_milli=75_000))
    session.commit()
    for path in ("/bots/mine", f"/bots/{bots[0]}", "/?seats=2"):
        page = ana.get(path).text
        assert "more game" not in page
        assert "once its ± is" not in page
        assert "being placed, " not in page


def test_the_output_of_games_with_people_is_in_the_private_log(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    asking = Account(1, "ana", "author")
    host(session)
    bot_id = active_upload(session, asking).bot_id
    assert "Games with people" not in ana.get(f"/bots/{bot_id}/log").text
    session.get_one(Bot, bot_id).open_to_people = True
    session.commit()
    game = friends(session, 1, bots=(bot_id,))
    outputs.keep(session, game, [Written(1, b"<b>gr\xfc\xdfe</b>", b"hm", 1, 1)])
    session.commit()
    log = ana.get(f"/bots/{bot_id}/log").text
    assert "Games with people" in log
    path = f"/bots/{bot_id}/log/casual/{game.id}?seat=1"
    assert f'href="{path}"' in log
    page = ana.get(path)
    assert "&lt;b&gt;gr\ufffd\ufffde&lt;/b&gt;" in page.text
    assert page.cache_control.no_store
    for wrong in (f"{path[:-1]}2", path.replace("casual/", "casual/9")):
        assert ana.get(wrong).status_code == 404
    refused = ana.get(f"{path[:-1]}one")
    assert (refused.status_code, "“seat” can be 0, 1, 2, 3." in refused.text) == (400, True)
    assert luz.get(path).status_code == 404


def test_the_output_of_a_bot_at_the_first_seat_has_a_page(
    ana: FlaskClient, session: Session
) -> None:
    host(session)
    bot_id = active_upload(session, Account(1, "ana", "author")).bot_id
    session.get_one(Bot, bot_id).open_to_people = True
    session.commit()
    game = friends(session, 1, bots=(bot_id,))
    game.state = CasualState.FINISHED
    seat = opening.rematch(session, str(game.table[0].key))
    again = session.get_one(CasualGame, seat.game_id)
    outputs.keep(session, again, [Written(0, b"first", b"", 1, 1)])
    session.commit()
    path = f"/bots/{bot_id}/log/casual/{again.id}?seat=0"
    assert f'href="{path}"' in ana.get(f"/bots/{bot_id}/log").text
    assert "first" in ana.get(path).text


def test_what_was_found_stands_before_the_package_of_a_rejected_version(
    ana: FlaskClient, session: Session
) -> None:
    steps = uploaded(ana)
    for state, report, order in [
        ("trial", GOOD, ["build-title", "package-title", "report-title"]),
        ("rejected", BAD, ["report-title", "build-title", "package-title"]),
    ]:
        values = {"state": state, "report": report.as_json(), "checked_at": now(session)}
        session.execute(update(Version).values(**values))
        session.commit()
        assert re.findall(r'<h2 id="(\w+-title)"', ana.get(steps).text) == order


def test_an_author_removes_what_no_longer_plays(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    steps = uploaded(ana)
    assert re.search(r"Your uploads take 0\.\d.kB of 300.MB\.", ana.get("/bots/submit").text)
    assert "Remove the upload" not in ana.get(steps).text
    assert post(ana, f"{steps}/remove").status_code == 409
    session.execute(update(Version).values(state="superseded", activated_at=now(session)))
    session.commit()
    assert post(luz, f"{steps}/remove").status_code == 404
    assert f'action="{steps}/remove"' in ana.get(steps).text
    assert post(ana, f"{steps}/remove").status_code == 303
    page = ana.get(steps).text
    assert "no longer kept" in page
    assert "/package" not in page
    assert "Publish the source" not in page
    assert ana.get(f"{steps}/package").status_code == 404
    assert post(ana, f"{steps}/publish", licence="MIT").status_code == 404
    assert "Your uploads take" not in ana.get("/bots/submit").text


def test_a_full_disk_is_told_at_the_form(
    ana: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OperationalError("COMMIT", None, sqlite3.OperationalError("database or disk is full"))

    def fails(*_: object) -> NoReturn:
        raise full

    monkeypatch.setattr(packages, "_write", fails)
    answer = upload(ana, package())
    assert answer.status_code == 409
    assert "There is no room for uploads at the moment" in answer.text
    assert session.scalar(select(func.count()).select_from(Blob)) == 0
