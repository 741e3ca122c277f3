"""Who may come in: bots by their token, workers by a proof that is good once, games by a ticket."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import grpc
import grpc.aio
import pytest
from grpc import StatusCode

from referee.conformance.check import Candidate
from referee.conformance.suite import examine, first_call
from referee.errors import Interrupted, InvalidBot, InvalidSetting, Unreachable
from referee.gateway import credentials
from referee.gateway.credentials import Challenges, WrongProof
from referee.gateway.server import Calls, start_gateway
from referee.http2.server import Refusal, Stream, serve
from referee.joining import Guest, join
from referee.proof import workers_proof
from referee.seats.description import NotDescribed, describe, stated_version
from referee.seats.line import Line, Metadata, admission
from referee.seats.streams import FarStream
from referee.service import MAX_FROM_BOT, OFFER, PLAY, SERVE
from referee.serving import server_credentials
from referee.ways import Ways
from referee.wire import bot_pb2, gateway_pb2
from tests import hostile_bots as hostile
from tests.conftest import free_port
from tests.hostile_bots import HostileBot
from tests.referee.games import Certificate, DrawingBot, match_of, play
from tests.referee.gateway.wires import (
    KEY,
    TOKENS,
    called,
    gateway,
    guest,
    offer,
    stays,
    through,
    until,
)
from tests.referee.test_faults import faults_of

NewAddress = Callable[[], str]

# Bots.


async def test_a_wrong_token(new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at:
        visitor = Guest(good_bot, at, "token-of-nobody", 1, bot_pb2.DescribeResponse(), Ways())
        with pytest.raises(InvalidBot, match="refuses the bot: The gateway does not know this tok"):
            await visitor.stay()


def test_a_program_may_give_a_token_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = Mock()
    monkeypatch.setattr("referee.joining.join_from", joined)
    monkeypatch.setenv("SANTIAGO_TOKEN", "of-the-environment")
    join(DrawingBot, "gateway.example:50052", "of-the-program", slots=2)
    join(DrawingBot, "gateway.example:50052")
    assert [call.args[1:] for call in joined.mock_calls] == [
        ("gateway.example:50052", "of-the-program", 2),
        ("gateway.example:50052", "of-the-environment", 4),
    ]


async def test_a_bot_whose_first_message_is_late_dials_again(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its offer is under way, through a network that is slow: that is no refusal for good."""
    monkeypatch.setattr("referee.gateway.server._FIRST_TIMEOUT", 0.0)
    async with gateway(new_address()) as at:
        told = bot_pb2.DescribeResponse(name="drawing", protocol_version=1)
        visitor = Guest(good_bot, at, "token-of-ana", 1, told, Ways())
        while "The first message did not come in time" not in (why := await visitor._line()):
            assert why == "INTERNAL: Internal error from Core", "it was writing just then"
        monkeypatch.undo()
        async with stays(visitor):
            assert visitor.joined


async def test_a_line_that_ends_before_its_first_message(new_address: NewAddress) -> None:
    async with gateway(new_address()) as at, Ways().channel_to_gateway(at) as channel:
        call: Any = channel.stream_stream(OFFER)()
        await call.done_writing()
        assert await call.details() == "The first message did not come."


@pytest.mark.parametrize("slots", [0, 257])
async def test_slots_that_nobody_has(slots: int, new_address: NewAddress, good_bot: str) -> None:
    async with gateway(new_address()) as at:
        visitor = Guest(good_bot, at, "token-of-ana", slots, bot_pb2.DescribeResponse(), Ways())
        with pytest.raises(InvalidBot, match=f"A bot offers 1 to 256 slots, not {slots}"):
            await visitor.stay()


async def test_what_a_bot_says_of_itself(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with gateway(new_address()) as at, guest(good_bot, at):
        monkeypatch.setenv("SANTIAGO_GATEWAY", at)
        monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", KEY)
        assert (await asyncio.to_thread(describe, "gateway:ana")).name == "drawing"
        with pytest.raises(
            InvalidBot, match="No bot answers at gateway:luz: has it joined the gateway"
        ):
            await asyncio.to_thread(describe, "gateway:luz")
        monkeypatch.setenv("SANTIAGO_GATEWAY_KEY", "the key of another one")
        with pytest.raises(InvalidBot, match="The worker's proof is wrong"):
            await asyncio.to_thread(describe, "gateway:ana")
        monkeypatch.delenv("SANTIAGO_GATEWAY")
        with pytest.raises(InvalidSetting, match="set SANTIAGO_GATEWAY to the gateway's address"):
            await asyncio.to_thread(describe, "gateway:ana")


async def test_a_ticket_is_good_for_one_call(new_address: NewAddress, good_bot: str) -> None:
    """A second stream for a game, by somebody who knows its ticket; and a guess at a ticket."""
    async with gateway(new_address()) as at, called(at, good_bot) as (channel, ticket, game):
        first: Any = channel.stream_stream(SERVE)()
        first_message = gateway_pb2.ServeRequest(ticket=ticket).SerializeToString()
        await first.write(first_message)
        assert gateway_pb2.ServeResponse.FromString(await first.read()).message
        for message in (first_message, gateway_pb2.ServeRequest(ticket="x").SerializeToString()):
            second: Any = channel.stream_stream(SERVE)()
            await second.write(message)
            assert await second.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert "The ticket is not good: each is for one call" in await second.details()
        game.cancel()
        await asyncio.wait({game})


@pytest.mark.parametrize("method", [OFFER, SERVE])
async def test_a_first_message_that_cannot_be_read(
    method: str, new_address: NewAddress, caplog: pytest.LogCaptureFixture
) -> None:
    """As JSON. It is no error of the gateway, whose log it would fill."""
    async with gateway(new_address()) as at, grpc.aio.insecure_channel(at) as channel:
        call: Any = channel.stream_stream(method)()
        await call.write(b'{"token": "token-of-ana"}')
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "The first message is not one of gateway.proto" in await call.details()
    # gRPC may hand our loop what belongs to the loop of an earlier test, which is closed.
    assert not [one for one in caplog.records if "PollerCompletionQueue" not in one.getMessage()]


async def test_a_message_of_a_game_that_cannot_be_read(
    new_address: NewAddress, good_bot: str
) -> None:
    """The call ends, as with a line that breaks, and the bot may take the game up again."""
    async with gateway(new_address()) as at, called(at, good_bot) as (channel, ticket, game):
        call: Any = channel.stream_stream(SERVE)()
        await call.write(gateway_pb2.ServeRequest(ticket=ticket).SerializeToString())
        assert gateway_pb2.ServeResponse.FromString(await call.read()).message
        await call.write(b"{}")
        assert await call.code() is grpc.StatusCode.ABORTED
        game.cancel()
        await asyncio.wait({game})


async def test_a_message_of_a_game_that_is_too_long(new_address: NewAddress, good_bot: str) -> None:
    """A kind that is not known yet is passed over."""
    async with gateway(new_address()) as at, called(at, good_bot) as (channel, ticket, game):
        call: Any = channel.stream_stream(SERVE)()
        long = gateway_pb2.ServeRequest(message=bytes(MAX_FROM_BOT + 1))
        for said in (gateway_pb2.ServeRequest(ticket=ticket), gateway_pb2.ServeRequest(), long):
            await call.write(said.SerializeToString())
        with pytest.raises(Unreachable, match="The bot sent too much"):
            await game
        call.cancel()


async def test_a_gateway_that_closes_a_line_is_dialled_again(
    new_address: NewAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says beside, in a later protocol, is passed over."""

    async def close(stream: Stream) -> None:
        await stream.read()
        for said in (gateway_pb2.OfferResponse(), gateway_pb2.OfferResponse(name="ana")):
            await stream.write(said.SerializeToString())

    at = new_address()
    server = await serve(at, {OFFER: close}, MAX_FROM_BOT)
    told = bot_pb2.DescribeResponse(name="one")
    visitor = Guest("unix:bot", at, "token-of-ana", 1, told, Ways())
    said = ""
    async with stays(visitor):
        while said.count("one has joined") < 2:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().err
    assert f"one has joined {at} as ana, for 1 games at once." == said.splitlines()[0]
    assert f"No line to {at} (the gateway has closed it): dialling again." in said
    server.close()


async def test_a_gateway_steers_no_terminal(
    new_address: NewAddress, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever gives a bot an address and a token may be a stranger."""
    steers, ends = "\x1b]0;mine\x07\n", iter((StatusCode.UNAVAILABLE, StatusCode.UNAUTHENTICATED))

    async def refuse(stream: Stream) -> None:
        await stream.read()
        await stream.write(gateway_pb2.OfferResponse(name=steers).SerializeToString())
        raise Refusal(next(ends), f"Later.{steers}")

    at = new_address()
    server = await serve(at, {OFFER: refuse}, MAX_FROM_BOT)
    told = bot_pb2.DescribeResponse(name="one")
    with pytest.raises(InvalidBot) as refused:
        await Guest("unix:bot", at, "token-of-ana", 1, told, Ways()).stay()
    server.close()
    printed = capsys.readouterr().err.splitlines()
    assert "Later" in printed[1]
    assert "Later" in str(refused.value)
    assert all(line.isprintable() for line in (*printed, str(refused.value)))


async def test_a_bot_whose_log_takes_no_more_joins_again_and_again(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk."""
    lines = 0

    async def close(stream: Stream) -> None:
        nonlocal lines
        lines += 1
        await stream.read()
        await stream.write(gateway_pb2.OfferResponse(name="ana").SerializeToString())

    at = new_address()
    server = await serve(at, {OFFER: close}, MAX_FROM_BOT)
    visitor = Guest("unix:bot", at, "token-of-ana", 1, bot_pb2.DescribeResponse(), Ways())
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr("sys.stderr", full)
        async with stays(visitor):
            await until(lambda: lines > 1)
        with suppress(OSError):
            full.close()
    server.close()


async def test_a_bot_that_takes_up_no_game(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line is taken for gone, so that it dials again; an older one that works is asked."""
    monkeypatch.setattr("referee.gateway.server.SERVE_WITHIN", 0.2)
    async with (
        gateway(new_address()) as at,
        guest(good_bot, at),
        grpc.aio.insecure_channel(at) as channel,
    ):
        line: Any = channel.stream_stream(OFFER)()
        offer = gateway_pb2.OfferRequest(token="token-of-ana", slots=1, instance="deaf")
        await line.write(offer.SerializeToString())
        await line.read()
        replay = await play(match_of(["gateway:ana", good_bot]), ways=through(at))
        assert gateway_pb2.OfferResponse.FromString(await line.read()).ticket
        said = "A ticket came, and no call of Serve with it within 0.2 seconds: dial again"
        with pytest.raises(grpc.aio.AioRpcError, match=said):
            await line.read()
    assert not faults_of(replay)
    assert replay.seats[0].start_up_us > 200_000


async def test_what_a_bot_that_takes_up_no_game_reads_in_its_report(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.gateway.server.SERVE_WITHIN", 0.2)
    async with gateway(new_address()) as at:
        line = await offer(at)
        await line.read()
        report = await examine(Candidate("gateway:ana", ways=through(at)), [first_call("1")])
        line.hang_up()
    assert "the bot was sent a ticket and did not call Serve with it in time" in str(report)
    assert "has it joined the gateway?" not in str(report), "it has"


# Workers.


async def test_a_worker_with_another_key(new_address: NewAddress, good_bot: str) -> None:
    """The platform's own trouble: no bot is to blame."""
    async with gateway(new_address()) as at, guest(good_bot, at):
        said = "The gateway refused this worker: The worker's proof is wrong: is SANTIAGO_GATEWAY_"
        ways = through(at, "the key of others")
        with pytest.raises(Interrupted, match=said):
            await play(match_of(["gateway:ana", good_bot]), ways=ways)
        with pytest.raises(NotDescribed, match="proof is wrong: is SANTIAGO_GATE") as raised:
            await stated_version("gateway:ana", ways)
        assert raised.value.ours
        with pytest.raises(Interrupted, match=said):
            await examine(Candidate("gateway:ana", ways=ways), [first_call("1")])


async def test_a_worker_that_knows_no_gateway(good_bot: str) -> None:
    with pytest.raises(Interrupted, match="set SANTIAGO_GATEWAY to the gateway's address"):
        await play(match_of(["gateway:ana", good_bot]), ways=Ways())


async def refusal(channel: grpc.aio.Channel, admitted: Metadata) -> tuple[grpc.StatusCode, str]:
    """How the gateway ends a call of Play."""
    call: Any = channel.stream_stream(PLAY)(metadata=admitted)
    return await call.code(), await call.details()


async def test_somebody_who_is_no_worker(new_address: NewAddress, good_bot: str) -> None:
    async with (
        gateway(new_address()) as at,
        guest(good_bot, at),
        grpc.aio.insecure_channel(at) as channel,
    ):
        code, said = await refusal(channel, ())
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "The challenge is not one of this gateway's" in said


async def test_a_proof_is_good_once(new_address: NewAddress) -> None:
    """A man who heard it all cannot say it again, nor say it for another bot or another seat."""
    with HostileBot(new_address()) as bot:
        async with (
            gateway(new_address()) as at,
            guest(bot.address, at),
            grpc.aio.insecure_channel(at) as channel,
        ):
            heard = await admission(channel, "gateway:ana", through(at), "match/1/0")
            call: Any = channel.stream_stream(PLAY)(metadata=heard)
            line = Line("gateway:ana", FarStream(call))
            start = bot_pb2.PlayRequest(start=bot_pb2.GameStart(match_id="match", attempt=1))
            await line.send(start.SerializeToString())
            assert await line.receive() == hostile.ACCEPT
            await line.hang_up()
            assert await asyncio.to_thread(bot.left_alone)
            code, said = await refusal(channel, heard)
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert said == "The worker's proof was used before, or is too old."
            for key, value in (("santiago-bot", "luz"), ("santiago-seat", "match/2/0")):
                changed = tuple((k, value if k == key else v) for k, v in heard)
                assert "The worker's proof is wrong" in (await refusal(channel, changed))[1]
    assert len(bot.streams) == 1


async def test_a_second_live_stream_for_a_seat(new_address: NewAddress) -> None:
    with HostileBot(new_address(), hostile.silent, lambda _: True) as bot:
        async with (
            gateway(new_address()) as at,
            guest(bot.address, at),
            grpc.aio.insecure_channel(at) as channel,
        ):
            first = await admission(channel, "gateway:ana", through(at), "match/1/0")
            call: Any = channel.stream_stream(PLAY)(metadata=first)
            start = bot_pb2.PlayRequest(start=bot_pb2.GameStart(match_id="match", attempt=1))
            await call.write(start.SerializeToString())
            await until(lambda: bot.live == 1)
            again = await admission(channel, "gateway:ana", through(at), "match/1/0")
            code, said = await refusal(channel, again)
            assert code is grpc.StatusCode.UNAVAILABLE
            assert said == "another stream for this seat is live"
            call.cancel()
            assert await asyncio.to_thread(bot.left_alone)
    assert bot.most_live == 1


async def test_a_worker_that_dials_again_before_its_former_stream_has_ended_here(
    new_address: NewAddress,
) -> None:
    """Both connections are read by threads of their own: the gateway may hear of the new first."""
    start = bot_pb2.PlayRequest(start=bot_pb2.GameStart(match_id="match", attempt=1))
    with HostileBot(new_address()) as bot:
        async with (
            gateway(new_address()) as at,
            guest(bot.address, at),
            grpc.aio.insecure_channel(at) as channel,
        ):

            async def dial() -> Any:
                admitted = await admission(channel, "gateway:ana", through(at), "match/1/0")
                call: Any = channel.stream_stream(PLAY)(metadata=admitted)
                await call.write(start.SerializeToString())
                return call

            former = await dial()
            await former.read()
            call = await dial()
            await asyncio.sleep(0.2)  # it waits at the gateway
            former.cancel()
            assert bot_pb2.PlayResponse.FromString(await call.read()).HasField("accept")
            call.cancel()
            assert await asyncio.to_thread(bot.left_alone)


# Challenges.


async def test_challenges_grow_old(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(credentials, "monotonic", lambda: now)
    gate = Challenges(KEY)

    def signed(challenge: bytes) -> tuple[bytes, bytes, str, str]:
        return challenge, workers_proof(KEY, challenge, "ana", "m/1/0"), "ana", "m/1/0"

    first, second, third = (gate.issue() for _ in range(3))
    assert len({first, second, third}) == 3
    assert {len(first), len(second)} == {32}
    now = 1059.0
    gate.check(*signed(first))
    now = 1061.0
    with pytest.raises(WrongProof, match="too old"):
        gate.check(*signed(second))
    with pytest.raises(WrongProof, match="used before"):
        gate.check(*signed(first))
    now = 1200.0  # what is remembered of the first is forgotten, and it is too old
    gate.check(*signed(gate.issue()))
    with pytest.raises(WrongProof, match="too old"):
        gate.check(*signed(first))


def test_a_gateways_keys_are_not_shown() -> None:
    assert repr(Challenges(KEY)) == "Challenges()"


@pytest.mark.parametrize("challenge", [b"", bytes(32), bytes(7)])
def test_a_challenge_of_ones_own(challenge: bytes) -> None:
    gate = Challenges(KEY)
    with pytest.raises(WrongProof, match="not one of this gateway's"):
        gate.check(challenge, workers_proof(KEY, challenge, "ana", ""), "ana", "")


# Tokens.


def test_tokens_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    token = credentials.new_token()
    file.write_text(f"# our guests\nana {credentials.token_hash(token)}\n")
    name_of = credentials.tokens_of(file)
    assert name_of(token) == "ana"
    assert name_of("") is None
    assert name_of(credentials.token_hash(token)) is None  # who reads the file knows no token
    file.write_text("")  # a bot that may not play any more
    assert name_of(token) is None


@pytest.mark.parametrize("line", ["ana", "ana 12", "a/b " + "0" * 64, "ana " + "0" * 64 + " more"])
def test_a_file_of_tokens_that_is_wrong(line: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(line)
    with pytest.raises(InvalidSetting, match="line 1: NAME HASH is needed"):
        credentials.tokens_of(file)
    with pytest.raises(InvalidSetting, match="no-file cannot be read"):
        credentials.tokens_of(tmp_path / "no-file")


# Between machines.


async def test_all_of_it_over_tls(certificate: Certificate, good_bot: str) -> None:
    address = f"0.0.0.0:{free_port()}"
    credentials = server_credentials(certificate.file, certificate.key)
    gateway = await start_gateway(address, Calls(TOKENS.get, KEY), credentials)
    trusting = Ways(ca_file=certificate.file, gateway=address, gateway_key=KEY)
    told = bot_pb2.DescribeResponse(name="drawing", protocol_version=1)
    visitor = Guest(good_bot, address, "token-of-ana", 4, told, trusting)
    staying = asyncio.create_task(visitor.stay())
    await until(lambda: visitor.joined)
    replay = await play(match_of(["gateway:ana", good_bot]), ways=trusting)
    staying.cancel()
    await asyncio.wait({staying})
    await gateway.stop(None)
    assert not faults_of(replay)
