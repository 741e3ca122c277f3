"""Bots that do not accept a game: the referee says if they answered otherwise, and who failed."""

from collections.abc import Callable

import pytest
from grpc import StatusCode

from referee.clock import Clock
from referee.errors import OtherVersion, Unreachable
from referee.gateway import lines
from referee.http2.server import Refusal, Stream, serve
from referee.match import play_table
from referee.seats.description import NotDescribed, stated_version
from referee.seats.remote import RemoteSeat
from referee.service import DESCRIBE
from referee.ways import Ways
from tests import hostile_bots as hostile
from tests.conftest import free_port
from tests.hostile_bots import HostileBot
from tests.referee.games import DrawingBot, match_of, served
from tests.referee.gateway.wires import gateway, guest, through

BRIEF = Clock(start_up=1.0)


NewAddress = Callable[[], str]


async def refusal(address: str, good_bot: str, version: str, ways: Ways) -> Unreachable:
    """Why the bot at an address did not accept a game."""
    seats = [RemoteSeat(address, ways, version), RemoteSeat(good_bot, ways, DrawingBot.version)]
    with pytest.raises(Unreachable) as caught:
        await play_table(match_of([address, good_bot], BRIEF), seats)
    assert caught.value.seat == 0
    return caught.value


async def test_a_bot_that_describes_itself_and_refuses_has_answered(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.drops_the_line, lambda _: True) as bot:
        error = await refusal(bot.address, good_bot, "1", Ways())
    assert (error.answered, error.ours) == (True, False)
    assert "gone for a moment" in error.why


async def test_what_is_wrong_with_its_answer_is_the_reason(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.long_nonce, lambda _: True) as bot:
        error = await refusal(bot.address, good_bot, "1", Ways())
    assert error.why == "The nonce has 33 bytes; at most 32 are allowed."


async def test_one_that_is_not_there_has_not(new_address: NewAddress, good_bot: str) -> None:
    error = await refusal(new_address(), good_bot, "1", Ways())
    assert (error.answered, error.ours) == (False, False)


async def test_what_a_bot_says_instead_of_a_description_is_shown_in_short(
    new_address: NewAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.seats.description._TIMEOUT", 300.0)
    at = new_address()

    async def fail(_: Stream) -> None:
        raise Refusal(StatusCode.UNKNOWN, "no\nmemory" + 999 * "x")

    server = await serve(at, {DESCRIBE: fail}, most=1000)
    with pytest.raises(NotDescribed) as caught:
        await stated_version(at, Ways())
    server.close()
    said = f"(UNKNOWN: no?memory{191 * 'x'}…)"
    assert str(caught.value) == f"no bot describes itself at {at} {said}: is it running there?"


async def test_a_gateway_that_is_stopped_is_no_refusal(
    new_address: NewAddress, good_bot: str
) -> None:
    at = f"127.0.0.1:{free_port()}"
    error = await refusal("gateway:ana", good_bot, "1", through(at))
    assert (error.answered, error.ours) == (False, True)


async def test_a_bot_that_has_not_joined_the_gateway_is_offline(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BACK_WITHIN", 0.0)
    async with gateway(new_address()) as at:
        error = await refusal("gateway:ana", good_bot, "1", through(at))
    assert (error.answered, error.ours) == (False, False)


async def test_a_refusal_through_the_gateway_is_the_bots(
    new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), hostile.drops_the_line, lambda _: True) as bot:
        async with gateway(new_address()) as at, guest(bot.address, at):
            error = await refusal("gateway:ana", good_bot, "1", through(at))
    assert (error.answered, error.ours) == (True, False)


async def test_another_version_is_told_with_its_name(
    new_address: NewAddress, good_bot: str
) -> None:
    with served(DrawingBot, new_address()) as address:
        error = await refusal(address, good_bot, "8", Ways())
    assert isinstance(error, OtherVersion)
    assert error.version == DrawingBot.version
