"""Bots as processes that a program starts."""

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from referee import processes
from referee.errors import InvalidBot
from referee.processes import BotProcess
from referee.seats.description import describe
from referee.service import SERVICE
from referee.wire import bot_pb2

NewAddress = Callable[[], str]
GOOD = [sys.executable, "-m", "referee.serving", "sample_bots.random_bot:RandomBot"]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a good bot may be slow to start, and to end."""
    monkeypatch.setattr(processes, "READY_WITHIN", 300.0)
    monkeypatch.setattr(processes, "STOP_WITHIN", 300.0)


def test_a_bot_is_there_for_the_block_and_prints_into_its_log(
    new_address: NewAddress, tmp_path: Path
) -> None:
    log = tmp_path / "bot.log"
    with BotProcess(GOOD, new_address(), log) as bot:
        assert bot.wait_until_ready().name == "random"
        assert bot.exit_code is None
    assert log.read_text().rstrip("\n") == f"random is waiting for games on {bot.address}."
    assert bot.exit_code == 0


def test_a_bot_whose_log_takes_no_more_plays(new_address: NewAddress) -> None:
    with BotProcess(GOOD, new_address(), Path("/dev/full")) as bot:
        assert bot.wait_until_ready().name == "random"


def test_what_a_bot_is_told(
    new_address: NewAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where to listen and what is asked for: no gRPC of another language is set to anything."""
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)
    names = "SANTIAGO_ADDRESS", "SANTIAGO_SECRET", "GRPC_EXPERIMENTS"
    program = f"import os; print(*(os.environ.get(name) for name in {names}))"
    log = tmp_path / "bot.log"
    told = {"SANTIAGO_SECRET": "hush"}
    command = [sys.executable, "-c", program]
    with BotProcess(command, new_address(), log, told) as bot, pytest.raises(InvalidBot):
        bot.wait_until_ready()
    assert log.read_text().split() == [bot.address, "hush", "None"]


@pytest.mark.parametrize(
    ("environ", "experiments"),
    [
        ({"SANTIAGO_ADDRESS": "x:1"}, "-event_engine_listener"),
        ({"SANTIAGO_ADDRESS": "x:1", "GRPC_EXPERIMENTS": "-another"}, "-another"),
        ({}, "None"),
    ],
)
def test_the_kit_sets_grpc_in_the_process_of_a_bot(
    environ: dict[str, str], experiments: str
) -> None:
    program = "import referee.serving, os; print(os.environ.get('GRPC_EXPERIMENTS'))"
    others = ("SANTIAGO_ADDRESS", "GRPC_EXPERIMENTS")
    clean = {name: value for name, value in os.environ.items() if name not in others}
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env=clean | environ,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=300,
    )
    assert printed.stdout.strip() == experiments


def test_children_of_a_bot_end_with_it(new_address: NewAddress) -> None:
    """A command may be a shell that starts the bot, and not hand the signal on."""
    shell = ["sh", "-c", f"{shlex.join(GOOD)} & wait"]
    with BotProcess(shell, new_address()) as bot:
        bot.wait_until_ready()
    with pytest.raises(InvalidBot):
        describe(bot.address, timeout=0.1)


def test_a_command_that_does_not_exist(new_address: NewAddress) -> None:
    with pytest.raises(InvalidBot, match=r"The bot './no-bot --fast' does not start: .*No such"):
        BotProcess(["./no-bot", "--fast"], new_address())


def test_a_script_that_is_no_program_needs_what_runs_it(
    new_address: NewAddress, tmp_path: Path
) -> None:
    script = tmp_path / "bot.py"
    script.write_text("import os\n")
    for mode, why in ((0o644, "Permission denied"), (0o755, "Exec format error")):
        script.chmod(mode)
        with pytest.raises(InvalidBot, match=rf"bot.py: {why}. If it is a script, name what runs"):
            BotProcess([str(script)], new_address())


def test_a_bot_that_ends_at_once(new_address: NewAddress) -> None:
    command = [sys.executable, "-c", "raise SystemExit(3)"]
    said = "ended with exit code 3 before it listened on unix:"
    with BotProcess(command, new_address()) as bot, pytest.raises(InvalidBot, match=said):
        bot.wait_until_ready()


def test_a_bot_that_ends_without_serving(new_address: NewAddress) -> None:
    command = [sys.executable, "-c", "for line in __import__('sys').stdin: pass"]
    said = "its SANTIAGO_ADDRESS. It has to wait for games: in Python and JavaScript, call `serve`"
    with BotProcess(command, new_address()) as bot, pytest.raises(InvalidBot, match=said):
        bot.wait_until_ready()


def test_a_bot_that_listens_nowhere(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "READY_WITHIN", 0.3)
    program = "import signal; signal.pause()"
    said = "has to listen where SANTIAGO_ADDRESS says"
    command = [sys.executable, "-c", program]
    with BotProcess(command, new_address()) as bot, pytest.raises(InvalidBot, match=said):
        bot.wait_until_ready()


LISTENS = """
import os, signal, socket
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["SANTIAGO_ADDRESS"].removeprefix("unix:"))
listener.listen()
{then}
"""


def test_a_bot_that_ends_when_it_is_asked_to_describe_itself(new_address: NewAddress) -> None:
    """Callers who send nothing only look whether it listens."""
    then = "while not listener.accept()[0].recv(1): pass\nos._exit(3)"
    command = [sys.executable, "-c", LISTENS.format(then=then)]
    said = r"ended with exit code 3 when it was asked to describe itself \(Describe\)\."
    with BotProcess(command, new_address()) as bot, pytest.raises(InvalidBot, match=said):
        bot.wait_until_ready()


def test_a_bot_that_listens_and_does_not_describe_itself(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.0]

    def ask_in_vain(*_: object) -> None:
        times.append(processes.READY_WITHIN)

    monkeypatch.setattr(processes, "monotonic", lambda: times[-1])
    monkeypatch.setattr(processes, "ask", ask_in_vain)
    command = [sys.executable, "-c", LISTENS.format(then="signal.pause()")]
    said = r"listens on unix:.*, but does not answer Describe\."
    with BotProcess(command, new_address()) as bot, pytest.raises(InvalidBot, match=said):
        bot.wait_until_ready()


def test_nobody_answers(new_address: NewAddress) -> None:
    with pytest.raises(InvalidBot, match=r"No bot answers at .*: is it running there\?"):
        describe(new_address(), timeout=0.1)
    with pytest.raises(InvalidBot, match=r"is called nosuch\.invalid, is the name right\?"):
        describe("nosuch.invalid:50051", timeout=0.1)


def test_what_listens_is_no_bot() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        said = f"No bot answers at {address}: a program listens there, but does not answer"
        with pytest.raises(InvalidBot, match=said):
            describe(address, timeout=0.1)


def test_no_port_of_another_machine_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger may have named it: gRPC alone dials it, by a checked route."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("it was tried"))
    with pytest.raises(InvalidBot, match="is it running there, with TLS"):
        describe("192.0.2.1:9", timeout=0.1)


@contextmanager
def answering(address: str, *, fails: str = "", **told: object) -> Iterator[None]:
    """A server that describes itself in some way."""

    def answer(_: bytes, context: grpc.ServicerContext) -> bytes:
        if fails:
            context.abort(grpc.StatusCode.UNKNOWN, fails)
        described = bot_pb2.DescribeResponse(**told)  # type: ignore[arg-type]
        return described.SerializeToString()

    server = grpc.server(ThreadPoolExecutor(1))
    methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
        "Describe": grpc.unary_unary_rpc_method_handler(answer)
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    server.add_insecure_port(address)
    server.start()
    try:
        yield
    finally:
        server.stop(None).wait()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"name": "x", "protocol_version": 2}, "protocol version 2; .* speaks 1: Describe has to"),
        ({"protocol_version": 1}, "must state a name"),
        ({"name": "x" * 101, "protocol_version": 1}, "at most 100 characters"),
        ({"name": "x\x1b[2J", "protocol_version": 1}, "all printable"),
        ({"name": "x", "author": "y" * 101, "protocol_version": 1}, "at most 100 characters"),
        ({"fails": "not today"}, "does not answer as a bot does: UNKNOWN: not today$"),
        ({"fails": "no\x1b[2J\0\n" + "x" * 999}, r"a bot does: UNKNOWN: no\?\[2J\?\?x{192}…$"),
    ],
)
def test_a_bot_that_describes_itself_badly(
    told: dict[str, object], said: str, new_address: NewAddress
) -> None:
    address = new_address()
    with answering(address, **told), pytest.raises(InvalidBot, match=said):  # type: ignore[arg-type]
        describe(address)
