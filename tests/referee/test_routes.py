"""Bots at strangers' addresses: dialled at a checked IP address, once, under their own name."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import replace
from typing import ClassVar

import pytest

from referee import serving
from referee.clock import Clock
from referee.errors import OtherVersion, Unreachable
from referee.match import play_table
from referee.seats.description import stated_version
from referee.seats.remote import RemoteSeat
from referee.ways import Route, Ways
from referee.wire import replay_pb2
from tests.conftest import free_port
from tests.referee.games import PATIENT, Certificate, DrawingBot, match_of, served
from tests.referee.test_faults import faults_of

NAME = "bot.example"
SECRET = "a secret that only two know"


def strange(ip: str, port: int, ways: Ways, host: str = NAME) -> tuple[str, Ways]:
    """An address, and the ways to it by a route."""
    address = f"{host}:{port}"
    return address, replace(ways, routes={address: Route(ip, port, host)})


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate for NAME."""
    folder = tmp_path_factory.mktemp("named")
    made = Certificate(str(folder / "certificate.pem"), str(folder / "key.pem"))
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    command += ["-keyout", made.key, "-out", made.file]
    subprocess.run(command, check=True, capture_output=True)
    return made


def listening(
    port: int, certificate: Certificate | None = None, secret: str = ""
) -> AbstractContextManager[str]:
    """A bot on all addresses of this machine; 0.0.0.0 leads to it, and counts as another one."""
    return served(DrawingBot, f"0.0.0.0:{port}", certificate=certificate, secret=secret)


async def played(
    address: str, ways: Ways, good_bot: str, version: str | None = None, clock: Clock = PATIENT
) -> replay_pb2.Replay:
    match = match_of([good_bot, address], clock)
    players = [RemoteSeat(good_bot, Ways()), RemoteSeat(address, ways, version)]
    return await play_table(match, players)


async def test_the_certificate_has_to_be_the_names(named: Certificate, good_bot: str) -> None:
    port, trusting = free_port(), Ways(ca_file=named.file)
    with listening(port, named):
        address, ways = strange("0.0.0.0", port, trusting)
        assert not faults_of(await played(address, ways, good_bot))
        address, ways = strange("0.0.0.0", port, trusting, host="another.example")
        with pytest.raises(Unreachable):
            await played(address, ways, good_bot)
        address, ways = strange("0.0.0.0", port, Ways())
        with pytest.raises(Unreachable):
            await played(address, ways, good_bot)


@pytest.mark.parametrize(
    ("ip", "allowed", "plain"),
    [
        ("93.184.215.14", True, False),
        ("2606:2800::1", True, False),
        ("10.0.0.7", True, True),
        ("10.0.0.7", False, False),
        ("127.0.0.1", False, True),
        ("::1", False, True),
    ],
)
def test_the_open_internet_is_never_dialled_in_plain_text(
    ip: str, allowed: bool, plain: bool
) -> None:
    address, ways = strange(ip, 443, Ways(allow_plain=allowed))
    assert ways._is_plain(address, ways.routes[address].target) is plain


async def test_a_secret_of_its_own_for_each_seat(good_bot: str) -> None:
    ports = [free_port(), free_port()]
    secrets = [f"{SECRET} {port}" for port in ports]
    with listening(ports[0], secret=secrets[0]), listening(ports[1], secret=secrets[1]):
        seats = []
        for port, secret in zip(ports, secrets, strict=True):
            address, ways = strange("127.0.0.1", port, Ways(secrets={f"{NAME}:{port}": secret}))
            seats.append(RemoteSeat(address, ways, DrawingBot.version))
        match = match_of([f"{NAME}:{port}" for port in ports])
        assert not faults_of(await play_table(match, seats))


async def test_the_version_that_it_tells(good_bot: str) -> None:
    port = free_port()
    with listening(port):
        address, ways = strange("127.0.0.1", port, Ways())
        assert await stated_version(address, ways) == DrawingBot.version
        assert await stated_version(good_bot, Ways()) == DrawingBot.version
        await played(address, ways, good_bot, DrawingBot.version)
        with pytest.raises(OtherVersion, match="it says that it is version") as raised:
            await played(address, ways, good_bot, "9")
    assert (raised.value.seat, raised.value.version) == (1, DrawingBot.version)


class Nobody(asyncio.Protocol):
    """Something that is no bot: it says nothing, or hangs up. `calls` are those who called."""

    calls: ClassVar[list[asyncio.BaseTransport]] = []
    silent: ClassVar[bool] = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.calls.append(transport)
        if not self.silent:
            transport.close()


@asynccontextmanager
async def listener(*, silent: bool) -> AsyncIterator[tuple[int, list[asyncio.BaseTransport]]]:
    """Its port, and who has called."""
    Nobody.calls, Nobody.silent = [], silent
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Nobody, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], Nobody.calls
    server.close()
    for transport in Nobody.calls:
        transport.close()


@pytest.mark.parametrize("silent", [True, False])
async def test_nothing_is_dialled_twice_before_it_has_proved_its_secret(
    silent: bool, good_bot: str
) -> None:
    async with listener(silent=silent) as (port, calls):
        address, ways = strange("127.0.0.1", port, Ways(secrets={f"{NAME}:{port}": SECRET}))
        with pytest.raises(Unreachable):
            await played(address, ways, good_bot, "1", Clock(start_up=2.0))
        assert len(calls) == 1


async def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listener(silent=False) as (proxy, calls):
        for variable in ("http_proxy", "https_proxy", "grpc_proxy"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy}")
        monkeypatch.setenv("GRPC_ADDRESS_HTTP_PROXY", f"127.0.0.1:{proxy}")
        monkeypatch.setenv("GRPC_ADDRESS_HTTP_PROXY_ENABLED_ADDRESSES", "0.0.0.0/0")
        port = free_port()
        with listening(port):
            address, ways = strange("127.0.0.1", port, Ways())
            assert await stated_version(address, ways) == DrawingBot.version
        assert calls == []


async def test_who_cannot_prove_it_does_not_play(good_bot: str) -> None:
    port = free_port()
    with listening(port, secret="another secret than that"):
        address, ways = strange("127.0.0.1", port, Ways(secrets={f"{NAME}:{port}": SECRET}))
        with pytest.raises(Unreachable, match="its proof of the shared secret is wrong"):
            await played(address, ways, good_bot, DrawingBot.version)


async def test_a_bot_with_one_thread_tells_its_version_and_plays(
    good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked before it is offered the game, which then takes its thread."""
    monkeypatch.setattr(serving, "_MAX_GAMES", 1)
    port = free_port()
    with listening(port):
        address, ways = strange("127.0.0.1", port, Ways())
        assert not faults_of(await played(address, ways, good_bot, DrawingBot.version))
