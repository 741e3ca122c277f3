"""`santiago replay debug`: a recorded game put to a bot again."""

import asyncio
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.cli.replay import fault_lines
from ladder.local.second_opinion import opinions
from referee import replay
from referee.bot import Bot, Decision
from referee.fault_reports import fault_reports
from referee.rules import Move, Position
from referee.seats.player import Invitation, LocalSeat
from tests.ladder.cli.terminal import fails, succeeds
from tests.ladder.local.bots import Last
from tests.referee.games import PATIENT, DrawingBot, FaultyBot, local_game

pytestmark = pytest.mark.usefixtures("forked_python", "quick_bots")
BOTS = "python -m tests.ladder.local.bots"


def recorded(tmp_path: Path, *bots: type[Bot]) -> str:
    file = tmp_path / "game.santiago"
    file.write_bytes(replay.write(local_game(bots)))
    return str(file)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A game against a bot of another process."""
    folder = tmp_path_factory.mktemp("my games")
    words = ["last", f"{BOTS} quiet", "--games", "1", "--seed", "1"]
    succeeds("play", *words, "--replays", str(folder))
    return str(folder / "00001.santiago")


def seat_of(file: str, name: str) -> str:
    record = replay.read(Path(file).read_bytes())
    return str([seat.name for seat in record.seats].index(name))


@pytest.mark.parametrize(("name", "bot"), [("last", "last"), ("quiet", f"{BOTS} quiet")])
def test_the_same_bot_chooses_the_same(played: str, name: str, bot: str) -> None:
    out = succeeds("replay", "debug", played, "--seat", seat_of(played, name), "--bot", bot)
    assert re.fullmatch(
        rf"{name} chooses otherwise at 0 of \d+ decisions of seat \d \({name}\)\.\n", out
    )


def test_another_bot_chooses_otherwise(played: str) -> None:
    seat = seat_of(played, "quiet")
    *lines, last, hint = succeeds(
        "replay", "debug", played, "--seat", seat, "--bot", "last"
    ).splitlines()
    assert hint == f"Look at one of them: santiago show '{played}' --at STEP"
    told = re.fullmatch(r"last chooses otherwise at (\d+) of (\d+) decisions .*", last)
    assert told is not None
    assert len(lines) == int(told[1]) > 0
    line = re.compile(
        r"Decision \d+, step (\d+), turn (\d+), (\w+): recorded ([\w -]+), now ([\w -]+); "
        r"(\d+) legal moves, [\d.]+ ms"
    )
    for step, turn, kind, recorded, now, legal in (
        found.groups() for found in map(line.fullmatch, lines) if found
    ):
        shown = succeeds("show", played, "--at", step, "--text")
        position = Position.parse(shown)
        assert (position.seat, position.turn, position.kind) == (int(seat), int(turn), kind)
        assert {recorded, now} <= set(position.legal_texts())
        assert len(position.legal_moves) == int(legal)
    assert all(map(line.fullmatch, lines))
    trace = succeeds("replay", "trace", played)
    assert trace.count(f'"decision","seat":{seat}') == int(told[2])


def test_after_its_fault_a_seat_was_played_by_the_caretaker(tmp_path: Path) -> None:
    file = recorded(tmp_path, FaultyBot, DrawingBot, DrawingBot)
    out = succeeds("replay", "debug", file, "--seat", "0", "--bot", f"{BOTS} quiet")
    *lines, last, _ = out.splitlines()
    assert "quiet chooses otherwise" in last
    assert any("(by the caretaker)" in line for line in lines)


def test_a_seat_whose_bot_did_not_appear_was_played_by_the_caretaker(tmp_path: Path) -> None:
    file = tmp_path / "game.santiago"
    file.write_bytes(replay.write(local_game([DrawingBot, None, DrawingBot])))
    for seat, words in ((1, "(by the caretaker)"), (0, "")):
        out = succeeds("replay", "debug", str(file), "--seat", f"{seat}", "--bot", f"{BOTS} quiet")
        line = out.splitlines()[0]
        found = re.match(r"Decision 1, step (\d+), turn \d+, (\w+): ", line)
        assert found is not None
        position = Position.parse(succeeds("show", str(file), "--at", found[1], "--text"))
        assert (position.seat, position.kind) == (seat, found[2])
        assert words in line


@pytest.mark.parametrize("others", [1, 2])
def test_the_decision_at_which_it_faulted_is_asked_too(tmp_path: Path, others: int) -> None:
    """It failed at its fifth. A game of two ends there; in others the caretaker answers it."""
    file = recorded(tmp_path, FaultyBot, *[DrawingBot] * others)
    out = succeeds("replay", "debug", file, "--seat", "0", "--bot", f"{BOTS} quiet")
    faulted = re.findall(
        r"^Decision (\d+), step (\d+), turn \d+, (\w+): it faulted here \(closed\), now (.*); ",
        out,
        re.M,
    )
    ((number, step, kind, now),) = faulted
    assert number == "5"
    position = Position.parse(succeeds("show", file, "--at", step, "--text"))
    assert (position.seat, position.kind) == (0, kind)
    assert now in position.legal_texts()
    total = int(re.findall(r" of (\d+) decisions of seat 0", out)[0])
    trace = succeeds("replay", "trace", file)
    assert total == trace.count('"decision","seat":0') + (1 if others == 1 else 0)
    assert total == 5 if others == 1 else total > 5


def test_a_bot_that_faults_again_is_found(tmp_path: Path) -> None:
    file = recorded(tmp_path, FaultyBot, DrawingBot)
    target = "python -m referee.serving tests.referee.games:FaultyBot"
    out = succeeds("replay", "debug", file, "--seat", "0", "--bot", target)
    assert "Decision 5: faulty faults, and is asked no more." in out


def test_without_a_bot_it_tells_of_the_fault(tmp_path: Path) -> None:
    file = recorded(tmp_path, FaultyBot, DrawingBot)
    out = succeeds("replay", "debug", file, "--seat", "0")
    found = re.match(
        r"closed at step (\d+), turn \d+: The bot failed: ArithmeticError: no idea", out
    )
    assert found is not None
    position = Position.parse(succeeds("show", file, "--at", found[1], "--text"))
    for index, move in enumerate(position.legal_texts()):
        assert f"    {index}  {move}\n" in out
    assert re.search(r"^  asked: decision \d+, \w+, with these legal moves:$", out, re.M)
    assert re.search(
        r"^  clock: [\d.]+ s taken of 30\.000 s for the move; [\d.]+ s in the bank$", out, re.M
    )
    assert "Seat 1 did not fault." in succeeds("replay", "debug", file, "--seat", "1")


def test_what_was_received_is_told_once() -> None:
    (report,) = fault_reports(local_game([FaultyBot, DrawingBot]))
    status = replace(report, sentence="It ended the stream (UNKNOWN: rum).", received="rum")
    sent = replace(report, received="an empty PlayResponse", received_hex="12 00")
    assert not [line for line in fault_lines(status) if "received" in line or "bytes" in line]
    assert list(fault_lines(sent))[-2:] == [
        "  received: an empty PlayResponse",
        "  as bytes: 12 00",
    ]


def test_a_fault_before_any_decision_names_none() -> None:
    (report,) = fault_reports(local_game([FaultyBot, DrawingBot]))
    early = replace(report, decision_id=None, received="rum", received_hex="72 75 6D")
    told = list(fault_lines(early))
    assert told[1:] == ["  received: rum", "  as bytes: 72 75 6D"]


def test_a_bot_that_fails_is_asked_no_more(tmp_path: Path) -> None:
    file = recorded(tmp_path, DrawingBot, DrawingBot)
    out = succeeds("replay", "debug", file, "--seat", "1", "--bot", "raising")
    assert out.startswith("Decision 1: raising faults, and is asked no more. ")
    assert "at 0 of 0 decisions" in out


def test_ctrl_c_ends_it_after_the_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def press(_: Last, decision: Decision) -> Move:
        asked.append(decision)
        signal.raise_signal(signal.SIGINT)
        return decision.moves[0]

    monkeypatch.setattr(Last, "choose", press)
    file = recorded(tmp_path, DrawingBot, DrawingBot)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
    try:
        fails("replay", "debug", file, "--seat", "0", "--bot", "last", code=128 + signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(asked) == 1


def test_a_bot_that_accepts_no_game_is_told_by_its_last_lines(tmp_path: Path) -> None:
    file = recorded(tmp_path, DrawingBot, DrawingBot)
    word = f"{BOTS} unwilling"
    told = fails("replay", "debug", file, "--seat", "1", "--bot", word)
    assert f"It is '{word}', and printed last:\n" in told
    assert told.endswith("RuntimeError: not today\n")


@pytest.mark.parametrize("recorded_ms", [60_000, 0])
def test_the_bot_has_as_long_to_start_up_as_in_the_game(recorded_ms: int) -> None:
    """Games of older versions do not tell how long."""
    record = local_game([DrawingBot, DrawingBot], clock=PATIENT)
    record.clock.start_up_ms = recorded_ms
    clocks = []

    class Guest(LocalSeat):
        async def accept(self, invitation: Invitation) -> bytes:
            clocks.append(invitation.clock)
            return await super().accept(invitation)

    async def ask() -> None:
        async for _ in opinions(record, 0, Guest(DrawingBot())):
            pass

    asyncio.run(ask())
    assert clocks == [replace(PATIENT, start_up=recorded_ms / 1000 or 10.0)]


def test_what_makes_no_sense(tmp_path: Path) -> None:
    file = recorded(tmp_path, DrawingBot, DrawingBot)
    for words, sentence, code in (
        (("--seat", "2", "--bot", "random"), "There is no seat 2: the seats are 0 to 1.", 1),
        (("--seat", "4", "--bot", "random"), "Invalid value for '--seat'", 2),
        (("--seat", "0", "--bot", "gredy"), "is not an installed bot", 1),
        (("--bot", "random"), "Name one by --seat: 0 bot-0, 1 bot-1.", 2),
        (("--seat", "2"), "There is no seat 2: the seats are 0 to 1.", 1),
    ):
        assert sentence in fails("replay", "debug", file, *words, code=code)
    Path(file).write_bytes(b"rum")
    told = fails("replay", "debug", file, "--seat", "0", "--bot", "random")
    assert told.startswith(f"Error: {file}: This is not a replay")
