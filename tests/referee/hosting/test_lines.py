"""The adapter for programs that read lines and print moves."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep
from typing import cast

import grpc
import pytest

from referee import serving
from referee.bot import Decision
from referee.clock import Clock
from referee.conformance.meeting import opening
from referee.errors import InvalidBot
from referee.hosting import line_program, lines
from referee.hosting.line_program import Program, event_line
from referee.hosting.lines import LinesBot, command_for, described, play_by_lines
from referee.processes import BotProcess
from referee.replay import StepKind, simulate, start
from referee.rules import Layout, Position
from referee.rules.trace import state_json
from referee.seats.description import describe
from referee.seats.protocol import start_request
from referee.serving import HungUp
from referee.wire import bot_pb2, game_pb2, replay_pb2
from tests.referee.games import PATIENT, match_of, play

NewAddress = Callable[[], str]
FIRST = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "decision":
        print(asked["legal"][0])
"""
KEEPS = """
import json, sys
with open(sys.argv[1], "a") as kept:
    for line in sys.stdin:
        kept.write(line)
        asked = json.loads(line)
        if asked["type"] == "decision":
            print(" " + asked["legal"][-1].replace(" ", "  "), end="\\n\\n")
"""


@contextmanager
def serving_lines(command: list[str], address: str) -> Iterator[str]:
    bot_class = described("", "", command)
    player = partial(play_by_lines, command, bot_class, "")
    server = serving.start_server(bot_class, address, player=player)
    try:
        yield address
    finally:
        server.stop(None).wait()


async def replay_with(program: str, tmp_path: Path, address: str, other: str) -> replay_pb2.Replay:
    """A game in which a program in Python has seat 0; the bot at `other` has seat 1."""
    file = tmp_path / "program.py"
    file.write_text(program)
    command = [sys.executable, str(file), str(tmp_path / "kept")]
    with serving_lines(command, address):
        return await play(match_of([address, other]))


async def test_a_program_of_five_lines_plays_a_game(
    tmp_path: Path, new_address: NewAddress, good_bot: str
) -> None:
    replay = await replay_with(FIRST, tmp_path, new_address(), good_bot)
    assert not any(entry.HasField("fault") for entry in replay.entries)
    assert len(replay.result.scores) == 2


async def test_what_a_program_reads(tmp_path: Path, new_address: NewAddress, good_bot: str) -> None:
    replay = await replay_with(KEEPS, tmp_path, new_address(), good_bot)
    first, *decisions, last = map(json.loads, (tmp_path / "kept").read_text().splitlines())
    assert (first["type"], first["players"], first["seat"]) == ("setup", 2, 0)
    assert first["match"] == "match-5"
    assert first["clock"]["move"] == PATIENT.move_limit
    assert last["type"] == "result"
    assert last["ranks"] == list(replay.result.ranks)
    assert [score["vp"] for score in last["scores"]] == [s.vp for s in replay.result.scores]
    assert {line["type"] for line in decisions} == {"decision"}
    assert {line["seat"] for line in decisions} == {0}
    position, asked = start(replay), iter(decisions)
    for step in simulate(position, replay):
        if step.kind is not StepKind.ROLL and step.by == "bot" and step.seat == 0:
            line = next(asked)
            assert line["state"] == state_json(position)
            assert (line["kind"], line["legal"]) == (position.kind, position.legal_texts())
            assert 0 < line["time_left"] <= PATIENT.move_limit
    assert next(asked, None) is None
    told = [event for line in [*decisions, last] for event in line["events"]]
    moves = [event["move"] for event in told if event["type"] == "move"]
    steps = list(simulate(start(replay), replay))
    assert len(moves) == sum(s.kind not in (StepKind.ROLL, StepKind.FAULT) for s in steps)
    assert sum(event["type"] == "roll" for event in told) == sum(
        s.kind is StepKind.ROLL for s in steps
    )


def answering(text: str) -> str:
    """A program that prints this at its first decision."""
    return FIRST.replace('print(asked["legal"][0])', text)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (
            answering('print("fly home")'),
            "'fly home', which is not a drive move such as 'drive 1': ",
        ),
        (answering('print("drive 99")'), "'drive 99', which is not a legal "),
        (answering("print(0)"), "'0', which is not a drive move"),
        (answering("sys.exit(3)"), "ended with exit code 3 before it printed a move"),
        (answering("__import__('os').abort()"), "was ended by a signal (Abort"),
        (answering("raise ValueError"), "ended with exit code 1 before it printed a move"),
        (answering('print("x" * 5000)'), "a line of more than 1000 bytes"),
        (answering("import os; os.close(1); sys.stdin.read()"), "closed its output before it"),
        ("import os, sys; os.close(1); sys.stdin.read()", "closed its output before it"),
        (answering('print("fly", end=""); sys.exit()'), "'fly', which is not a drive move"),
        ('print("hello")\n' + FIRST, "'hello"),
        ('print("drive 1\\n" * 99_999)\n' + FIRST, "and all else to standard error"),
        (
            answering('print("\\0" * 999)'),
            "such as 'drive 1': all else belongs on standard error.)",
        ),
    ],
)
async def test_a_fault_says_what_the_program_did(
    program: str, sentence: str, tmp_path: Path, new_address: NewAddress, good_bot: str
) -> None:
    replay = await replay_with(program, tmp_path, new_address(), good_bot)
    assert sentence in replay.entries[-1].fault.sentence


STARTS = """
import os, pathlib, signal, sys
pathlib.Path(sys.argv[1]).touch()
"""


def begin(program: Program) -> bot_pb2.PlayRequest:
    """The referee's first message, as soon as a program's bot may accept the game."""
    return next(LinesBot(program).watched(iter([start_of_a_game()])))


def start_of_a_game(clock: Clock = PATIENT) -> bot_pb2.PlayRequest:
    layout = Layout.shuffled(Random(1))
    return start_request(opening("match-1", 0, 2, layout, b"seed", clock), resumed=False)


def test_a_program_has_accepted_a_game_when_it_reads_the_first_line(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    program = Program([sys.executable, "-c", STARTS + "sys.stdin.read()", str(ready)])
    try:
        assert begin(program).HasField("start")
        assert ready.exists(), "what it does before is on nobody's clock"
    finally:
        program.close()


@pytest.mark.parametrize(
    "what_it_does", ["os.close(0); signal.pause()", "print(1); signal.pause()"]
)
def test_nobody_waits_for_a_program_that_will_not_read(what_it_does: str, tmp_path: Path) -> None:
    program = Program([sys.executable, "-c", STARTS + what_it_does, str(tmp_path / "ready")])
    try:
        assert begin(program).HasField("start")
    finally:
        program.kill()
        program.close()


def test_the_log_says_that_a_program_has_not_read_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sandbox is frozen when the time is over, so a program's bot could not say so then."""
    said, go = list[str](), tmp_path / "go"

    def let_read(sentence: str) -> None:
        said.append(sentence)
        go.touch()

    monkeypatch.setattr(line_program, "say", let_read)
    waits = "import pathlib, sys\nwhile not pathlib.Path(sys.argv[1]).exists(): pass\ninput()"
    program = Program([sys.executable, "-c", waits, str(go)])
    start = start_of_a_game(replace(PATIENT, start_up=0.1))
    try:
        assert next(LinesBot(program).watched(iter([start]))) == start
    finally:
        program.close()
    assert said == [
        "The program has not read its first line yet: it has to read it within the start-up time "
        "of 0.1 s."
    ]


def test_a_program_that_ends_before_it_reads_accepts_no_game() -> None:
    program = Program([sys.executable, "-c", "print('No such file'); exit(2)"])
    sentence = "ended with exit code 2 before it read its first line. It printed 'No such file'."
    try:
        with pytest.raises(InvalidBot, match=re.escape(sentence)):
            begin(program)
    finally:
        program.close()


def test_a_system_that_cannot_tell_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("fcntl.ioctl", refuse)
    program = Program([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        assert begin(program).HasField("start")
    finally:
        program.kill()
        program.close()


class Caller:
    """A referee that hangs up when a program has started, or has hung up before."""

    def __init__(self, started: Path, *, is_gone: bool) -> None:
        self._started, self._is_gone = started, is_gone

    def add_callback(self, callback: Callable[[], None]) -> bool:
        if not self._is_gone:
            Thread(target=self._hang_up, args=(callback,)).start()
        return not self._is_gone

    def _hang_up(self, callback: Callable[[], None]) -> None:
        while not self._started.exists():
            sleep(0.01)
        callback()


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_referee_that_hangs_up_ends_the_wait(*, is_gone: bool, tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = [sys.executable, "-c", STARTS + "signal.pause()", str(started)]
    caller = cast(grpc.ServicerContext, Caller(started, is_gone=is_gone))
    game = play_by_lines(command, LinesBot, "", iter([start_of_a_game()]), caller)
    with pytest.raises(InvalidBot, match="hung up before the program had read its first line"):
        next(game)


def test_an_event_of_a_fault_and_one_of_a_later_protocol() -> None:
    fault = game_pb2.Event(fault=game_pb2.Fault(seat=1, sentence="It was late."))
    line = {"type": "fault", "seat": 1, "sentence": "It was late."}
    assert list(map(event_line, (fault, game_pb2.Event()))) == [line, None]


def test_a_command_that_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        lines.main(["--name", "ana"])
    assert "a command is missing, such as: python3 bot.py" in capsys.readouterr().err
    with pytest.raises(InvalidBot, match="No closing quotation"):
        command_for("python3 'bot.py")
    with pytest.raises(InvalidBot, match="needs a command, such as"):
        command_for(" ")
    with pytest.raises(InvalidBot, match="'no-such-program' is not a program"):
        command_for("no-such-program x")
    (tmp_path / "bot.sh").write_text("#!/bin/sh\n")
    with pytest.raises(InvalidBot, match=r"started here\. It may not be executed: `chmod \+x`"):
        command_for(str(tmp_path / "bot.sh"))
    with pytest.raises(InvalidBot, match=r"started here\. There is no such file\.$"):
        command_for(str(tmp_path / "bot"))
    with pytest.raises(InvalidBot, match="'no-such-program' is not a program"):
        lines.main(["no-such-program", "x"])


def test_modules_beside_a_program_are_not_for_the_kit(
    tmp_path: Path, new_address: NewAddress
) -> None:
    (tmp_path / "queue.py").write_text("raise ImportError")
    (tmp_path / "bot.py").write_text(FIRST)
    command = command_for("python3 bot.py")
    with BotProcess(command, new_address(), folder=tmp_path) as bot:
        assert bot.wait_until_ready().name == "bot"


def test_a_program_states_name_and_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_address: NewAddress
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["python3", "-u", "my_bot.py", "2.5"]
    (tmp_path / "my_bot.py").touch()
    with serving_lines(command, new_address()) as address:
        said = describe(address)
    assert (said.name, said.version, said.language) == ("my_bot", "1", "python3")
    text = 'name = "ana"\nversion = "2.1"\nlanguage = "Perl"\n'
    (tmp_path / "santiago.toml").write_text(text, encoding="utf-8-sig")  # as some editors do
    with serving_lines(command, new_address()) as address:
        said = describe(address)
    assert (said.name, said.version, said.language) == ("ana", "2.1", "Perl")


@pytest.mark.parametrize("text", [b'name = "caf\xe9"', b"name = "])
def test_a_manifest_that_cannot_be_read_is_not_used(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "santiago.toml").write_bytes(text)
    assert described("", "", ["./my-bot"]).name == "my-bot"
    assert capsys.readouterr().err.startswith("santiago.toml is not TOML in UTF-8, so it is not ")


def first_decision(time_left: float) -> Decision:
    position = Position.start(Layout.shuffled(Random(1)), 2)
    position.roll((1, 1, 1, 1, 1))
    return Decision(position, position.seat, time_left=time_left, bank_left=time_left)


def test_the_log_says_nothing_of_a_referee_that_hangs_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    program = Program([sys.executable, "-c", "input()"])
    program.kill()
    try:
        with pytest.raises(HungUp):
            LinesBot(program).choose(first_decision(600.0))
    finally:
        program.close()
    assert not capsys.readouterr().err


UNENDED = """
import json, pathlib, sys, time
move = json.loads(input())["legal"][0]
print("\\n " + move, end="", flush=True)
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
print()
"""


def test_the_log_says_before_the_time_is_over_that_no_line_was_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def say(sentence: str) -> None:
        said.append(sentence)
        (tmp_path / "said").touch()

    monkeypatch.setattr(lines, "say", say)
    decision = first_decision(1.0)
    program = Program([sys.executable, "-c", UNENDED, str(tmp_path / "said")])
    try:
        assert LinesBot(program).choose(decision) == decision.position.legal_moves[0]
    finally:
        program.close()
    kind = decision.position.kind
    assert said == [
        f"The program has printed no line for 0.9 s. It was asked for a {kind} move, with 1 s left."
        " Does it end its line, and flush its output?"
    ]
