"""The secret that a bot shares with its referee: each proves that it knows it, nobody sends it."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from referee.clock import Clock
from referee.errors import Unreachable
from referee.faults import FaultCode
from referee.messages import setup_message
from referee.proof import Meeting
from referee.service import PLAY
from referee.ways import Ways
from referee.wire import bot_pb2
from tests import hostile_bots as hostile
from tests.hostile_bots import HostileBot
from tests.referee.games import DrawingBot, match_of, play, served
from tests.referee.patience import judged_again
from tests.referee.test_faults import fault_codes, faults_of, judged

NewAddress = Callable[[], str]
SECRET = "a secret that only two know"


def knowing(address: str) -> Ways:
    """The ways of an operator who shares the secret with the bot at an address."""
    return Ways(secrets={address: SECRET})


async def test_both_know_the_secret(new_address: NewAddress, good_bot: str) -> None:
    with served(DrawingBot, new_address(), secret=SECRET) as address:
        replay = await play(match_of([good_bot, address]), ways=knowing(address))
    assert not faults_of(replay)
    assert SECRET.encode() not in replay.SerializeToString()


async def test_a_bot_with_another_secret(new_address: NewAddress, good_bot: str) -> None:
    with (
        served(DrawingBot, new_address(), secret="another secret than that") as address,
        pytest.raises(Unreachable, match=r"seat 1 .*: its proof of the shared secret is wrong"),
    ):
        await play(match_of([good_bot, address]), ways=knowing(address))


async def test_a_bot_without_a_secret(good_bot: str) -> None:
    with pytest.raises(Unreachable, match=r"did not prove .* started with SANTIAGO_SECRET\?"):
        await play(match_of([good_bot, good_bot]), ways=knowing(good_bot))


async def test_an_operator_without_the_secret(
    new_address: NewAddress, good_bot: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        served(DrawingBot, new_address(), secret=SECRET) as address,
        pytest.raises(Unreachable, match=r"UNAUTHENTICATED: This bot has a secret"),
    ):
        await play(match_of([good_bot, address]))
    assert "This bot has a secret" in capfd.readouterr().err


# Somebody else who answers, or who calls.


class Parrot:
    """Answers GameStart with a proof that it has heard before, or makes of what it is told."""

    def __init__(self, make: Callable[[bot_pb2.GameStart], bot_pb2.Accept]) -> None:
        self._make = make

    def __call__(self, request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        if request.HasField("start"):
            accept = self._make(request.start)
            yield bot_pb2.PlayResponse(accept=accept).SerializeToString()
        else:
            yield from hostile.honest(request, context)


def meeting(start: bot_pb2.GameStart, challenge: bytes) -> Meeting:
    return Meeting(start.challenge, challenge, start.match_id, start.attempt, start.seat)


def well_proven(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    challenge = bytes(range(16))
    return bot_pb2.Accept(challenge=challenge, proof=meeting(start, challenge).bots_proof(SECRET))


async def test_what_is_sent(new_address: NewAddress, good_bot: str) -> None:
    """Challenges are fresh on each stream, and the referee proves itself once on each."""
    address = new_address()

    def drops_twice(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        number = sum(map(len, bot.streams))
        wrong = hostile.drops_the_line if number in (5, 9) else Parrot(well_proven)
        yield from wrong(request, context)

    with HostileBot(address, drops_twice, lambda _: True) as bot:
        replay = await play(match_of([good_bot, address]), ways=knowing(address))
    assert not faults_of(replay)
    assert len(bot.streams) == 3
    assert len({line[0].start.challenge for line in bot.streams}) == 3
    for line in bot.streams:
        due = meeting(line[0].start, bytes(range(16))).referees_proof(SECRET)
        assert [request.proof for request in line[:3]] == [b"", due, b""]
        assert all(SECRET.encode() not in request.SerializeToString() for request in line)


def no_challenge(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    return bot_pb2.Accept(proof=meeting(start, b"").bots_proof(SECRET))


def proof_of_another_seat(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    start.seat += 1
    return well_proven(start)


def proof_of_another_attempt(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    start.attempt += 1
    return well_proven(start)


def proof_of_another_match(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    start.match_id += "0"
    return well_proven(start)


def reflection(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    """The proof that a referee would give, to whoever made it answer this very challenge."""
    challenge = start.challenge
    return bot_pb2.Accept(
        challenge=challenge, proof=meeting(start, challenge).referees_proof(SECRET)
    )


def old_proof(start: bot_pb2.GameStart) -> bot_pb2.Accept:
    """A good proof, of the same match, attempt and seat, to an earlier challenge."""
    start.challenge = bytes(32)
    return well_proven(start)


IMPOSTORS: dict[Callable[[bot_pb2.GameStart], bot_pb2.Accept], str] = {
    no_challenge: "its challenge has 0 bytes; 16 to 32 are due",
    proof_of_another_seat: "its proof of the shared secret is wrong",
    proof_of_another_attempt: "its proof of the shared secret is wrong",
    proof_of_another_match: "its proof of the shared secret is wrong",
    reflection: "its proof of the shared secret is wrong",
    old_proof: "its proof of the shared secret is wrong",
}


@pytest.mark.parametrize("make", IMPOSTORS, ids=lambda make: make.__name__)
async def test_an_impostor_in_place_of_the_bot(
    make: Callable[[bot_pb2.GameStart], bot_pb2.Accept], new_address: NewAddress, good_bot: str
) -> None:
    with (
        HostileBot(new_address(), Parrot(make), lambda _: True) as bot,
        pytest.raises(Unreachable, match=IMPOSTORS[make]),
    ):
        await play(match_of([good_bot, bot.address]), ways=knowing(bot.address))
    assert await asyncio.to_thread(bot.left_alone)
    assert len(bot.told) == 1  # no more than GameStart


@judged_again
async def test_an_impostor_after_a_lost_line(new_address: NewAddress, good_bot: str) -> None:
    """He takes time from the bot, but cannot make it fault in another way."""

    def drops_then_lies(request: hostile.Request, context: hostile.Context) -> Iterator[bytes]:
        if request.decision.id > 3:
            yield from hostile.drops_the_line(request, context)
        make = old_proof if request.start.resumed else well_proven
        yield from Parrot(make)(request, context)

    with HostileBot(new_address(), drops_then_lies, lambda _: True) as bot:
        clock = Clock(move_limit=0.5)
        replay = await play(match_of([good_bot, bot.address], clock), ways=knowing(bot.address))
    assert fault_codes(replay) == [(1, FaultCode.TIMEOUT)]
    assert "its proof of the shared secret is wrong" in faults_of(replay)[0].sentence
    assert len(bot.streams) > 2


@pytest.mark.parametrize("proof", ["", "old", "reflected"])
async def test_an_impostor_in_place_of_the_referee(proof: str, new_address: NewAddress) -> None:
    """He learns that the bot would play, and not one choice."""
    layout = setup_message(match_of(["", ""]).layout)
    start = bot_pb2.GameStart(
        match_id="m", attempt=1, players=2, setup=layout, rules_version=1, challenge=bytes(32)
    )
    with served(DrawingBot, new_address(), secret=SECRET) as address:
        async with grpc.aio.insecure_channel(address) as channel:
            call: Any = channel.stream_stream(PLAY)()
            await call.write(bot_pb2.PlayRequest(start=start).SerializeToString())
            accept = bot_pb2.PlayResponse.FromString(await call.read()).accept
            told = {
                "": b"",
                "old": meeting(start, bytes(32)).referees_proof(SECRET),
                "reflected": accept.proof,
            }
            asked = bot_pb2.Decision(id=1)
            request = bot_pb2.PlayRequest(decision=asked, proof=told[proof])
            await call.write(request.SerializeToString())
            with pytest.raises(grpc.aio.AioRpcError, match="did not prove that it knows") as end:
                await asyncio.wait_for(call.read(), 60)
    assert end.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_secrets_come_from_the_operators_file(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "secrets"
    monkeypatch.setenv("SANTIAGO_BOT_SECRETS", str(file))
    with (
        served(DrawingBot, new_address(), secret="one-secret-of-all") as one,
        served(DrawingBot, new_address(), secret="2" * 16) as two,
    ):
        file.write_text(f"{one} one-secret-of-all\n{two} {'2' * 16}\n")
        assert not faults_of(await judged(match_of([one, two])))
        file.write_text(f"{one} one-secret-of-all\n{two} {'3' * 16}\n")
        with pytest.raises(Unreachable, match="seat 1"):
            await play(match_of([one, two]))
