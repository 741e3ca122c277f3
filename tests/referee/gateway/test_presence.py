"""Who is told which bots are in, and tokens that become void while a bot is in."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from referee.errors import InvalidBot, InvalidSetting
from referee.gateway.lines import Presence, Watch
from referee.gateway.server import Calls, start_gateway
from referee.joining import Guest
from referee.seats.description import describe
from referee.ways import Ways
from tests.referee.games import match_of, play
from tests.referee.gateway.wires import KEY, TIMEOUT, TOKENS, guest, through, until
from tests.referee.test_faults import faults_of

NewAddress = Callable[[], str]
Told = list[tuple[str, int, str]]


@asynccontextmanager
async def watched(at: str, tokens: dict[str, str], watch: Watch) -> AsyncIterator[None]:
    server = await start_gateway(at, Calls(tokens.get, KEY, watch=watch))
    try:
        yield
    finally:
        await server.stop(None)


async def test_who_comes_and_goes(new_address: NewAddress, good_bot: str) -> None:
    told: Told = []
    at = new_address()
    async with watched(at, TOKENS, lambda *said: told.append(said)):
        async with guest(good_bot, at, slots=3) as first:
            version = first.description.version
            async with guest(good_bot, at, slots=2):
                await until(lambda: len(told) == 2)
            await until(lambda: len(told) == 3)
        await until(lambda: len(told) == 4)
    assert told == [("ana", slots, version) for slots in (3, 5, 3, 0)]


async def test_nobody_who_could_be_told(new_address: NewAddress, good_bot: str) -> None:
    def fails(_name: str, _slots: int, _version: str) -> None:
        raise InvalidSetting("The database does not answer.")

    at = new_address()
    async with watched(at, TOKENS, fails), guest(good_bot, at) as joined:
        assert joined.joined


async def test_a_change_that_could_not_be_told_is_told_before_the_next(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The database may be away for long, or take no writes while tokens can still be looked up."""
    monkeypatch.setattr("referee.gateway.lines._TRY_AGAIN_AFTER", 0.01)
    monkeypatch.setattr("referee.gateway.lines._LONGEST_PAUSE", 0.01)
    told, failures = Told(), ["no room"] * 10

    def fails_at_first(name: str, slots: int, version: str) -> None:
        if failures:
            raise InvalidSetting(failures.pop())
        told.append((name, slots, version))

    presence = Presence(fails_at_first)
    presence.announce("ana", 4, "1")
    await presence.announce("ana", 0, "1")
    assert told == [("ana", 4, "1"), ("ana", 0, "1")]
    assert caplog.text.count("its line could not be announced") == 10


async def test_a_bot_that_cannot_be_told_holds_up_no_other() -> None:
    told: Told = []

    def watch(name: str, slots: int, version: str) -> None:
        if name == "ana":
            raise InvalidSetting("The database refuses this one.")
        told.append((name, slots, version))

    presence = Presence(watch)
    waits = presence.announce("ana", 4, "1")
    await presence.announce("bela", 2, "1")
    assert told == [("bela", 2, "1")]
    waits.cancel()


async def test_a_token_that_becomes_void(
    new_address: NewAddress, good_bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.gateway.server._ASK_AGAIN_EVERY", 0.01)
    tokens, at = dict(TOKENS), new_address()
    server = await start_gateway(at, Calls(tokens.get, KEY))
    told = await asyncio.to_thread(describe, good_bot)
    joining = Guest(good_bot, at, "token-of-ana", 1, told, Ways())
    staying = asyncio.create_task(joining.stay())
    await until(lambda: joining.joined)
    del tokens["token-of-ana"]
    with pytest.raises(InvalidBot, match="The token is good no more"):
        await asyncio.wait_for(staying, TIMEOUT)
    await server.stop(None)


async def test_a_bot_plays_before_everybody_is_told_of_it(
    new_address: NewAddress, good_bot: str
) -> None:
    """The database may be slow, and a game may be waiting for a bot whose line broke."""
    go_on, told, at = threading.Event(), Told(), new_address()

    def slow(name: str, slots: int, version: str) -> None:
        assert go_on.wait(TIMEOUT)
        told.append((name, slots, version))

    async with watched(at, TOKENS, slow):
        try:
            async with guest(good_bot, at) as joined:
                replay = await play(match_of(["gateway:ana", good_bot]), ways=through(at))
                assert not told
        finally:
            go_on.set()
        await until(lambda: len(told) == 2)
    assert not faults_of(replay)
    version = joined.description.version
    assert told == [("ana", 4, version), ("ana", 0, version)]


async def test_who_hangs_up_at_once_is_told_as_gone_at_last() -> None:
    told: Told = []
    begun, go_on = threading.Event(), threading.Event()

    def slow(name: str, slots: int, version: str) -> None:
        if slots:
            begun.set()
            assert go_on.wait(TIMEOUT)
        told.append((name, slots, version))

    presence = Presence(slow)
    presence.announce("ana", 4, "1")
    assert await asyncio.to_thread(begun.wait, TIMEOUT)
    leaving = presence.announce("ana", 0, "1")
    await asyncio.sleep(0.05)
    go_on.set()
    await leaving
    assert told == [("ana", 4, "1"), ("ana", 0, "1")]
