"""`santiago gateway`, `santiago bot join` and `santiago bot token`, as processes."""

import asyncio
import os
import re
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from referee.game import Game
from referee.gateway.credentials import new_token, token_hash
from referee.hosting.runtime import OWN
from referee.replay import verify
from referee.ways import Ways
from tests.conftest import free_port
from tests.e2e.processes import started_by, still_there, until
from tests.forking import Forked
from tests.ladder.cli.terminal import TIMEOUT, fails, run, succeeds
from tests.referee.games import match_of, play

pytestmark = pytest.mark.usefixtures("forked_python")
KEY = "the key of gateway and workers"
BOT = "sample_bots.random_bot:RandomBot"
SANTIAGO = "ladder.cli.main"


@contextmanager
def process(*arguments: str, **extra: str) -> Iterator[Forked]:
    """A module as a process, killed with the block. What it says goes to a pipe."""
    with Forked(*arguments, env=os.environ | extra, piped=True) as running:
        yield running


def read_until(text: str, running: Forked, times: int = 1) -> None:
    """Reads what a process says until it has said something, which it has to."""
    said = []
    for line in running.stderr:
        said.append(line)
        times -= text in line
        if times == 0:
            return
    pytest.fail(f"{text!r} was not said in: {''.join(said)}")


def free_address() -> str:
    return f"127.0.0.1:{free_port()}"


@contextmanager
def running_gateway(tokens: Path) -> Iterator[tuple[str, Forked]]:
    address = free_address()
    command = [SANTIAGO, "gateway", "--listen", address, "--tokens", str(tokens)]
    with process(*command, SANTIAGO_GATEWAY_KEY=KEY) as gateway:
        read_until("is waiting for bots and workers", gateway)
        yield address, gateway


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        (["random"], "random"),
        (["python", "-m", "referee.serving", BOT], "random"),
        (["lines:python", f"{OWN}/lines/smoke/bot.py"], "bot"),
    ],
    ids=["installed", "command", "lines"],
)
def test_a_bot_joins(bot: list[str], name: str, tmp_path: Path) -> None:
    printed = succeeds("bot", "token", "ana")
    token = re.findall(r"SANTIAGO_TOKEN\): (\S+)", printed)[0]
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(re.findall(r"tokens: (.*)", printed)))
    with running_gateway(tokens) as (address, gateway):
        join = [SANTIAGO, "bot", "join", address, "--slots", "2", "--", *bot]
        with process(*join, SANTIAGO_TOKEN=f" {token}\n") as joined:
            read_until(f"{name} has joined {address} as ana, for 2 games at once.", joined)
            ways = Ways(gateway=address, gateway_key=KEY)
            replay = asyncio.run(play(match_of(["gateway:ana", "gateway:ana"]), ways=ways))
            joined.send_signal(signal.SIGTERM)
            assert joined.wait(TIMEOUT) == 0
        read_until("bot ana: a line is over", gateway)
        gateway.send_signal(signal.SIGTERM)
        assert gateway.wait(TIMEOUT) == 0
        assert "Traceback" not in gateway.stderr.read()
    verify(replay)
    assert not any(entry.HasField("fault") for entry in replay.entries)


def test_a_token_that_the_gateway_does_not_know(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ana {token_hash(new_token())}\n")
    with running_gateway(tokens) as (address, _):
        said = fails("bot", "join", address, BOT, "--token", new_token())
    assert said.endswith("refuses the bot: The gateway does not know this token.\n")


@pytest.mark.parametrize("command", ["gateway", "host"])
def test_no_server_takes_another_port_than_the_one_it_was_given(command: str) -> None:
    result = run(command, "--listen", "127.0.0.1:99999", SANTIAGO_GATEWAY_KEY="k" * 32)
    assert result.exit_code == 1
    assert "'127.0.0.1:99999' is no address to listen on: give HOST:PORT" in result.stderr


def test_a_gateway_without_a_port() -> None:
    for address in ("gateway.example", "127.0.0.1:99999", "127.0.0.1:0", ":1"):
        said = fails("bot", "join", address, "--token", "x", "mybot:MyBot", code=2)
        assert "GATEWAY is HOST:PORT with a port of 1 to 65535, such as gateway.ex" in said
    for bot, sentence, code in (
        ("", "BOT is empty", 2),
        ("127.0.0.1:50051", "an address, but join starts the bot itself: give its command.", 2),
        (f"unix:/{'x' * 200}", "an address, but join starts the bot itself", 2),
        ("unix:/run/bot", "an address, but join starts the bot itself: give its command.", 2),
        ("python 'x", "is not a command: No closing quotation.", 1),
        ("lines:python 'x", "is not a command: No closing quotation.", 1),
    ):
        said = fails("bot", "join", "127.0.0.1:1", "--token", "x", bot, code=code)
        assert sentence in said


def test_a_command_that_ends(capfd: pytest.CaptureFixture[str]) -> None:
    said = fails("bot", "join", "127.0.0.1:1", "--token", "x", "--", "sh", "-c", "echo oh; exit 3")
    assert "ended with exit code 3 before it listened" in said
    assert capfd.readouterr().err == "oh\n"


def test_a_bot_that_ends_while_it_plays_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text(
        "import os\nfrom referee import serving\n"
        f"open({str(tmp_path / 'id')!r}, 'w').write(str(os.getpid()))\n"
        f"print('oh', flush=True)\nserving.serve(serving.load({BOT!r}))\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as gateway, ThreadPoolExecutor(1) as pool:

        def kill_when_dialled() -> None:
            with gateway.accept()[0]:
                os.kill(int((tmp_path / "id").read_text()), signal.SIGKILL)

        pool.submit(kill_when_dialled)
        address = f"127.0.0.1:{gateway.getsockname()[1]}"
        join = ("bot", "join", address, "--token", "x", "--", "python", f"{tmp_path}/bot.py")
        said = fails(*join)
    assert "Error: The bot ended by itself, with exit code -9.\n" in said
    assert "oh\n" in capfd.readouterr().err


def test_no_token_is_made_for_a_name_that_the_file_of_tokens_cannot_hold() -> None:
    for name in ("ana 1", "a" * 101):
        assert "A name has letters, digits, '_'" in fails("bot", "token", name, code=2)


def test_a_gateway_that_would_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("")
    arguments = ["gateway", "--tokens", str(tokens), "--listen"]
    assert "SANTIAGO_GATEWAY_KEY is needed" in fails(*arguments, "127.0.0.1:1")
    monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", KEY)
    assert "Tokens would go over the network in the open" in fails(*arguments, "0.0.0.0:1")
    told = fails("gateway", "--listen", "127.0.0.1:1")
    assert told == "Error: Whose tokens are good? Set DATABASE_URL, or give --tokens FILE.\n"


@pytest.mark.parametrize("victim", ["gateway", "bot"])
def test_a_process_is_killed_and_started_again(victim: str, tmp_path: Path) -> None:
    """In the middle of a game, which goes on."""
    token, tokens, address = new_token(), tmp_path / "tokens", free_address()
    tokens.write_text(f"ana {token_hash(token)}\n")
    commands = {
        "gateway": [SANTIAGO, "gateway", "--listen", address, "--tokens", str(tokens)],
        "bot": [SANTIAGO, "bot", "join", address, "--token", token, BOT],
    }
    with ExitStack() as stack:

        def start(part: str) -> Forked:
            command = process(*commands[part], SANTIAGO_GATEWAY_KEY=KEY)
            return stack.enter_context(command)

        running = {part: start(part) for part in commands}
        read_until("has joined", running["bot"])

        def kill(game: Game) -> None:
            if len(game.events) == 30:
                running[victim].kill()
                running[victim].wait()
                start(victim)

        ways = Ways(gateway=address, gateway_key=KEY)
        table = match_of(["gateway:ana", "gateway:ana"])
        replay = asyncio.run(play(table, kill, ways))
    verify(replay)
    assert not any(entry.HasField("fault") for entry in replay.entries)
    assert max(entry.chosen.think_us for entry in replay.entries) > 30_000  # its own time


def test_if_join_is_killed_its_bot_ends() -> None:
    bot = ("--", "python", "-m", "referee.serving", BOT)
    with process(SANTIAGO, "bot", "join", free_address(), "--token", new_token(), *bot) as joining:
        read_until("dialling again", joining)
        parts = started_by(joining.pid)
        assert any("serving" in part.command for part in parts)
        joining.kill()
        joining.wait()
        until(lambda: not still_there(parts))


def test_twenty_bots_and_two_workers(tmp_path: Path) -> None:
    """Each worker plays five matches at four seats at the same time, all through one gateway."""
    made = {f"bot-{n}": new_token() for n in range(20)}
    tokens = tmp_path / "tokens"
    tokens.write_text("\n".join(f"{name} {token_hash(token)}" for name, token in made.items()))
    with running_gateway(tokens) as (address, _), ExitStack() as stack:
        module = "tests.ladder.cli"
        bots = stack.enter_context(process(f"{module}.twenty_bots", address, *made.values()))
        read_until("has joined", bots, times=20)
        workers = [
            stack.enter_context(
                process(
                    *(f"{module}.worker_of_matches", first, "5", "20"),
                    SANTIAGO_GATEWAY=address,
                    SANTIAGO_GATEWAY_KEY=KEY,
                )
            )
            for first in ("0", "5")
        ]
        said = [(worker.stdout.read(), worker.stderr.read()) for worker in workers]
    for printed, errors in said:
        assert len(re.findall(r"^match-\d+ \[[1-4, ]+\]$", printed, re.M)) == 5, printed + errors


def test_a_worker_without_a_gateway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANTIAGO_GATEWAY", raising=False)
    said = fails("play", "random", "gateway:ana", "--games", "1")
    assert "set SANTIAGO_GATEWAY to the gateway's address" in said


def test_a_worker_whose_settings_are_wrong_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", "short")
    assert "SANTIAGO_GATEWAY_KEY needs 16 characters or more" in fails("worker")
