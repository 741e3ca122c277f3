"""What an author does with bots on the site, and that nobody else can."""

import asyncio
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import config
from ladder.bots import logs, reach, trials
from ladder.bots.availability import pause_for, suspend
from ladder.bots.gateway import Guests
from ladder.bots.own import RECENT
from ladder.bots.reports import Report, ReportLine
from ladder.config import ALLOW_PRIVATE, LADDER_PACE, PUBLIC_GATEWAY
from ladder.matches import results
from ladder.model import Bot, BotState, Job, Match, Version, VersionState
from ladder.people.accounts import Account
from ladder.playing import result
from referee.match import play_table
from referee.seats.player import LocalSeat
from tests.ladder.bots.authors import (
    BAD,
    GOOD,
    SECRET,
    checked,
    house_bot,
    more_versions,
    newest_claim,
    played,
    start_cup,
    tended,
)
from tests.ladder.bots.conftest import KEY
from tests.ladder.cli.terminal import succeeds
from tests.ladder.league import NewBot, add_bots
from tests.referee.games import DrawingBot, FaultyBot, match_of
from tests.web.accounts.visitors import make, post, sign_in
from web import limits
from web.words import words_of

FORM = "/bots/submit"
GATEWAY = "gateway.example:50052"


@pytest.fixture
def ana(client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    monkeypatch.delenv(ALLOW_PRIVATE, raising=False)
    monkeypatch.setenv(PUBLIC_GATEWAY, GATEWAY)
    monkeypatch.setenv(config.SECRET_KEY, KEY)
    make(session)
    sign_in(client)
    return client


def submit(client: FlaskClient, **others: str) -> str:
    """Where the form leads."""
    fields = {
        "name": "zorro",
        "version": "1",
        "way": "address",
        "address": "bot.example:443",
        "secret": SECRET,
        "slots": "2",
        "language": "Python",
    }
    answer = post(client, FORM, FORM, **{**fields, **others})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def test_the_list_is_marked_as_the_page_that_is_open(ana: FlaskClient) -> None:
    assert '<a href="/bots/mine" aria-current="page">Bots</a>' in ana.get("/bots/mine").text
    assert '<a href="/bots/mine">Bots</a>' in ana.get("/account").text


def test_many_bots_are_on_several_pages(ana: FlaskClient, session: Session) -> None:
    new = [NewBot(f"zorro-{number:02}", "ana", "unix:/nowhere") for number in range(45)]
    first = add_bots(session, new)[0]
    session.get_one(Bot, first).state = BotState.RETIRED
    session.commit()
    names = []
    for number in (1, 2, 3):
        page = ana.get(f"/bots/mine?page={number}").text
        names += re.findall(r'/own">(.+?)</a>', page)
        assert len(names) == min(20 * number, 45)
        assert f"Page {number} of 3" in page
    assert names == [f"zorro-{number:02}" for number in (*range(1, 45), 0)]
    assert ana.get("/bots/mine?page=4").text.count("Page 3 of 3") == 1
    assert ana.get("/bots/mine?page=0").status_code == 400


def test_the_way_to_the_ladder(ana: FlaskClient, session: Session) -> None:
    house_bot(session)
    steps = submit(ana)
    assert steps == "/bots/2/versions/2"
    page = ana.get(steps).text
    assert "Waiting for a worker" in page
    assert "data-waiting" in page
    assert SECRET not in page
    checked(session, 2)
    page = ana.get(steps).text
    assert "All 1 checks passed" in page
    assert re.search(r'<a href="/matches/1">Match 1</a> is running', page)
    played(session, newest_claim(session))
    version = session.get_one(Version, 2, populate_existing=True)
    assert version.state == "trial"
    session.commit()
    tended(session)
    page = ana.get(steps).text
    assert "Active since" in page
    assert 'class="check-passed"' in page
    assert "data-waiting" not in page


def test_the_steps_say_what_a_version_waits_for_that_has_passed_its_trial(
    ana: FlaskClient, session: Session
) -> None:
    house_bot(session)
    steps = submit(ana)
    checked(session, 2)
    played(session, newest_claim(session))
    session.execute(update(Version).where(Version.id == 2).values(reason=str(trials.PLAYS_ON)))
    session.commit()
    page = ana.get(steps).text
    assert ">Waiting until the rated matches of the version before it are over.</span>" in page
    assert '<a href="/matches/1">Match 1</a>.' in page
    assert "is running, or is waiting" not in page
    assert "Wartet, bis die gewerteten Partien" in ana.get(f"/de{steps}").text


def test_the_page_of_an_unreachable_bot_says_what_to_do(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    post(ana, FORM, FORM, name="far", version="1", way="gateway")
    session.execute(update(Version).values(state=VersionState.ACTIVE, active=True))
    session.commit()
    assert "Unreachable" not in ana.get("/bots/1/own").text
    for version_id in (1, 2):
        reach.missed(session, version_id, "It does not answer.")
    session.commit()
    assert "Start it again at bot.example:443: the ladder" in ana.get("/bots/1/own").text
    assert "as soon as it joins the gateway again" in ana.get("/bots/2/own").text
    session.execute(update(Bot).values(state=BotState.PAUSED))
    session.commit()
    page = ana.get("/bots/1/own").text
    assert "Unreachable since" in page
    assert "Start it again" not in page, "it would not play"


def test_at_the_end_it_says_where_the_bot_plays_next(ana: FlaskClient, session: Session) -> None:
    house_bot(session)
    steps = submit(ana)
    checked(session, 2)
    played(session, newest_claim(session))
    session.commit()
    tended(session)
    page = ana.get(steps).text
    assert "zorro is on the ladder" in page
    assert 'href="/?seats=2">Tables of 2</a>' in page
    assert "once its ± is 75 or less: as a rule after 24–49 games" in page
    mine = ana.get("/bots/mine").text
    assert 'href="/challenge?bot=2"' in mine
    assert re.search(r'href="/matches/1">Match 1</a>\s*<span class="quiet">rank \d of \d', mine)


def test_no_next_game_is_promised_if_the_ladders_make_none(
    ana: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = submit(ana)
    session.execute(update(Version).values(state=VersionState.ACTIVE, active=True))
    session.commit()
    assert "It plays here next" in ana.get(steps).text
    monkeypatch.setenv(LADDER_PACE, "0")  # as `santiago demo` does
    page = ana.get(steps).text
    assert "It plays here next" not in page
    assert "No ladder makes matches at the moment." in page


def test_fields_are_checked_while_they_are_typed(ana: FlaskClient) -> None:
    assert "start-secret" in ana.get(FORM).text
    typed = {"name": "!", "version": "1", "way": "address", "address": "nowhere", "slots": "many"}
    told = post(ana, f"{FORM}/check", FORM, **typed, secret=SECRET, language="").get_json()
    assert set(told) == {"name", "address", "slots"}
    assert "HOST:PORT" in told["address"]


def test_all_mistakes_are_told_at_once(ana: FlaskClient) -> None:
    wrong = {"name": "!", "version": "", "address": "nowhere", "secret": "short", "way": "address"}
    answer = post(ana, FORM, FORM, **{**wrong, "slots": "many", "language": ""})
    assert answer.status_code == 422
    assert answer.text.count('aria-invalid="true"') == 5
    assert answer.text.count('<strong role="alert">') == 5


def test_a_submission_while_the_bot_is_paused(ana: FlaskClient, session: Session) -> None:
    steps = submit(ana)
    page = ana.get("/bots/1/own").text
    assert "at the same time" not in page
    session.execute(update(Bot).values(state="paused"))
    session.commit()
    checked(session, 1)
    tended(session)
    page = ana.get(steps).text
    assert "the bot is paused" in page
    assert "Active since" not in page


def test_the_steps_name_the_version_that_will_be_replaced(
    ana: FlaskClient, session: Session
) -> None:
    assert "It replaces" not in ana.get(submit(ana)).text
    session.execute(update(Version).values(state=VersionState.ACTIVE, active=True))
    session.commit()
    second = submit(ana, version="2", secret="")
    assert "It replaces version 1." in ana.get(second).text


def test_a_rejected_version(ana: FlaskClient, session: Session) -> None:
    steps = submit(ana)
    checked(session, 1, BAD)
    page = ana.get(steps).text
    assert "1 of 1 checks failed" in page
    assert "It hung up." in page
    assert 'href="/bots/submit?bot=1&amp;version=' in page
    name = re.search(r"&amp;version=([^\"]+)", page)
    assert name is not None
    assert f'value="{name[1]}"' in ana.get(f"/bots/submit?bot=1&version={name[1]}").text
    again = ana.get("/bots/submit?bot=1").text
    assert 'value="bot.example:443"' in again
    assert SECRET not in again
    assert submit(ana, secret="") == "/bots/1/versions/2"


def test_a_site_without_a_gateway_takes_no_bot_for_it(
    ana: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PUBLIC_GATEWAY)
    answer = post(ana, FORM, FORM, name="far", version="1", way="gateway")
    assert answer.status_code == 422
    assert "This site has no gateway: give the address (HOST:PORT) at which" in answer.text
    assert session.get(Bot, 1) is None


def test_a_bot_behind_the_gateway(ana: FlaskClient, session: Session) -> None:
    answer = post(ana, FORM, FORM, name="far", version="1", way="gateway")
    token = re.findall(r'<code class="shown-once" id="shown-once">([^<]+)</code>', answer.text)[0]
    assert f"santiago bot join {GATEWAY}" in answer.text
    assert answer.cache_control.no_store
    assert "as soon as it joins the gateway" in ana.get("/bots/1/versions/1").text
    own = ana.get("/bots/1/own").text
    assert token not in own
    assert f"<code>santiago bot join {GATEWAY}</code>" in own
    renewed = post(ana, "/bots/1/token").text
    assert token not in renewed
    before = session.get_one(Bot, 1).gateway_token_hash
    assert before is not None


def test_what_a_new_version_means_while_the_old_one_plays_a_tournament(
    ana: FlaskClient, session: Session
) -> None:
    submit(ana)
    checked(session, 1)
    said = "Keep both programs running."
    assert said not in ana.get("/bots/submit?bot=1").text
    start_cup(session, 1, house_bot(session))
    form = re.sub(r"<[^>]+>", "", ana.get("/bots/submit?bot=1").text)
    assert "Version 1 plays in the tournament Copa until that is over." in form
    near = ana.get(submit(ana, version="2", address="bot.example:444")).text
    assert said in near
    checked(session, 3)
    session.get_one(Version, 3).state = VersionState.REJECTED
    session.commit()
    same = ana.get(submit(ana, version="3")).text
    assert "give the new version another port" in same
    assert said not in same
    assert '<a class="by" href="/tournaments/1">Copa</a>' in ana.get("/bots/1/own").text


def test_a_suspended_version(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    checked(session, 1)
    suspend(session, session.get_one(Version, 1), "It faulted in 5 rated matches in a row.")
    session.commit()
    own = ana.get("/bots/1/own").text
    assert "It faulted in 5 rated matches in a row." in own
    assert "This pause keeps version 1 off the ladder." in own
    assert '<span class="state state-paused">' in ana.get("/bots/1").text
    post(ana, "/bots/1/resume")
    assert "This pause" not in ana.get("/bots/1/own").text


def test_two_versions_at_the_gateway(ana: FlaskClient, session: Session) -> None:
    post(ana, FORM, FORM, name="far", version="1", way="gateway")
    assert "It has not joined." in ana.get("/bots/1/own").text
    guests = Guests(sessionmaker(session.get_bind()))
    guests.watch("1", 1, "2")
    other = "Version 2 has joined the gateway. This one will be checked as soon as a program that"
    assert f"{other} reports version 1 joins." in ana.get("/bots/1/versions/1").text
    guests.watch("1", 1, "1")
    assert "Versions 2, 1 have joined." in ana.get("/bots/1/own").text
    assert "is waiting for a worker" in ana.get("/bots/1/versions/1").text


def test_pause_resume_withdraw_retire(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    session.execute(update(Version).values(state="active"))
    session.commit()
    for act, then in [("open-to-people", "Stop playing"), ("close-to-people", "Let visitors")]:
        assert post(ana, f"/bots/1/{act}").status_code == 303
        assert then in ana.get("/bots/1/own").text
    for act, state in [("pause", "paused"), ("resume", "active"), ("retire", "retired")]:
        assert f'action="/bots/1/{act}"' in ana.get("/bots/1/own").text
        assert post(ana, f"/bots/1/{act}").status_code == 303
        assert session.get_one(Bot, 1, populate_existing=True).state == state
        session.commit()
        assert f'class="state state-{state}"' in ana.get("/bots/1/own").text
        assert (f"state-{state}" in ana.get("/bots/1").text) == (state != "active")
    assert post(ana, "/bots/1/resume").status_code == 409
    form = ana.get(f"{FORM}?bot=1")
    assert form.status_code == 409
    assert "zorro is retired: submit a bot with another name" in form.text
    page = ana.get("/bots/mine").text
    assert "retired" in page
    assert "now active" not in page
    page = ana.get("/bots/1").text
    assert "retired" in page
    assert "Follow its games live" not in page
    assert "plays as version" not in page


def test_what_an_admin_has_paused_is_not_resumed(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    session.execute(update(Version).values(state="active"))
    pause_for(session, 1, "An admin paused it, and only an admin can resume it: too loud", bar=True)
    session.commit()
    page = ana.get("/bots/1/own").text
    assert "only an admin can resume it: too loud" in page
    assert "/bots/1/resume" not in page
    refused = post(ana, "/bots/1/resume")
    assert refused.status_code == 409
    assert "only an admin can resume it" in refused.text
    assert session.get_one(Bot, 1, populate_existing=True).state == "paused"


def test_many_versions_are_on_several_pages(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    more_versions(session, 1, RECENT)
    page = ana.get("/bots/1/own").text
    assert page.count("<code>") == RECENT
    older = re.findall(r'href="(/bots/1/own\?before=\d+)"', page)[0]
    assert ana.get(older).text.count("<code>") == 1
    assert f"/bots/1/versions/{RECENT + 1}" in page


def test_a_submission_is_withdrawn(ana: FlaskClient) -> None:
    steps = submit(ana)
    assert post(ana, f"{steps}/withdraw").status_code == 303
    assert "Its author withdrew it." in ana.get(steps).text
    assert post(ana, f"{steps}/withdraw").status_code == 409


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "x" * 41, "A name has 1 to 40 characters"),
        ("version", "", "A version has 1 to 40 characters"),
        ("address", "unix:/tmp/bot", "An address begins with a host, not with unix"),
        ("address", "10.0.0.1:443", "is not a public internet address"),
        ("slots", "many", "Give a whole number of games"),
        ("slots", "9" * 99, "1 to 64 games"),
        ("secret", "short", "A secret has 16 to 200"),
        ("way", "pigeon", "Choose how the bot is reached"),
        ("language", "<b>", "digits, spaces, dots, hyphens, plus signs and #, such as"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    ana: FlaskClient, field: str, value: str, sentence: str
) -> None:
    fields = {"name": "zorro", "version": "1", "way": "address", "address": "bot.example:443"}
    answer = post(ana, FORM, FORM, **{**fields, "secret": SECRET, field: value})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "<b>" not in answer.text


def test_a_stranger_is_asked_to_sign_in(client: FlaskClient, session: Session) -> None:
    for path in ("/bots/mine", FORM, "/bots/1/own", "/bots/1/log", "/bots/1/versions/1"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"][:9]) == (302, "/sign-in?")


def test_anothers_bot_is_answered_as_one_that_is_not_there(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    submit(ana)
    checked(session, 1, GOOD)
    seen: dict[int, list[str]] = {1: [], 2: []}
    for bot, pages in seen.items():
        answers = [luz.get(f"/bots/{bot}/{page}") for page in ("own", "log", "versions/1")]
        answers += [
            post(luz, f"/bots/{bot}/{act}")
            for act in ("pause", "resume", "retire", "token", "versions/1/withdraw")
        ]
        answers.append(luz.get(f"/bots/submit?bot={bot}"))
        assert {answer.status_code for answer in answers} == {404}
        for answer in answers:
            page = answer.text.replace(f"no bot {bot}", "no bot N")
            pages.append(re.sub(r'value="[^"]+"|[?]?next=[^"]+', "", page))
    assert seen[1] == seen[2]
    assert session.get_one(Bot, 1, populate_existing=True).state == "active"


def test_a_form_from_elsewhere_changes_nothing(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    assert ana.post("/bots/1/retire").status_code == 400
    assert session.get_one(Bot, 1, populate_existing=True).state == "active"


def test_the_log(ana: FlaskClient, session: Session) -> None:
    house_bot(session)
    submit(ana)
    checked(session, 2)
    assert "No matches so far" in ana.get("/bots/2/log").text
    played(session, newest_claim(session), faulty=2)
    page = ana.get("/bots/2/log").text
    assert "It took too long." in page
    assert "trial, unrated" in page
    assert "Match 1" in ana.get("/bots/2/log?faults=1").text
    assert "It took too long." not in ana.get("/bots/2").text
    assert "state-annulled" not in ana.get("/bots/mine").text
    results.annul(session, session.get_one(Match, 1), None, "the host stood still")
    session.commit()
    assert "Annulled: the host stood still" in ana.get("/bots/2/log").text
    assert "state-annulled" in ana.get("/bots/mine").text


def test_the_public_page_says_who_says_so(
    ana: FlaskClient, luz: FlaskClient, session: Session
) -> None:
    submit(ana)
    assert "no version is active yet" in luz.get("/bots/1").text
    checked(session, 1)
    page = luz.get("/bots/1").text
    assert "plays as version 1 (self-declared)" in page
    assert "This is your bot" not in page
    assert "This is your bot" in ana.get("/bots/1").text


def test_not_too_many_submissions_of_which_none_was_refused(
    ana: FlaskClient, app: Flask, session: Session
) -> None:
    submit(ana)
    refused = {post(ana, FORM, FORM, name=name, version="1").status_code for name in ("?", "zorro")}
    twice = [post(ana, FORM, FORM, name="zorro", version="1", way="gateway") for _ in range(31)]
    assert (refused, {answer.status_code for answer in twice}) == ({422}, {409})
    with app.test_request_context():
        for _ in range(28):
            limits.SUBMISSION.count(Account(1, "ana", "author"))
    submit(ana, name="fox")
    answer = post(ana, FORM, FORM, name="far", version="1", way="gateway")
    assert answer.status_code == 429
    assert session.scalar(select(func.count()).where(Bot.name == "far")) == 0


SCRIPT = "<script>alert(1)</script>"


def test_what_bots_and_people_wrote_is_text(ana: FlaskClient, session: Session) -> None:
    wrong = ReportLine("accept", f"It accepts{SCRIPT}.", "failed", SCRIPT, f"It said {SCRIPT}", 0.1)
    steps = submit(ana)
    checked(session, 1, Report(False, (wrong,)))
    bot, version = session.get_one(Bot, 1), session.get_one(Version, 1)
    bot.name, bot.state, bot.pause_reason = f"zorro{SCRIPT}", BotState.PAUSED, SCRIPT
    version.name, version.address, version.language = f"1{SCRIPT}", SCRIPT, SCRIPT
    session.commit()
    for path in (steps, "/bots/mine", "/bots/1/own", "/bots/1/log", "/bots/submit?bot=1"):
        page = ana.get(path)
        assert page.status_code == 200
        assert SCRIPT not in page.text
        assert "&lt;script&gt;" in page.text


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/bots/submit?bot=x", 400),
        ("/bots/submit?bot=1'--", 400),
        ("/bots/1/log?before=0", 400),
        ("/bots/1/log?before=1;DROP TABLE bots", 400),
        ("/bots/1/log?faults='", 200),
        ("/bots/1/versions/99", 404),
        (f"/bots/{2**40}/own", 404),
        ("/bots/-1/log", 404),
        ("/bots/1/explode", 404),
    ],
)
def test_parameters_that_make_no_sense(ana: FlaskClient, path: str, code: int) -> None:
    submit(ana)
    assert ana.get(path).status_code == code


def test_every_field_takes_any_text(ana: FlaskClient, session: Session) -> None:
    fields = {"name": "zorro", "version": "1", "way": "address", "address": "bot.example:443"}
    for field in ("name", "version", "way", "address", "slots", "secret", "language"):
        for text in (SCRIPT, "'; DROP TABLE bots; --", "\x00", "x" * 20_000, "🚢" * 9, "\ud7ff"):
            answer = post(ana, FORM, FORM, **{**fields, "secret": SECRET, field: text})
            assert answer.status_code in (303, 409, 422, 429), (field, text)
            assert SCRIPT not in answer.text
            session.rollback()
            forget_tries(ana)


def forget_tries(client: FlaskClient) -> None:
    """As if some time had passed."""
    counts = client.application.extensions["santiago.limits"]
    counts._own.storage.reset()


def faulty_game(session: Session) -> int:
    """Ana's bot fails in its trial; the seat at which it sits."""
    claim = newest_claim(session)
    mine = [player.name for player in claim.players].index("zorro")
    match = replace(match_of([""] * 2), id=str(claim.match_id))
    bots = [LocalSeat(FaultyBot() if seat == mine else DrawingBot()) for seat in range(2)]
    results.finish(session, claim, result(asyncio.run(play_table(match, bots))))
    session.commit()
    return mine


def test_the_log_tells_all_about_a_fault_and_its_line_works_as_printed(
    ana: FlaskClient, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house_bot(session)
    submit(ana)
    checked(session, 2)
    mine = faulty_game(session)
    (entry,) = logs.log(session, Account(1, "ana", "author"), 2).entries
    report = entry.fault_report
    assert report is not None
    page = ana.get("/bots/2/log").text
    assert f"decision {report.decision_id}, <code>{report.kind}</code>" in page
    for move in report.legal:
        assert f"<li><code>{move}</code></li>" in page
    (link,) = re.findall(rf'href="(/matches/1\?at={report.step + 1})"', page)
    assert ana.get(link).status_code == 200
    shown = json.loads(ana.get("/matches/1/frames").text)["frames"][report.step + 1]
    assert (shown["type"], shown["legal"]) == ("fault", list(report.legal))
    assert len(shown["choices"]) == len(report.legal)
    assert report.sentence in unescape(page)
    in_german = words_of("de").fault(report.sentence)
    assert in_german != report.sentence
    for path in ("/bots/2/log", "/bots/mine", link):
        assert in_german in unescape(ana.get(f"/de{path}").text), path
    (url,) = re.findall(r'href="(/matches/1/replay.santiago)"', page)
    download = ana.get(url)
    name = re.findall(r'filename="(.+)"', download.headers["Content-Disposition"])[0]
    (tmp_path / name).write_bytes(download.data)
    monkeypatch.chdir(tmp_path)
    (line,) = re.findall(r"<code>santiago (replay debug [^<]*)</code>", page)
    assert line == f"replay debug match-1.santiago --seat {mine}"
    assert f" · seat {mine + 1} · against random v" in page
    assert "(seats count from 0 there; add <code>--bot</code>" in page
    said = succeeds(*line.split())
    assert f"asked: decision {report.decision_id}, {report.kind}" in said


def test_the_notice_of_a_fault_in_a_trial_is_in_the_language_of_the_page(
    ana: FlaskClient, session: Session
) -> None:
    house_bot(session)
    submit(ana)
    checked(session, 2)
    faulty_game(session)
    tended(session)
    assert "match 1: The bot failed: ArithmeticError" in ana.get("/notices").text
    page = ana.get("/de/notices").text
    assert "Probepartie 1 einen Fehler: Der Bot ist gescheitert: ArithmeticError" in page


def test_the_page_of_a_version_that_faulted_in_its_trial_leads_to_the_log(
    ana: FlaskClient, session: Session
) -> None:
    log = '<a href="/bots/1/log">'
    steps = submit(ana)
    checked(session, 1, BAD)
    before = ana.get(steps).text.count(log)
    said = "It faulted in its trial, match 1: The program printed nothing; see its log."
    session.execute(update(Version).values(report=GOOD.as_json(), reason=said))
    session.commit()
    page = ana.get(steps).text
    assert f'<span lang="en">{said}</span>' in page
    assert page.count(log) == before + 1
    in_german = "Der Bot machte in seiner Probepartie 1 einen Fehler: The program printed nothing"
    assert f"<span>{in_german}" in ana.get(f"/de{steps}").text


def test_a_reason_that_many_checks_failed_for_is_told_once(
    ana: FlaskClient, session: Session
) -> None:
    steps = submit(ana)
    reasons = {
        "stays": "It ended the stream. It had been asked for a demand decision (id 1).",
        "drive": "It ended the stream. It had been asked for a drive decision (id 1).",
        "visit": "It ended the stream. It had been asked for a visit move (id 27).",
        "game-end": "It did not close the stream within 2 s.",
        "fault": "It did not close the stream within 5 s.",
    }
    lines = (ReportLine(name, "It …", "failed", "x", said, 0.1) for name, said in reasons.items())
    checked(session, 1, Report(False, tuple(lines)))
    page = ana.get(steps).text
    assert [said in page for said in reasons.values()] == [True, False, False, True, True]
    assert page.count("(as above, at stays)") == 2
    assert re.findall(r'<li class="check-failed( named)?">', page) == [" named", "", "", "", ""]


def test_why_a_check_failed_is_told_in_the_language_of_the_page(
    ana: FlaskClient, session: Session
) -> None:
    steps = submit(ana)
    why = "It ended the stream with an error (UNKNOWN: no rum)."
    lines = (
        ReportLine("hello", "It …", "failed", "x", why, 0.1),
        ReportLine("drive", "It …", "not tried", None, f"The game broke off before: {why}", 0.1),
        ReportLine("visit", "It …", "not tried", None, "First mend hello.", 0.1),
    )
    checked(session, 1, Report(False, lines))
    page = ana.get(f"/de{steps}").text
    in_german = "Er hat den Stream mit einem Fehler beendet (UNKNOWN: no rum)."
    assert f"</code> <span>{in_german}</span>" in page
    assert f"<span>Die Partie brach vorher ab: {in_german}</span>" in page
    assert "<span>Behebe zuerst hello.</span>" in page
    assert why not in page


def test_a_rejected_version_is_shown_whatever_its_bot_has_said(
    ana: FlaskClient, session: Session
) -> None:
    steps = submit(ana)
    said = "The bot sent “100% of %(x)s”."
    line = ReportLine("hello", "It says hello.", "failed", "broken", said, 0.1)
    checked(session, 1, Report(False, (line,)))
    answer = ana.get(steps)
    assert answer.status_code == 200
    assert said in answer.text


def test_a_rejected_version_is_tried_again_by_one_click(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    checked(session, 1, BAD)
    steps = "/bots/1/versions/1"
    assert 'action="/bots/1/versions/1/retry"' in ana.get(steps).text
    answer = post(ana, f"{steps}/retry", steps)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/bots/1/versions/2")
    page = ana.get("/bots/1/versions/2").text
    assert "Waiting for a worker" in page
    assert post(ana, f"{steps}/retry", steps).status_code == 409  # it is being checked
    checked(session, 2)
    assert session.get_one(Version, 2, populate_existing=True).state == "active"


def test_of_a_retired_bot_no_version_is_tried_again(ana: FlaskClient, session: Session) -> None:
    steps = submit(ana)
    checked(session, 1, BAD)
    session.execute(update(Bot).values(state=BotState.RETIRED))
    session.commit()
    page = ana.get(steps).text
    assert "It hung up." in page
    assert "/retry" not in page
    assert "submit it again" not in page


@pytest.mark.parametrize(
    ("code", "anchor"),
    [("not-proven", "the-shared-secret"), ("nobody-listens", "the-way-to-a-ladder")],
)
def test_a_rejection_links_to_what_helps(
    code: str, anchor: str, ana: FlaskClient, session: Session
) -> None:
    submit(ana)
    line = ReportLine("first-call", "Called once.", "failed", code, "It was not let in.", 0.1)
    while session.get_one(Version, 1, populate_existing=True).state != "rejected":
        session.execute(update(Job).values(not_before=None))
        checked(session, 1, Report(False, (line,)))
    page = ana.get("/bots/1/versions/1").text
    assert f'href="/docs/write-a-bot-anywhere#{anchor}"' in page
    assert f'id="{anchor}"' in ana.get("/docs/write-a-bot-anywhere").text


def test_the_page_says_that_a_silent_bot_is_tried_again(ana: FlaskClient, session: Session) -> None:
    submit(ana)
    line = ReportLine("first-call", "Called once.", "failed", "nobody-listens", "Nobody.", 0.1)
    checked(session, 1, Report(False, (line,)))
    page = ana.get("/bots/1/versions/1").text
    assert "Nothing listens there yet. We keep trying for a minute." in page
    german = ana.get("/bots/1/versions/1", headers={"Accept-Language": "de"}).text
    assert "Dort antwortet noch nichts." in german
