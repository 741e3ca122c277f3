"""The bot kit: a class with one method becomes a process."""

import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Never, cast

import grpc
import pytest

from referee import serving
from referee.bot import Bot, Decision, illegal_move
from referee.errors import InvalidBot
from referee.match import play_table
from referee.messages import setup_message
from referee.rules import Move, Position, parse_move
from referee.seats.description import describe
from referee.seats.player import LocalSeat
from referee.seats.protocol import decision_request, question
from referee.serving import ADDRESS_VARIABLE, load, play_game, serve, start_server
from referee.wire import bot_pb2, game_pb2
from tests.nervous import signals_at_every_step
from tests.referee.games import PATIENT, DrawingBot, match_of, moments, play, served

NewAddress = Callable[[], str]
TIME_LIMIT = 300.0  # seconds, on a busy machine


async def sentence_of_fault(bot: type[Bot], address: str, good_bot: str) -> str:
    """What the referee says of a bot that faults."""
    with served(bot, address):
        replay = await play(match_of([address, good_bot]))
    return replay.entries[-1].fault.sentence


# A bot's own mistakes.


async def test_a_bot_that_raises(
    new_address: NewAddress, good_bot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    class Clumsy(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            return decision.moves[99]

    said = await sentence_of_fault(Clumsy, new_address(), good_bot)
    error = r"IndexError: tuple index out of range \(test_kit\.py, line \d+\)"
    assert re.search(error, said)
    printed = capfd.readouterr().err
    assert "Traceback" in printed
    assert "decision.moves[99]" in printed
    assert "serving.py" not in printed


def _chosen(decision: Decision) -> Move:
    return random.choice(decision.moves[:0])


def _parsed(_: Decision) -> Move:
    return parse_move("fly 3")


@pytest.mark.parametrize("choose", [_chosen, _parsed])
async def test_an_error_in_a_library_is_placed_where_the_bot_calls_it(
    choose: Callable[[Decision], Move], new_address: NewAddress, good_bot: str
) -> None:
    class Caller(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            return choose(decision)

    said = await sentence_of_fault(Caller, new_address(), good_bot)
    line = choose.__code__.co_firstlineno + 1
    assert f" (test_kit.py, line {line})" in said


async def test_an_error_of_a_bot_from_a_library_has_its_place_there(
    new_address: NewAddress, good_bot: str
) -> None:
    made: dict[str, Callable[..., Move]] = {}
    text = "def choose(self, decision):\n    raise OSError('sold out')"
    exec(compile(text, "/opt/site-packages/rum.py", "exec"), made)
    bot_class = type("Installed", (DrawingBot,), {"choose": made["choose"]})
    said = await sentence_of_fault(bot_class, new_address(), good_bot)
    assert "OSError: sold out (rum.py, line 2)" in said


async def test_an_error_before_a_line_of_the_bot_has_no_place(
    new_address: NewAddress, good_bot: str
) -> None:
    class Forgetful(DrawingBot):
        def choose(self) -> Move:  # type: ignore[override]
            raise AssertionError

    said = await sentence_of_fault(Forgetful, new_address(), good_bot)
    assert "choose() takes 1 positional argument but 2 were given)" in said


class Quitter(DrawingBot):
    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        sys.exit("I give up")


async def test_a_bot_that_calls_exit(
    new_address: NewAddress, good_bot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    said = await sentence_of_fault(Quitter, new_address(), good_bot)
    assert re.search(r"SystemExit: I give up \(test_kit\.py, line \d+\)", said)
    assert "Traceback" in capfd.readouterr().err


async def test_a_bot_that_says_more_than_a_status_may_hold(
    new_address: NewAddress, good_bot: str
) -> None:
    class Talker(DrawingBot):
        def choose(self, decision: Decision) -> Move:  # noqa: ARG002
            raise ValueError("no" * 99_999)

    said = await sentence_of_fault(Talker, new_address(), good_bot)
    assert "ValueError: nonono" in said


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
async def test_a_bot_that_raises_what_is_no_exception(
    error: type[BaseException], new_address: NewAddress, good_bot: str
) -> None:
    class Interrupted(DrawingBot):
        def choose(self, decision: Decision) -> Move:  # noqa: ARG002
            raise error

    said = await sentence_of_fault(Interrupted, new_address(), good_bot)
    assert re.search(rf"{error.__name__} \(test_kit\.py, line \d+\)", said)


async def test_a_local_bot_that_calls_exit() -> None:
    replay = await play_table(match_of(["", ""]), [LocalSeat(DrawingBot()), LocalSeat(Quitter())])
    assert replay.entries[-1].fault.sentence.endswith("The bot failed: SystemExit: I give up")


async def test_a_bot_whose_own_server_is_away(
    new_address: NewAddress, good_bot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """An error of gRPC in the bot is its own, not the end of its line to the referee."""
    nowhere = new_address()

    class Dependent(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            with grpc.insecure_channel(nowhere) as channel:
                channel.unary_unary("/model/Ask")(cast(Never, b""), timeout=1)
            return decision.moves[0]

    said = await sentence_of_fault(Dependent, new_address(), good_bot)
    assert "StatusCode.UNAVAILABLE" in said or "StatusCode.DEADLINE_EXCEEDED" in said
    assert "Traceback" in capfd.readouterr().err


async def test_a_bot_that_chooses_an_illegal_move(new_address: NewAddress, good_bot: str) -> None:
    class Cheater(DrawingBot):
        name = "cheater"

        def choose(self, decision: Decision) -> Move:
            return -1 - decision.moves[0]

    said = await sentence_of_fault(Cheater, new_address(), good_bot)
    assert re.search(r"cheater chose -\d+, which is not one of decision\.moves: \d+ \([a-z]+", said)


def test_the_sentence_on_an_illegal_move_names_it_and_says_how_many_are_legal() -> None:
    drives = [parse_move(f"drive {count}") for count in range(1, 11)]
    said = illegal_move(parse_move("pass"), drives)
    assert said.startswith("0 (pass), which is not one of decision.moves: 33 (drive 1), 65 (drive")
    assert said.endswith(", 257 (drive 8) and 2 more.")
    assert illegal_move("drive 2", drives[:1]).startswith("'drive 2', which is not")
    assert illegal_move(-1, drives[:1]).endswith(": 33 (drive 1).")


async def test_a_bot_that_forgot_its_method(new_address: NewAddress, good_bot: str) -> None:
    class Idle(Bot):
        pass

    said = await sentence_of_fault(Idle, new_address(), good_bot)
    assert "unnamed has no method choose(decision). Write into the class Idle: def choose" in said


async def test_a_bot_that_searches_on_the_position_it_was_given(
    new_address: NewAddress, good_bot: str
) -> None:
    class Searcher(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            for move in decision.moves[:1]:
                decision.position.apply(move)
            return decision.moves[-1]

    address = new_address()
    with served(Searcher, address):
        replay = await play(match_of([address, good_bot]))
    assert replay.result.reason == game_pb2.END_REASON_SHIPS


# What a bot is asked.


def requests_of(position: Position) -> Iterator[bot_pb2.PlayRequest]:
    """A start for a table, and nothing more."""
    yield bot_pb2.PlayRequest(
        start=bot_pb2.GameStart(
            players=position.players, setup=setup_message(position.layout), rules_version=1
        )
    )


def test_a_bot_sees_position_seat_and_time() -> None:
    seen: list[Decision] = []

    class Watcher(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            seen.append(decision)
            return decision.moves[1]

    start, rolled = next(moments(1)), _rolled()

    def requests() -> Iterator[bot_pb2.PlayRequest]:
        yield from requests_of(start)
        asked = decision_request(question(rolled, 1), 2.5, 60.0)
        request = bot_pb2.PlayRequest.FromString(asked)
        dice = game_pb2.Goods(sugar=1, citrus=1, tobacco=1, rum=1, cigars=1)
        request.events.add(roll=game_pb2.Roll(seat=1, dice=dice))
        yield request
        yield bot_pb2.PlayRequest(end=bot_pb2.GameEnd())

    _accept, answer = play_game(Watcher(), requests())
    (decision,) = seen
    assert decision.position == rolled
    assert (decision.seat, decision.time_left, decision.bank_left) == (1, 2.5, 60.0)
    assert decision.moves == rolled.legal_moves
    assert (answer.choice.decision_id, answer.choice.index) == (1, 1)


def _rolled() -> Position:
    position = next(moments(1))
    position.roll((1, 1, 1, 1, 1))
    return position


def test_a_stream_that_ends_at_once_is_no_game() -> None:
    assert list(play_game(DrawingBot(), iter(()))) == []


def test_what_the_kit_does_not_know_is_passed_over() -> None:
    """A message of a later protocol, with a field that is not known here."""
    unknown = bot_pb2.PlayRequest.FromString(bytes([15 << 3 | 2, 0]))

    def requests() -> Iterator[bot_pb2.PlayRequest]:
        yield from requests_of(next(moments(1)))
        yield unknown
        yield bot_pb2.PlayRequest(end=bot_pb2.GameEnd())

    assert [r.WhichOneof("message") for r in play_game(DrawingBot(), requests())] == ["accept"]


def test_another_version_of_the_rules_is_refused() -> None:
    start = bot_pb2.PlayRequest(start=bot_pb2.GameStart(rules_version=9))
    with pytest.raises(InvalidBot, match=r"rules version 9, this kit knows 1: install"):
        next(play_game(DrawingBot(), iter([start])))


@pytest.mark.parametrize("said", ["seven", 7])
def test_a_nonce_that_is_no_bytes_is_named(said: object) -> None:
    mine = type("Mine", (DrawingBot,), {"nonce": lambda _: said})
    told = f"Mine.nonce returned {said!r}: return bytes, such as b'7'."
    with pytest.raises(InvalidBot, match=f"^{re.escape(told)}$"):
        next(play_game(mine(), iter(requests_of(next(moments(1))))))


# Serving.


def test_a_bot_tells_who_it_is(new_address: NewAddress) -> None:
    with served(DrawingBot, new_address()) as address:
        told = describe(address)
    assert (told.name, told.version, told.author) == ("drawing", "7", "tests")
    assert (told.language, told.protocol_version) == ("Python", 1)


def test_a_port_that_is_taken(new_address: NewAddress) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(SystemExit, match=f"^Nothing can listen on {address}: .*--address"):
            serve(DrawingBot, address)


@pytest.mark.parametrize(
    ("attribute", "said", "told"),
    [
        ("version", 2, "Mine.version is 2: write a text, in quotes."),
        ("name", None, "Mine.name is None: write a text, in quotes."),
    ],
)
def test_a_bot_that_says_of_itself_what_is_no_text(
    new_address: NewAddress, attribute: str, said: object, told: str
) -> None:
    mine = type("Mine", (DrawingBot,), {attribute: said})
    with pytest.raises(SystemExit, match=f"^{re.escape(told)}$"):
        serve(mine, new_address())
    with pytest.raises(InvalidBot, match=f"^{re.escape(told)}$"):
        start_server(mine, new_address())


def test_an_object_in_place_of_a_class(new_address: NewAddress) -> None:
    with pytest.raises(SystemExit, match=r"pass the class DrawingBot, not DrawingBot\(\)\.$"):
        serve(cast("type[Bot]", DrawingBot()), new_address())


@contextmanager
def program(*arguments: str, address: str | None = None) -> Iterator[subprocess.Popen[str]]:
    """A Python program that serves a bot, killed with the block."""
    extra = {} if address is None else {ADDRESS_VARIABLE: address}
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command, env=os.environ | extra, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_address_comes_from_the_environment(new_address: NewAddress) -> None:
    address = new_address()
    with program("-m", "referee.serving", f"{__name__}:DrawingBot", address=address) as bot:
        assert describe(address, TIME_LIMIT).name == "drawing"
        assert bot.stderr is not None
        assert bot.stderr.readline() == f"drawing is waiting for games on {address}.\n"


def test_the_address_comes_from_the_program(new_address: NewAddress, tmp_path: Path) -> None:
    address, script = new_address(), tmp_path / "mine.py"
    script.write_text(
        "from referee.bot import Bot\n"
        "from referee.serving import serve\n"
        "class Mine(Bot):\n"
        "    name = 'mine'\n"
        f"serve(Mine, {address!r})\n"
    )
    with program(str(script), address=new_address()):
        assert describe(address, TIME_LIMIT).name == "mine"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_bot_ends_when_it_is_asked_to(new_address: NewAddress, number: int) -> None:
    address = new_address()
    with program("-m", "referee.serving", f"{__name__}:DrawingBot", address=address) as bot:
        describe(address, TIME_LIMIT)
        bot.send_signal(number)
        assert bot.wait(TIME_LIMIT) == 0


def test_it_ends_in_good_order_from_the_moment_in_which_it_listens(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_and_be_told(*given: Any, **named: Any) -> grpc.Server:
        server = start_server(*given, **named)
        os.kill(os.getpid(), signal.SIGTERM)
        return server

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(serving, "start_server", start_and_be_told)
    serve(DrawingBot, new_address())
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_hears_a_signal_that_comes_as_it_begins_to_wait(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)  # for those after its end
    try:
        with ExitStack() as stack:
            signals = signals_at_every_step(signal.SIGTERM)
            monkeypatch.setattr(serving, "_announce", lambda *_: stack.enter_context(signals))
            serve(DrawingBot, new_address())
    finally:
        signal.signal(signal.SIGTERM, before)


def calls(frame: FrameType | None) -> list[str]:
    """The names of the functions that a thread is in, the innermost first."""
    return [frame.f_code.co_name, *calls(frame.f_back)] if frame else []


def test_it_hears_a_signal_that_did_not_wake_it(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = threading.get_ident()

    def tell_beside() -> None:
        """Take the signal in this thread, once the main one waits: Python handles it in that."""
        while calls(sys._current_frames()[main])[:2] != ["wait", "_serve"]:
            time.sleep(0)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    def start_and_tell(*given: Any, **named: Any) -> grpc.Server:
        threading.Thread(target=tell_beside).start()
        return start_server(*given, **named)

    monkeypatch.setattr(serving, "start_server", start_and_tell)
    serve(DrawingBot, new_address())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "usage: python -m referee.serving module:Class"),
        (["a:B", "c:D"], "usage: python -m referee.serving module:Class"),
        (["no_such_module:Bot"], "'no_such_module:Bot' names no bot: No module named"),
        (["referee.bot:NoSuchBot"], "names no bot: referee.bot has no class NoSuchBot."),
        (["referee.bot"], "'referee.bot' names no bot: module:Class is needed."),
        ([""], "'' names no bot"),
        (["./bot:Bot"], "'./bot:Bot' names no bot: module:Class is needed."),
        (["referee.bot:Decision"], "referee.bot:Decision is not a class derived from"),
    ],
)
def test_wrong_use_of_the_command(arguments: list[str], said: str) -> None:
    if len(arguments) == 1:
        with pytest.raises(InvalidBot, match=re.escape(said)):
            load(arguments[0])
        return
    command = [sys.executable, "-m", "referee.serving", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, said)


def test_a_module_that_needs_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry is right: what is missing is told by its own name."""
    (tmp_path / "needs_more.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = r"needs the module no_such_library, which is not here\. Add its file, or install it"
    with pytest.raises(InvalidBot, match=said):
        load("needs_more:Bot")


def test_a_port_that_is_taken_is_told_in_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with program("-m", "referee.serving", f"{__name__}:DrawingBot", address=address) as bot:
            _, told = bot.communicate(timeout=TIME_LIMIT)
    assert bot.returncode == 1
    assert "Traceback" not in told
    assert f"Nothing can listen on {address}: is another program there, or is it no address" in told


def test_a_bot_is_loaded_by_name() -> None:
    assert load("sample_bots.random_bot:RandomBot").name == "random"


# A bot in the referee's own process.


async def test_a_local_bot_that_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(0, 10**6, 100))
    monkeypatch.setattr("referee.seats.player.monotonic", lambda: next(times))
    match = match_of(["", ""], PATIENT)
    replay = await play_table(match, [LocalSeat(DrawingBot()), LocalSeat(DrawingBot())])
    assert replay.entries[-1].fault.sentence.startswith("No choice came within 30 s")


async def test_a_local_bot_that_chooses_an_illegal_move() -> None:
    class Cheater(DrawingBot):
        def choose(self, decision: Decision) -> Move:
            return -1 - decision.moves[0]

    replay = await play_table(match_of(["", ""]), [LocalSeat(DrawingBot()), LocalSeat(Cheater())])
    assert replay.entries[-1].fault.code == game_pb2.FAULT_CODE_ILLEGAL_INDEX
    assert "which is not one of decision.moves" in replay.entries[-1].fault.sentence
