"""What authors and organisers do from the terminal, on a site that runs elsewhere."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import versions
from ladder.bots.gateway import Guests
from ladder.bots.versions import CHECK
from ladder.jobs import attempts
from ladder.matches import misses, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.misses import MissedCall
from ladder.playing import result
from referee.fault_reports import fault_reports
from referee.replay import read
from referee.wire.replay_pb2 import Replay
from tests.ladder.bots.authors import BAD
from tests.ladder.cli.client.answers import answering, http
from tests.ladder.cli.client.sites import GATEWAY, UNSET, Running
from tests.ladder.cli.terminal import TIMEOUT, fails, succeeds
from tests.referee.games import DrawingBot, FaultyBot, local_game

SECRET = "0123456789abcdef"
WITHOUT_LADDER = """
import json, sys
for lacking in ("alembic", "celery", "cryptography", "flask", "numpy", "redis", "sqlalchemy"):
    sys.modules[lacking] = None

from click.testing import CliRunner
from ladder.cli.commands import santiago

there = ("--site", sys.argv[1])
commands = (
    ("tournament", "list", *there),
    ("match", "annul", "1", "--reason", "It stood still.", *there),
    ("tournament", "list"),
)
print(json.dumps([CliRunner().invoke(santiago, words).output for words in commands]))
"""


def reject(site: Running, bot_id: int) -> None:
    """As if the check of its newest version had failed."""
    engine = model.engine(site.database_url)
    with model.session_factory(engine).begin() as session:
        query = select(model.Version).where(model.Version.bot_id == bot_id)
        version = session.scalars(query.order_by(model.Version.id.desc())).first()
        assert version is not None
        attempts.drop(session, CHECK, version.id)
        version.report = BAD.as_json()
        versions.reject(session, version, BAD.reason)
    engine.dispose()


def test_an_author_submits_a_bot_and_looks_after_it(site: Running) -> None:
    token = site.author
    said = site.says(
        *("bot", "submit", "rum", "1", "--address", "bot.example:443", "--slots", "3"),
        token=token,
        SANTIAGO_SECRET=SECRET,
    )
    found = re.match(r"Bot (\d+): rum 1 is submitted; \S+/bots/\1/versions/\d+\n`santiago", said)
    assert found
    new = "rum is not on the ladder yet"
    assert f"{new}  newest: 1 (submitted)" in site.says("bot", "status", token=token)
    assert site.says("bot", "status", found[1], token=token) == f"{new}\n  1  submitted\n"
    opened = site.says("bot", "open-to-people", found[1], token=token)
    assert opened == f"{new}, and plays with people\n"
    assert site.says("bot", "close-to-people", found[1], token=token) == f"{new}\n"
    assert site.says("bot", "pause", "rum", token=token) == "rum is paused\n"
    assert site.says("bot", "resume", "rum", token=token) == f"{new}\n"
    nothing = f"No matches yet. `santiago bot status {found[1]}` tells how its versions are.\n"
    assert site.says("bot", "log", "rum", token=token) == nothing
    assert (
        "no such version that was rejected"
        in site.run("bot", "retry", found[1], token=token).stderr
    )
    reject(site, int(found[1]))
    again = site.says("bot", "retry", found[1], token=token)
    assert again.startswith("Version 1 is submitted again.\n")
    both = "\n  1  submitted\n  1  rejected\n      failed: accept - It hung up.\n"
    assert both in site.says("bot", "status", "rum", token=token)
    nobody = site.run("bot", "status", "ron", token=token)
    assert nobody.exit_code == 1
    assert nobody.stderr.startswith("Error: You have no bot that is called 'ron': ")
    assert site.run("bot", "retire", found[1], token=token).exit_code == 1, "it asks"
    assert site.says("bot", "retire", found[1], "--yes", token=token) == "rum is retired\n"
    told = site.run("bot", "resume", found[1], token=token)
    assert told.exit_code == 1
    assert told.stderr == "Error: rum is retired: submit a bot with another name.\n"


def test_an_author_is_told_what_a_new_version_means_for_the_old_one(site: Running) -> None:
    token, bot = site.author, str(site.arena.own)
    bots = bot, str(site.arena.bots[0])
    site.says("tournament", "create", *bots, "--name", "Doble", token=site.organiser)
    shown = site.says("bot", "status", bot, token=token)
    name = shown.partition(" ")[0]
    said = site.says("bot", "submit", name, "77", token=token)
    assert f"{name} 1 plays in the tournament Doble until that is over: keep it running" in said
    reject(site, int(bot))
    again = site.says("bot", "retry", bot, token=token)
    assert "\nVersion 1 plays in the tournament Doble until that is over: keep it running" in again


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("hosted:3", "until that is over.\n"),
        ("bot.example:443", "at this same address. While another program answers there, its match"),
    ],
)
def test_what_a_version_that_still_plays_needs_of_its_author(address: str, told: str) -> None:
    entered = {"tournament": "Doble", "version": "1", "address": address}
    made = {"bot_id": 1, "version_id": 4, "state": "submitted", "entered": [entered]}
    with answering(answer_of(made)) as (url, _):
        words = ("rum", "2", "--address", "bot.example:443")
        said = succeeds("bot", "submit", *words, "--site", url)
    assert f"Bot 1: rum 2 is submitted; {url}/bots/1/versions/4\n" in said
    assert f"\nrum 1 plays in the tournament Doble {told}" in said


def test_a_token_for_a_site_that_names_no_gateway() -> None:
    with answering(answer_of({"gateway_token": "7ken"})) as (url, _):
        said = succeeds("bot", "gateway-token", "1", "--site", url).splitlines()
    assert said[1:] == [
        "    SANTIAGO_TOKEN=7ken santiago bot join GATEWAY:PORT BOT",
        "The site names no gateway: ask its operator for one, or upload the bot.",
    ]


def test_a_bot_behind_the_gateway_gets_a_token_once(site: Running) -> None:
    said = site.says("bot", "submit", "guest", "1", token=site.author)
    shown = re.search(r"Bot (\d+): .*SANTIAGO_TOKEN=(\S+) santiago bot join (\S+) BOT", said, re.S)
    assert shown
    new = site.says("bot", "gateway-token", shown[1], token=site.author)
    assert shown[3] == GATEWAY
    assert shown[2] not in new
    assert f" santiago bot join {GATEWAY} BOT" in new
    waits = "  1  submitted: it will be checked as soon as it joins the gateway\n"
    assert site.says("bot", "status", shown[1], token=site.author).endswith(waits)
    engine = model.engine(site.database_url)
    Guests(model.session_factory(engine)).watch(shown[1], 1, "0.9")
    engine.dispose()
    assert "version 0.9 has joined the gateway; this one" in site.says(
        "bot", "status", shown[1], token=site.author
    )


def test_an_organiser_leads_a_tournament(site: Running, tmp_path: Path) -> None:
    token = site.organiser
    ids = [str(bot) for bot in site.arena.bots]
    made = site.says("tournament", "create", *ids, "--deals", "1", "--name", "Liga", token=token)
    found = re.match(r"Tournament (\d+): 2 matches; `santiago tournament start \1`", made)
    assert found
    for step, told in (("start", "has started"), ("pause", "is paused"), ("resume", "goes on")):
        assert told in site.says("tournament", step, found[1], token=token)
    assert "Liga" in site.says("tournament", "list")
    assert "0 of 2 matches played" in site.says("tournament", "show", found[1])
    assert "cancelled" in site.says("tournament", "cancel", found[1], "--yes", token=token)
    refused = site.run("tournament", "start", found[1], token=token)
    assert "is cancelled: it can't be started now" in refused.stderr
    here = site.run("tournament", "list", "--data", str(tmp_path))
    assert "There is no ladder in" in here.stderr, "a folder that is named goes before"
    both = site.run("tournament", "list", "--site", site.url, "--data", str(tmp_path))
    assert "Liga" in both.stdout, "and a site that is named before that"


def test_for_a_site_no_part_of_a_ladder_is_needed(site: Running) -> None:
    cup = ("--deals", "1", "--name", "Sin base")
    site.says("tournament", "create", *map(str, site.arena.bots), *cup, token=site.organiser)
    listed, annulled, lacking = json.loads(
        subprocess.run(
            [sys.executable, "-c", WITHOUT_LADDER, site.url],
            env={name: value for name, value in os.environ.items() if name not in UNSET},
            check=True,
            capture_output=True,
            timeout=TIMEOUT,
        ).stdout
    )
    assert "Sin base" in listed
    assert "Put a token of your account into SANTIAGO_API_TOKEN." in annulled
    assert "Name the ladder's site by --site or SANTIAGO_SITE." in lacking
    assert lacking.endswith("pip install 'santiago-arena[ladder]'\n")


def test_bots_are_withdrawn_from_a_tournament(site: Running) -> None:
    own, (one, other) = site.arena.own, site.arena.bots
    ids = [str(bot) for bot in (own, one, other)]
    made = site.says("tournament", "create", *ids, "--deals", "1", token=site.organiser)
    cup = made.split()[1].rstrip(":")
    leave = ("bot", "withdraw", str(own), cup)
    assert site.run(*leave, token=site.author).exit_code == 1, "it asks"
    told = site.says(*leave, "--yes", token=site.author)
    assert told == f"Bot {own} has withdrawn from tournament {cup}.\n"
    assert "already" in site.run(*leave, "--yes", token=site.author).stderr
    told = site.says("tournament", "withdraw", cup, str(one), "--yes", token=site.organiser)
    assert told == f"Bot {one} has withdrawn from tournament {cup}.\n"
    assert site.says("tournament", "show", cup).count("withdrew") == 2
    refused = site.run("tournament", "play-forfeits", cup, token=site.organiser)
    assert "its forfeits can't be played any more" in refused.stderr


def test_an_author_challenges_others(site: Running) -> None:
    own, *others = map(str, (site.arena.own, *site.arena.bots))
    said = site.says("bot", "challenge", own, *others, token=site.author)
    found = re.match(r"Match (\d+) is queued: (.+); (\S+)\n", said)
    assert found
    assert sorted(found[2].split(", ")) == ["luz", "rey", "zorro"]
    assert found[3] == f"{site.url}/matches/{found[1]}"
    refused = site.run("bot", "challenge", others[0], own, token=site.author)
    assert f"You have no bot {others[0]}." in refused.stderr
    named = site.says("bot", "challenge", own, others[0], "rey", token=site.author)
    assert re.search(r" is queued: .*\brey\b", named)


def test_what_is_done_to_a_match_that_went_wrong(site: Running) -> None:
    match, why = str(site.arena.match), ("--reason", "The host stood still.")
    assert site.run("match", "annul", match, token=site.organiser).exit_code == 2, "a reason"
    assert f"Match {match} is annulled" in site.says(
        "match", "annul", match, *why, token=site.organiser
    )
    again = site.run("match", "annul", match, *why, token=site.organiser)
    assert f"Match {match} is already annulled." in again.stderr
    own, other = str(site.arena.own), str(site.arena.bots[0])
    made = site.says("bot", "challenge", own, other, token=site.author).split()[1]
    assert site.run("match", "cancel", made, *why, token=site.organiser).exit_code == 1
    cancelled = site.says("match", "cancel", made, *why, token=site.admin)
    assert cancelled == f"Match {made} is cancelled.\n"
    stays = site.run("match", "requeue", made, *why, token=site.admin)
    assert "is cancelled: only running or failed matches can be queued again" in stays.stderr


def test_what_the_site_refuses_is_told(site: Running) -> None:
    for arguments, token, sentence in (
        (("bot", "status"), None, "Put a token of your account into SANTIAGO_API_TOKEN."),
        (("bot", "status"), "nonsense", "This token is not valid: it may have expired"),
        (("bot", "status", "2"), site.author, "You have no bot 2."),
        (("bot", "submit", "a b", ""), site.author, "Version: "),
        (("bot", "submit", "<b>", "1"), site.author, "A name has 1 to 40 characters"),
        (("tournament", "create", "2", "3"), site.author, "The role author does not allow this."),
        (("tournament", "create", "2", "3", "--seed", "1"), site.organiser, "leave --seed out"),
    ):
        result = site.run(*arguments, token=token)
        assert result.exit_code in (1, 2)
        assert sentence in result.stderr


def test_replays_are_downloaded(site: Running, tmp_path: Path) -> None:
    match = str(site.arena.match)
    said = site.says("replay", "download", match, "--to", str(tmp_path / "games"))
    file = tmp_path / "games" / f"match-{match}.santiago"
    assert said == f"{file}\n"
    assert len(read(file.read_bytes()).seats) == 2
    missing = site.run("replay", "download", "999", "--to", str(tmp_path))
    assert missing.stderr == "Error: There is no match 999.\n"


def test_a_match_without_a_replay_holds_up_no_other_download(site: Running, tmp_path: Path) -> None:
    match = str(site.arena.match)
    own, other = str(site.arena.own), str(site.arena.bots[0])
    unplayed = site.says("bot", "challenge", own, other, token=site.author).split()[1]
    both = site.run("replay", "download", unplayed, match, "--to", str(tmp_path))
    assert both.exit_code == 1
    assert both.stdout == f"{tmp_path / f'match-{match}.santiago'}\n"
    assert f"Error: Match {unplayed} has no replay" in both.stderr
    site.says("match", "cancel", unplayed, "--reason", "A test.", token=site.admin)


@pytest.mark.parametrize(
    "answer",
    [
        http("200 OK", "Content-Type: text/html", body=b"<p>Sign in"),
        http("200 OK", "Content-Type: application/json", body=b"{}"),
        http("204 No Content"),
    ],
)
def test_what_is_no_replay_is_not_saved(answer: bytes, tmp_path: Path) -> None:
    with answering(answer) as (url, _):
        told = fails("replay", "download", "7", "--to", str(tmp_path), "--site", url)
    assert told == f"Error: {url} sent no replay of match 7: is the URL right?\n"
    assert list(tmp_path.iterdir()) == []


def end_challenge(site: Running, end: Callable[[Session, MatchClaim, int], object]) -> int:
    """Let the author challenge a bot, and a worker end the match; return its id.

    `end` is called with a session, the worker's claim, and the seat of the author's bot.
    """
    own, other = site.arena.own, site.arena.bots[0]
    made = site.says("bot", "challenge", str(own), str(other), token=site.author).split()[1]
    engine = model.engine(site.database_url)
    sessions = model.session_factory(engine)
    with sessions.begin() as session:
        claim = attempts.claim(session, MATCHES, int(made), "worker", lease=60.0)
        assert claim is not None
    with sessions.begin() as session:
        end(session, claim, [player.bot_id for player in claim.players].index(own))
    engine.dispose()
    return int(made)


def test_an_author_reads_all_about_a_fault(site: Running) -> None:
    ended: list[tuple[Replay, int]] = []

    def fault(session: Session, claim: MatchClaim, own: int) -> None:
        played = local_game([FaultyBot if seat == own else DrawingBot for seat in range(2)])
        results.finish(session, claim, result(played))
        ended.append((played, own))

    made = end_challenge(site, fault)
    said = site.says("bot", "log", str(site.arena.own), "--faults", token=site.author)
    ((played, mine),) = ended
    (report,) = fault_reports(played)
    assert f"    closed at step {report.step}, turn {report.turn}: The bot failed: " in said
    assert f"      asked: decision {report.decision_id}, {report.kind}, " in said
    assert f"        {len(report.legal) - 1}  {report.legal[-1]}\n" in said
    assert f"    again: santiago replay download {made}\n" in said
    assert f"           santiago replay debug match-{made}.santiago --seat {mine}\n" in said


def answer_of(content: object) -> bytes:
    """A site's answer with this JSON."""
    return http("200 OK", "Content-Type: application/json", body=json.dumps(content).encode())


def test_a_bot_that_did_not_appear_has_nothing_to_debug() -> None:
    (report,) = fault_reports(local_game([FaultyBot, DrawingBot]))
    entry = {"match_id": 7, "kind": "tournament", "state": "finished", "version": "1", "seat": 0}
    entry |= {"rank": 3, "fault": "absent", "fault_report": asdict(report)}
    forfeit = entry | {"match_id": 6, "fault_report": None}
    with answering(answer_of({"entries": [entry, forfeit]})) as (url, _):
        said = succeeds("bot", "log", "1", "--site", url)
    away = "    It did not appear: the tournament decided the match without it.\n"
    assert said == "".join(
        f"match {match} (tournament), finished: version 1, rank 3\n{away}" for match in (7, 6)
    )


def test_a_field_that_a_later_version_adds_does_no_harm() -> None:
    played = local_game([FaultyBot, DrawingBot])
    (report,) = fault_reports(played)
    entry = {"match_id": 7, "kind": "rated", "state": "finished", "version": "1", "seat": 0}
    entry["fault_report"] = asdict(report) | {"mood": "sad"}
    entry |= {"think_ms": 900, "longest_ms": 700, "peak_memory": 3 << 19, "opponents": ["zorro v2"]}
    with answering(answer_of({"entries": [entry]})) as (url, _):
        said = succeeds("bot", "log", "1", "--site", url)
    used = "thought 900 ms (longest decision 700 ms), peak memory 1.5 MB; against zorro v2\n"
    assert said.startswith(f"match 7 (rated), finished: version 1, rank -, {used}")
    assert f"    closed at step {report.step}, turn {report.turn}: The bot failed: " in said


def test_an_author_reads_what_a_hosted_bot_wrote_in_a_match() -> None:
    entry = {"match_id": 7, "kind": "rated", "state": "finished", "version": "1", "seat": 0}
    entry |= {"fault": "closed", "fault_sentence": "It ended; see its log."}
    with answering(answer_of({"entries": [entry | {"wrote": 9}, entry]})) as (url, _):
        said = succeeds("bot", "log", "3", "--site", url)
    assert said.count("\n    wrote: santiago bot log 3 7\n") == 1, "of one it was not kept"
    with answering(answer_of({"output": "Error\n  at 1\n"})) as (url, received):
        assert succeeds("bot", "log", "3", "7", "--site", url) == "Error\n  at 1\n"
    assert received[0].startswith(b"GET /api/v1/bots/3/log/7/output ")
    with answering(answer_of({"output": ""})) as (url, _):
        assert succeeds("bot", "log", "3", "7", "--site", url) == "It wrote nothing.\n"


@pytest.mark.parametrize(
    ("authors", "told"),
    [
        ({}, "No bot with a place on a ladder is called 'rey': take its id, which is in the"),
        ({4: "ana", 7: "bela"}, "Several bots are called 'rey': take the id (4 by ana, 7 by bela)"),
    ],
)
def test_an_opponent_whose_name_does_not_fit_one_bot(authors: dict[int, str], told: str) -> None:
    other = {"bot_id": 9, "name": "reyes", "author": "rey"}
    bots = [{"bot_id": bot, "name": "rey", "author": author} for bot, author in authors.items()]
    with answering(answer_of({"bots": [other, *bots]})) as (url, _):
        assert told in fails("bot", "challenge", "1", "rey", "--site", url, code=2)


def test_an_author_without_bots_is_told_how_to_begin() -> None:
    with answering(answer_of({"bots": [], "next": None})) as (url, _):
        said = succeeds("bot", "status", "--site", url)
    assert said == "You have no bots yet: `santiago bot submit PACKAGE` uploads one.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("bot", "status"),
        ("bot", "status", "1"),
        ("bot", "log", "1"),
        ("bot", "retry", "1"),
        ("bot", "pause", "1"),
        ("bot", "submit", "rum", "1"),
        ("bot", "gateway-token", "1"),
        ("bot", "challenge", "1", "2"),
    ],
)
def test_an_answer_of_another_service_is_told(words: Sequence[str]) -> None:
    with answering(answer_of({})) as (url, _):
        told = fails(*words, "--site", url)
    assert re.match(r"Error: The site's answer holds no \w+: is it newer, or the URL wrong\?", told)


def test_an_author_reads_why_a_match_was_not_played(site: Running) -> None:
    call = MissedCall("Nobody listens there.")
    end_challenge(site, partial(misses.not_accepted, call=call))
    said = site.says("bot", "log", str(site.arena.own), token=site.author)
    assert "    not played: Nobody listens there.\n" in said
