"""Ways to a bot: which addresses are dialled how, over TLS between machines."""

import asyncio
import gc
import re
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest

from referee.clock import Clock
from referee.errors import InvalidBot, InvalidSetting
from referee.processes import BotProcess
from referee.proof import read_secrets
from referee.replay import verify
from referee.seats.description import describe
from referee.service import PLAY
from referee.serving import CERTIFICATE_VARIABLE, KEY_VARIABLE, SECRET_VARIABLE, serve
from referee.variables import is_target
from referee.ways import Ways, is_on_this_machine
from tests.conftest import free_port
from tests.referee.games import Certificate, DrawingBot, bot_process, match_of, play, served
from tests.referee.patience import unreachable
from tests.referee.test_faults import faults_of

NewAddress = Callable[[], str]

RANDOM_BOT = "sample_bots.random_bot:RandomBot"


async def test_a_connection_may_take_its_time(good_bot: str, new_address: NewAddress) -> None:
    """Over a slow network it is there only after some round trips."""
    over = asyncio.Event()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        there, back = await asyncio.open_unix_connection(good_bot.removeprefix("unix:"))
        await asyncio.gather(pump(reader, back), pump(there, writer))
        over.set()

    address = new_address()
    async with (
        await asyncio.start_unix_server(late, address.removeprefix("unix:")),
        asyncio.timeout(60),
    ):
        async with Ways().channel(address) as channel:
            await channel.channel_ready()
        await over.wait()


@pytest.mark.parametrize(
    ("address", "ways"),
    [
        ("gateway:ana", Ways(gateway_key="k" * 32)),
        ("gateway:ana", Ways(gateway="127.0.0.1:1")),
        ("hosted:1", Ways()),
    ],
)
async def test_a_way_that_this_process_does_not_have(address: str, ways: Ways) -> None:
    said = f"bot {address} (is behind the gateway: set SANTIAGO|plays at a host: only workers)"
    with pytest.raises(InvalidSetting, match=said):
        async with ways.channel(address):
            pass


@pytest.mark.parametrize(
    ("address", "hint"),
    [
        ("gateway:ana", "has it joined the gateway?"),
        ("hosted:1", "does it listen on SANTIAGO_ADDRESS?"),
        ("127.0.0.1:1", "is it running there?"),
    ],
)
def test_what_may_be_wrong_where_nobody_answers(address: str, hint: str) -> None:
    assert Ways().hint(address) == hint


async def test_a_bot_at_a_socket_is_called_by_the_name_of_this_machine(
    new_address: NewAddress,
) -> None:
    """Servers in Rust refuse a request whose host is the path of a socket."""
    address, heard = new_address(), asyncio.Queue[bytes]()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes.fromhex("000000 04 00 00000000"))  # settings, without which none calls
        heard.put_nowait(await reader.readuntil(b"/santiago.v1.Bot/Play"))
        heard.put_nowait(await reader.readuntil(b"grpc-accept-encoding"))
        writer.close()

    async with (
        await asyncio.start_unix_server(listen, address.removeprefix("unix:")),
        asyncio.timeout(60),
        Ways().channel(address) as channel,
    ):
        channel.stream_stream(PLAY)()
        assert b"localhost" in await heard.get() + await heard.get()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carries bytes until one of the two hangs up."""
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@pytest.mark.parametrize(
    "address", ["127.0.0.1:5001", "127.1.2.3:5001", "localhost:1", "[::1]:5001", "unix:/a/b"]
)
def test_these_are_on_this_machine(address: str) -> None:
    assert is_on_this_machine(address)


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1:5001", "bot.example:5001", "localhost.example:1", "[::2]:1", "127.0.0.1.x:1", ""],
)
def test_these_are_not(address: str) -> None:
    assert not is_on_this_machine(address)


async def test_a_match_over_tls(
    certificate: Certificate, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"0.0.0.0:{free_port()}"
    monkeypatch.setenv("SANTIAGO_CA_FILE", certificate.file)
    files = {CERTIFICATE_VARIABLE: certificate.file, KEY_VARIABLE: certificate.key}
    with bot_process(RANDOM_BOT, address, **files):
        assert describe(address, timeout=60.0).name == "random"
        replay = await play(match_of([address, good_bot]))
    verify(replay)
    assert not faults_of(replay)


async def test_a_certificate_that_nobody_vouches_for(
    certificate: Certificate, good_bot: str
) -> None:
    address = f"0.0.0.0:{free_port()}"
    with served(DrawingBot, address, certificate=certificate):
        await unreachable([address, good_bot], "CERTIFICATE_VERIFY", Ways())


async def test_a_certificate_of_another_host(certificate: Certificate, good_bot: str) -> None:
    """The bot is dialled by another name of this machine than its certificate tells."""
    port, ways = free_port(), Ways(ca_file=certificate.file)
    with served(DrawingBot, f"0.0.0.0:{port}", certificate=certificate):
        await unreachable([f"0:{port}", good_bot], "(?i)hostname|peer name", ways)


async def test_a_plain_bot_on_another_machine(good_bot: str) -> None:
    """Refused, unless the operator allows it."""
    address = f"0.0.0.0:{free_port()}"
    with served(DrawingBot, address):
        with pytest.raises(InvalidBot, match=r"with TLS\?.*ALLOW_PLAIN=1 dials it without"):
            describe(address, timeout=0.3)
        await unreachable([address, good_bot], "(?i)tls|ssl", Ways())
        replay = await play(match_of([address, good_bot]), ways=Ways(allow_plain=True))
    assert not faults_of(replay)


# Settings.


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "secrets"
    file.write_text("# our guests\n\nbot.example:5001  0123456789abcdef\n")
    ways = Ways.from_environment(
        {
            "SANTIAGO_ALLOW_PLAIN": "1",
            "SANTIAGO_CA_FILE": "ca.pem",
            "SANTIAGO_BOT_SECRETS": str(file),
            "SANTIAGO_GATEWAY": "gateway.example:443",
            "SANTIAGO_GATEWAY_KEY": "fedcba9876543210",
        }
    )
    secrets = {"bot.example:5001": "0123456789abcdef"}
    assert ways == Ways(True, "ca.pem", secrets, "gateway.example:443", "fedcba9876543210")
    assert "0123456789abcdef" not in repr(ways)
    assert "fedcba9876543210" not in repr(ways)


@pytest.mark.parametrize("off", [{}, *({"SANTIAGO_ALLOW_PLAIN": text} for text in ("", "0", "0 "))])
def test_without_settings_there_is_no_way_but_tls(off: dict[str, str]) -> None:
    assert Ways.from_environment(off) == Ways()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bot:1", "line 1: ADDRESS SECRET is needed"),
        ("\nbot:1 a b", "line 2: ADDRESS SECRET is needed"),
        ("bot:1 short", "line 1: the secret needs 16 characters or more"),
    ],
)
def test_a_file_of_secrets_that_is_wrong(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text(text)
    with pytest.raises(InvalidSetting, match=said):
        read_secrets(tmp_path / "secrets")
    with pytest.raises(InvalidSetting, match=f"^SANTIAGO_BOT_SECRETS: .*{said}"):
        Ways.from_environment({"SANTIAGO_BOT_SECRETS": str(tmp_path / "secrets")})


def test_a_file_of_secrets_is_not_read_for_ever() -> None:
    with pytest.raises(InvalidSetting, match="/dev/zero has more than 16,000,000 characters"):
        read_secrets(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"SANTIAGO_BOT_SECRETS": "/no/such/file"}, "/no/such/file cannot be read"),
        ({"SANTIAGO_GATEWAY_KEY": "short"}, "SANTIAGO_GATEWAY_KEY needs 16 characters"),
        ({"SANTIAGO_ALLOW_PLAIN": "false"}, "SANTIAGO_ALLOW_PLAIN is 'false': give 1 to switch"),
        ({"SANTIAGO_ALLOW_PLAIN": "00"}, "SANTIAGO_ALLOW_PLAIN is '00': give 1 to switch"),
    ],
)
def test_settings_that_are_wrong(environ: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidSetting, match=said):
        Ways.from_environment(environ)


@pytest.mark.parametrize(
    "address",
    [
        *("gateway.example:443", "[::1]:1", "ipv4:10.0.0.1:65535", "unix:/run/gateway", ""),
        pytest.param(f"unix:/{'x' * 106}", id="the longest path"),
    ],
)
def test_where_the_gateway_may_be(address: str) -> None:
    assert is_target(address) == bool(address)
    assert Ways.from_environment({"SANTIAGO_GATEWAY": f" {address}"}).gateway == address


@pytest.mark.parametrize(
    "address",
    [
        *("gateway", ":443", "gateway:", "gateway:0", "gateway:65536", "gateway:x", "a b:1"),
        *("me@gateway:1", "https://gateway:1", "::1:443", "[::1]", "unix:", "unix:/a b"),
        pytest.param(f"unix:/{'x' * 107}", id="a path that is too long"),
    ],
)
def test_where_no_gateway_can_be(address: str) -> None:
    with pytest.raises(InvalidSetting, match=r"SANTIAGO_GATEWAY is .*: give HOST:PORT or unix:/"):
        Ways.from_environment({"SANTIAGO_GATEWAY": address})


def test_a_ca_file_that_is_not_there() -> None:
    with pytest.raises(InvalidSetting, match=r"SANTIAGO_CA_FILE: .*/no/such/file"):
        Ways(ca_file="/no/such/file").blocking_channel("bot.example:1")
    with pytest.raises(InvalidSetting, match=r"SANTIAGO_CA_FILE is '/no/such.*: .*No such file"):
        Ways(ca_file="/no/such/file").check_ca_file()


def test_a_ca_file_is_checked_before_anybody_is_dialled(
    certificate: Certificate, tmp_path: Path
) -> None:
    Ways().check_ca_file()
    Ways(ca_file=certificate.file).check_ca_file()
    (tmp_path / "notes").write_text("no certificate")
    with pytest.raises(InvalidSetting, match="give a file of certificates in PEM, it holds none"):
        Ways(ca_file=f"{tmp_path}/notes").check_ca_file()


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({CERTIFICATE_VARIABLE: "c.pem"}, f"TLS needs both {CERTIFICATE_VARIABLE} and"),
        ({KEY_VARIABLE: "k.pem"}, f"TLS needs both {CERTIFICATE_VARIABLE} and {KEY_VARIABLE}"),
        ({CERTIFICATE_VARIABLE: "/no/c", KEY_VARIABLE: "/no/k"}, "cannot be read: .*/no/k"),
        ({CERTIFICATE_VARIABLE: __file__, KEY_VARIABLE: __file__}, "are no certificate with its"),
        ({SECRET_VARIABLE: "short"}, f"{SECRET_VARIABLE} needs 16 characters or more"),
        ({SECRET_VARIABLE: "long enough, no text\udcff"}, "16 characters or more, in UTF-8"),
    ],
)
def test_a_bot_whose_settings_are_wrong(
    extra: dict[str, str], said: str, new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in extra.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=said):
        serve(DrawingBot, new_address())


async def test_the_start_up_of_each_seat_is_kept(good_bot: str) -> None:
    began = monotonic()
    replay = await play(match_of([good_bot, good_bot]))
    lasted_us = (monotonic() - began) * 1e6
    assert all(0 < seat.start_up_us < lasted_us for seat in replay.seats)


async def test_a_bot_that_needs_longer_to_get_ready(new_address: NewAddress, good_bot: str) -> None:
    """The clock says how long a bot may take before it accepts; the bank is not touched."""
    address = new_address()
    await unreachable([address, good_bot], re.escape(address))
    command = [sys.executable, "-m", "referee.serving", RANDOM_BOT]
    with BotProcess(command, address):  # it takes longer than that to import its modules
        replay = await play(match_of([address, good_bot], Clock(start_up=60.0)))
    assert replay.seats[0].start_up_us > 20_000
    assert replay.clock.start_up_ms == 60_000


async def test_the_last_channel_leaves_the_thread_of_grpc_alone() -> None:
    channel = Ways(allow_plain=True).channel("127.0.0.1:9")
    await channel.close()
    del channel
    gc.collect()
    assert any("_poll_wrapper" in thread.name for thread in threading.enumerate())
