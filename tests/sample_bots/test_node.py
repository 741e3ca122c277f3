"""The kit for Node.js: what it says when something is wrong, TLS and the shared secret."""

import asyncio
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.conformance.check import Candidate, CheckResult, CheckState, Failure, Why, open_stream
from referee.conformance.suite import checks, examine
from referee.errors import InvalidBot
from referee.match import play_table
from referee.processes import BotProcess
from referee.seats.player import LocalSeat, SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.ways import Ways
from referee.wire import bot_pb2
from tests.conftest import free_port, missing, run_in
from tests.referee.games import DrawingBot, match_of

# What is installed first takes its time on a busy machine.
pytestmark = pytest.mark.timeout(1800)

TIMEOUT = 300.0
SECRET = "a secret that only two know"


@pytest.fixture
def folder(node_project: Path, tmp_path: Path) -> Path:
    """A project with the kit, and no bot yet."""
    for name in ("serving.js", "proofs.js"):
        shutil.copy(node_project / name, tmp_path)
    (tmp_path / "proto").symlink_to(node_project.parents[1] / "proto")
    (tmp_path / "node_modules").symlink_to(node_project / "node_modules")
    return tmp_path


@contextmanager
def bot(folder: Path, choose: str, address: str | None = None, **environ: str) -> Iterator[str]:
    """A bot that runs, with this function body as `choose`; its log is bot.log."""
    (folder / "bot.js").write_text(
        f"const choose = (decision, events) => {{ {choose} }};\n"
        "require('./serving').serve({ name: 'b', version: '1', newGame: () => ({ choose }) });\n"
    )
    command = ["node", str(folder / "bot.js")]
    with BotProcess(
        command, address or f"unix:{folder}/bot", folder / "bot.log", environ
    ) as process:
        process.wait_until_ready()
        yield process.address


def first_failure(candidate: Candidate) -> CheckResult:
    results = asyncio.run(examine(candidate, checks()[:9]))
    return next(result for result in results if result.state is CheckState.FAILED)


LIBRARY = """
exports.later = async () => { await null; throw new Error('late'); };
exports.sell = () => { throw new Error('sold out'); };
"""
WRONG = (
    ("throw new Error('no idea');", r"Error: no idea \(bot\.js, line 1\)"),
    ("null.x;", r"TypeError: Cannot read properties of null .*\(bot\.js, line 1\)"),
    ("JSON.parse('{');", r"SyntaxError: .*\(bot\.js, line 1\)"),
    ("require('./own/node_modules/rum').sell();", r"sold out \(bot\.js, line 1\)"),
    ("return require('./own/node_modules/rum').later();", r"late \(rum\.js, line 2\)"),
    ("throw 'a mere word';", "UNKNOWN: a mere word"),
    ("throw new Error('x'.repeat(9999));", r"x{100,120} \(bot\.js, line 1\)"),
    ("throw 'x'.repeat(119) + '\\u{1F600}';", "UNKNOWN: x{119}\N{REPLACEMENT CHARACTER}"),
    ("return decision.legal.length;", r"choose returned (\d+), which is not the .* \1 legal moves"),
    ("", "RangeError: choose returned undefined"),
    ("return decision.legal[0].text;", r"choose returned '\w+ \w+', which is not the index"),
    ("return decision.legal[0];", r"returned { action: \d+, text: '[^']+.{,9}, which .* from 0\)"),
)
"""What is wrong with a bot at its first decision, and what it is told."""


def test_a_bot_that_goes_wrong_is_told_so_and_writes_it_into_its_log(folder: Path) -> None:
    """In one game after the other, each time in another way."""
    (folder / "own/node_modules").mkdir(parents=True)
    (folder / "own/node_modules/rum.js").write_text(LIBRARY)
    ways = ", ".join(f"() => {{ {choose} }}" for choose, _ in WRONG)
    with bot(folder, f"globalThis.at ??= 0; return [{ways}][at++]();") as address:
        for _, said in WRONG:
            failure = first_failure(Candidate(address))
            assert (failure.name, failure.why) == ("stays", Why.CLOSED)
            assert re.search(said, failure.explanation)
    log = (folder / "bot.log").read_text()
    assert re.search(r"^Error: no idea\n +at .*bot\.js:1", log, re.M)


NOTES = (
    "{ text: 'sure', chances: [0.75, 0.25], line: [decision.legal[0].text, 'drive 1'] }",
    "{ text: 'x'.repeat(199) + '\\u{1F600}'.repeat(1e5), "
    "chances: Array(1e5).fill(0.5), line: Array(1e5).fill('drive 1') }",
    "{ text: null, chances: 7, line: {} }",
    "'a mere word'",
)
"""What a bot notes; only the first is as the protocol wants it."""


def test_a_bot_leaves_notes_and_none_is_a_fault(folder: Path) -> None:
    choose = f"globalThis.at ??= 0; return {{ index: 0, note: [{', '.join(NOTES)}][at++ % 4] }};"
    with bot(folder, choose) as address:
        players: list[SeatPlayer] = [RemoteSeat(address), LocalSeat(DrawingBot())]
        replay = asyncio.run(play_table(match_of(["b", ""]), players))
    assert not [entry for entry in replay.entries if entry.HasField("fault")]
    choices = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    notes = [one.note for one in choices if one.HasField("note")]
    assert {one.text for one in notes} == {"sure", "x" * 199 + "\N{REPLACEMENT CHARACTER}"}
    assert {tuple(one.chances) for one in notes} == {(0.75, 0.25), ()}
    assert {len(one.line) for one in notes} == {2, 12}


def test_both_know_the_secret(folder: Path) -> None:
    with bot(folder, "return 0;", SANTIAGO_SECRET=SECRET) as address:
        candidate = Candidate(address, ways=Ways(secrets={address: SECRET}))
        results = asyncio.run(examine(candidate, checks()[:20]))
    assert {result.state for result in results} == {CheckState.PASSED}


@pytest.mark.parametrize("known", ["", "another secret than that"])
def test_the_other_does_not_know_the_secret(folder: Path, known: str) -> None:
    with bot(folder, "return 0;", SANTIAGO_SECRET=SECRET) as address:
        failure = first_failure(Candidate(address, ways=Ways(secrets={address: known})))
    assert failure.name == "accept"


async def test_a_referee_that_cannot_prove_itself(folder: Path) -> None:
    with bot(folder, "return 0;", SANTIAGO_SECRET=SECRET) as address:
        stream = await open_stream(Candidate(address), "1/1/0")
        start = bot_pb2.GameStart(match_id="1", attempt=1, challenge=bytes(32))
        await stream.send(bot_pb2.PlayRequest(start=start).SerializeToString(), TIMEOUT)
        assert await stream.receive(TIMEOUT)
        asked = bot_pb2.PlayRequest(decision=bot_pb2.Decision(id=1), proof=bytes(32))
        await stream.send(asked.SerializeToString(), TIMEOUT)
        with pytest.raises(Failure, match="UNAUTHENTICATED"):
            await stream.receive(TIMEOUT)
        await stream.hang_up()


def test_tls(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("openssl"):
        missing("openssl")
    files = ("-keyout", "key.pem", "-out", "cert.pem", "-days", "1")
    named = ("-subj", "/CN=bot", "-addext", "subjectAltName=IP:0.0.0.0")
    run_in(folder, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *named)
    monkeypatch.setenv("SANTIAGO_CA_FILE", f"{folder}/cert.pem")
    pair = {
        "SANTIAGO_TLS_CERTIFICATE": f"{folder}/cert.pem",
        "SANTIAGO_TLS_KEY": f"{folder}/key.pem",
    }
    with bot(folder, "return 0;", f"0.0.0.0:{free_port()}", **pair) as address:
        results = asyncio.run(examine(Candidate(address), checks()[:20]))
    assert {result.state for result in results} == {CheckState.PASSED}


@pytest.mark.parametrize("name", ["SANTIAGO_TLS_CERTIFICATE", "SANTIAGO_TLS_KEY"])
def test_half_of_what_tls_needs(folder: Path, name: str) -> None:
    with pytest.raises(InvalidBot, match="exit code 1"), bot(folder, "", **{name: "a.pem"}):
        pass
    assert "TLS needs both SANTIAGO_TLS_CERTIFICATE and" in (folder / "bot.log").read_text()


def test_a_short_secret_is_refused(folder: Path) -> None:
    with pytest.raises(InvalidBot), bot(folder, "", SANTIAGO_SECRET="x" * 15):
        pass
    assert "SANTIAGO_SECRET needs 16 characters or more" in (folder / "bot.log").read_text()
