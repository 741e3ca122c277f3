"""The gateway's port is open to anybody: what strangers do there, and that bots play meanwhile."""

import asyncio
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from referee.gateway import credentials, server
from referee.gateway.credentials import MOST_WAITING, Strangers, token_hash
from referee.gateway.server import Calls, start_gateway
from referee.replay import verify
from referee.service import KEEPALIVE
from tests.conftest import free_port
from tests.forking import Forked
from tests.referee.games import match_of, play
from tests.referee.gateway.attacks import ATTACKS, Attack, silence, under
from tests.referee.gateway.wires import KEY, TIMEOUT, gateway, guest, offer, through, until
from tests.referee.test_faults import faults_of

NewAddress = Callable[[], str]

TOKEN = "token-of-ana"
LINES = 3
"""Of an attack at a time."""
CONNECTIONS = 2_000
MOST_MEGABYTES = 320
"""After all attacks one after another; it begins with 80."""
FEW_FILES = 128


@dataclass(frozen=True)
class Running:
    """A gateway in a process of its own."""

    address: str
    process: Forked

    @property
    def megabytes(self) -> int:
        """Its memory, as Linux tells it."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) // 1024

    @property
    def files(self) -> int:
        """Files and connections that it has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


@contextmanager
def running(folder: Path, files: int) -> Iterator[Running]:
    """A gateway that knows ana and may open so many files, killed with the block; until then it
    must not end."""
    tokens, address = folder / "tokens", f"127.0.0.1:{free_port()}"
    tokens.write_text(f"ana {token_hash(TOKEN)}\n")
    command = ["ladder.cli.main", "gateway", "--listen", address, "--tokens", str(tokens)]
    environ, log = os.environ | {"SANTIAGO_GATEWAY_KEY": KEY}, folder / "log"
    with Forked(*command, env=environ, log=log) as process:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (files, files))
        yield Running(address, process)
        assert process.poll() is None, log.read_text()


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all attacks."""
    with running(tmp_path_factory.mktemp("gateway"), 2 * CONNECTIONS) as found:
        yield found


async def plays(running: Running, bot: str) -> None:
    """A game through the gateway comes to its end without a fault."""
    async with asyncio.timeout(300):
        replay = await play(match_of(["gateway:ana", bot]), ways=through(running.address))
    verify(replay)
    assert not faults_of(replay)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
async def test_a_game_is_played_under_attack(
    attack: Attack, strong: Running, good_bot: str
) -> None:
    async with guest(good_bot, strong.address, token=TOKEN):
        async with under(attack, strong.address, LINES) as count:
            await until(lambda: count["dialled"] >= LINES)
            await plays(strong, good_bot)
        await plays(strong, good_bot)
    assert strong.megabytes < MOST_MEGABYTES


async def test_a_game_is_played_among_thousands_of_silent_connections(
    strong: Running, good_bot: str
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * CONNECTIONS)), hard))
    async with (
        guest(good_bot, strong.address, token=TOKEN),
        under(silence, strong.address, CONNECTIONS),
    ):
        await until(lambda: strong.files > CONNECTIONS)
        await plays(strong, good_bot)
    assert strong.megabytes < MOST_MEGABYTES
    await until(lambda: strong.files < CONNECTIONS)


async def test_more_connections_than_it_can_have(tmp_path: Path, good_bot: str) -> None:
    """They wait at its door; once they have gone it serves as before."""
    with running(tmp_path, FEW_FILES) as few:
        async with guest(good_bot, few.address, token=TOKEN):
            async with under(silence, few.address, 2 * FEW_FILES):
                await until(lambda: few.files == FEW_FILES)
            await plays(few, good_bot)


def test_a_host_has_few_calls_that_say_nothing() -> None:
    strangers = Strangers()
    with ExitStack() as stack:
        welcome = [
            stack.enter_context(strangers.one_more(f"ipv4:192.0.2.1:{port}"))
            for port in range(MOST_WAITING + 1)
        ]
        assert welcome == [True] * MOST_WAITING + [False]
        assert stack.enter_context(strangers.one_more("ipv6:%5B2001:db8::1%5D:5000"))
    with strangers.one_more("ipv4:192.0.2.1:5000") as again:
        assert again


async def test_a_host_has_few_tokens_looked_up_at_once(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made-up tokens, each another one, do not queue up before the database."""
    monkeypatch.setattr(credentials, "MOST_WAITING", 2)
    at, asked, answer = new_address(), list[str](), threading.Event()

    def look_up(token: str) -> None:
        asked.append(token)
        assert token == "third" or answer.wait(TIMEOUT)

    async def refused(token: str) -> grpc.StatusCode:
        call = await offer(at, token)
        assert await call.read() is None
        assert call.ended is not None
        return call.ended.code

    running = await start_gateway(at, Calls(look_up, KEY))
    try:
        waiting = [asyncio.create_task(refused(token)) for token in ("first", "second")]
        await until(lambda: len(asked) == len(waiting))
        assert await refused("third") is grpc.StatusCode.UNAVAILABLE
        answer.set()
        assert await asyncio.gather(*waiting) == [grpc.StatusCode.UNAUTHENTICATED] * 2
        assert await refused("third") is grpc.StatusCode.UNAUTHENTICATED
    finally:
        answer.set()
        await running.stop(None)


async def test_who_says_nothing_is_hung_up_on(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = tuple((name, 300 if value == 3000 else value) for name, value in KEEPALIVE)
    monkeypatch.setattr(server, "_OPTIONS", (*server._OPTIONS, *hasty))
    async with gateway(new_address()) as at:
        reader, writer = await asyncio.open_unix_connection(at.removeprefix("unix:"))
        async with asyncio.timeout(60):
            while await reader.read(100):
                pass
        writer.close()


@dataclass
class _Call:
    """What the gateway looks at of a call."""

    forwarded: str | None

    def peer(self) -> str:
        return "ipv4:10.0.0.9:5000"

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return () if self.forwarded is None else (("x-forwarded-for", self.forwarded),)


@pytest.mark.parametrize(
    ("forwarded", "proxies", "peer"),
    [
        (None, 0, "ipv4:10.0.0.9:5000"),
        ("192.0.2.1", 0, "ipv4:10.0.0.9:5000"),  # nobody stands in front: a caller wrote it
        ("192.0.2.1", 1, "192.0.2.1:0"),
        ("203.0.113.5, 192.0.2.1", 1, "192.0.2.1:0"),
        ("203.0.113.5, 192.0.2.1", 2, "203.0.113.5:0"),
        ("192.0.2.1", 2, "ipv4:10.0.0.9:5000"),
        (None, 1, "ipv4:10.0.0.9:5000"),
    ],
)
def test_behind_proxies_callers_are_told_apart(
    forwarded: str | None, proxies: int, peer: str
) -> None:
    assert server._peer(cast(Any, _Call(forwarded)), proxies) == peer
