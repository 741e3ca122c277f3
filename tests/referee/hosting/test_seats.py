"""Seats end when nobody needs them, and their bots stand still without control groups, too."""

import asyncio
import hashlib
import os
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest

from referee.hosting.client import DidNotStart, HostRefuses, Missing, RemoteHost
from referee.hosting.output import ProgramOutput
from referee.hosting.processors import Processors, spare
from referee.hosting.seat import HostedPlayer, Seat, SeatState, _why_not, listens
from referee.hosting.seats import Seats
from tests.referee.hosting.hosts import (
    bundle,
    calling,
    faults,
    played,
    reachable,
    running,
    seat,
    until_sandboxes,
)
from tests.referee.steady import Time

GOOD = bundle()
BURNING = bundle(
    choose="self.asked > 2 or os.fork() or all(True for _ in iter(int, 1))",
    rest="[threading.Thread(target=lambda: all(True for _ in iter(int, 1)), daemon=True).start()]",
)
WITHOUT_GROUPS = "import referee.hosting.trees as trees; trees.find_trees = lambda *_: {}"
IMPATIENT = "import referee.hosting.seats as seats; seats._ALONE_FOR = 0.0"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder for one host after the other."""
    with reachable() as folder:
        yield folder


@asynccontextmanager
async def served(folder: Path, before: str = "", **settings: str) -> AsyncIterator[RemoteHost]:
    """Yield a client of a host that has the good bundle."""
    with running(folder, settings=settings, before=before) as (address, _):
        async with calling(address) as host:
            await host.store(hashlib.sha256(GOOD).digest(), [GOOD])
            yield host


async def opened(host: RemoteHost, bot: str = "good") -> str:
    """Open a seat for a good bot, and return its name."""
    found = await host.open(hashlib.sha256(GOOD).digest(), bot, "1", start_up=60.0)
    return found.seat


async def test_without_control_groups_bots_stand_still_between_decisions(folder: Path) -> None:
    async with served(folder, WITHOUT_GROUPS) as host:
        assert "SIGSTOP" in "".join((await host.status()).guards)
        seats = [await seat(host, BURNING, "burning"), await seat(host, GOOD, "good")]
        replay = await played(seats)
        assert faults(replay) == []
        chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
        thought = sum(choice.cpu_us for choice in chosen if choice.seat == 0)
        assert seats[0].closed is not None
        assert thought > seats[0].closed.cpu_us / 2


async def test_seat_at_which_nobody_sits_is_given_up(folder: Path) -> None:
    async with served(folder, IMPATIENT) as host:
        await opened(host)
        await until_sandboxes(host, 0)


@pytest.mark.parametrize("limit", ["SANTIAGO_SANDBOX_IDLE", "SANTIAGO_SANDBOX_AGE"])
async def test_warm_sandbox_ends_after_a_while(folder: Path, limit: str) -> None:
    async with served(folder, **{limit: "1"}) as host:
        await host.close_seat(await opened(host))
        await until_sandboxes(host, 0)


async def test_warm_sandbox_makes_room_and_one_in_a_match_does_not(folder: Path) -> None:
    async with served(folder, SANTIAGO_SANDBOXES="1") as host:
        first = await opened(host)
        with pytest.raises(HostRefuses, match="in use"):
            await opened(host, "other")
        await host.close_seat(first)
        second = await opened(host, "other")
        assert (await host.status()).sandboxes == 1
        await host.forget(hashlib.sha256(GOOD).digest())
        await until_sandboxes(host, 0)
        with pytest.raises(Missing):
            await opened(host, second)


class Starts:
    """A sandbox whose bot does not listen yet when it is first looked at."""

    over = exit_code = None

    def __init__(self, socket: Path) -> None:
        self._paths = iter((None, str(socket)))

    def socket_path(self) -> str | None:
        return next(self._paths)

    def pin(self, processor: int) -> None: ...

    def freeze(self) -> None: ...

    def thaw(self) -> None: ...

    def stop(self) -> None: ...

    def cpu_seconds(self) -> float:
        return 0.0

    def output(self) -> ProgramOutput:
        return ProgramOutput(b"", b"")


async def test_start_up_time_of_a_bot_begins_when_its_sandbox_has_started(
    tmp_path: Path, steady: Time
) -> None:
    """The first sandbox of a host waits until its runtime is copied; the host may stand still."""

    class Stopped(Starts):
        def socket_path(self) -> str | None:
            steady.pass_by(100.0)
            return super().socket_path()

    def launch() -> Any:
        steady.pass_by(100.0)
        return Stopped(tmp_path / "bot")

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "bot"))
        listening.listen()
        seats = Seats(Processors(spare(1)), 1, 60.0, 60.0)
        opened = await seats.open(HostedPlayer(b"1", "bot", "1"), launch, 10.0)
    assert opened.took < 1.0


async def taken(tmp_path: Path) -> tuple[Seats, Seat, Mock]:
    """A seat for a match, with its sandbox, and all seats of its host."""
    sandbox = Mock(Starts(tmp_path / "bot"), over=None, noticed=None, exit_code=None)
    sandbox.killed_from_outside = False
    sandbox.cpu_seconds.return_value = 0.0
    sandbox.socket_path.return_value = str(tmp_path / "bot")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "bot"))
        listening.listen()
        seats = Seats(Processors(spare(1)), 1, 60.0, 60.0)
        opened = await seats.open(HostedPlayer(b"1", "bot", "1"), lambda: sandbox, 60.0)
    sandbox.reset_mock()
    return seats, opened, sandbox


async def test_two_streams_of_a_bot_share_its_processor(tmp_path: Path) -> None:
    """It runs until neither waits for it; both have asked before it may answer, one twice."""
    seats, seat, sandbox = await taken(tmp_path)
    asked: list[str] = []
    one, other = (partial(asked.append, name) for name in ("one", "other"))
    processor = await seats.processors.grant()
    waking = [asyncio.create_task(seat.wake(each)) for each in (one, other)]
    await asyncio.sleep(0)
    assert not seat.wake_now(one)
    seats.processors.give_back(processor)
    await asyncio.gather(*waking)
    assert seat.wake_now(one)
    assert asked == ["one", "other", "one"]
    sandbox.thaw.assert_called_once_with()
    for _ in range(2):
        seat.rest()
    assert (sandbox.freeze.called, seats.processors.thinking) == (False, 1)
    seat.rest()
    assert (sandbox.freeze.called, seats.processors.thinking) == (True, 0)
    await seats.end_all()


async def test_a_seat_is_left_when_its_last_stream_has_ended(tmp_path: Path) -> None:
    seats, seat, _ = await taken(tmp_path)
    with seat.sat_at():
        leaving = asyncio.create_task(seat.left())
        await asyncio.sleep(0.01)
        assert not leaving.done()
    await leaving
    await seats.end_all()


async def test_a_seat_that_was_banned_while_it_was_left_is_not_kept_warm(tmp_path: Path) -> None:
    seats, seat, sandbox = await taken(tmp_path)
    seats.end_bundle(seat.player.bundle)
    for end in (False, True):
        seats.close(seat, end=end)
    await seats.end_all()
    sandbox.stop.assert_called_once_with()
    assert (seat.state, seats.warm) == (SeatState.ENDED, 0)
    with pytest.raises(ValueError, match="A seat that is ended does not become taken"):
        seat.move(SeatState.TAKEN)


async def test_sandbox_that_does_not_start_frees_its_place_also_if_nobody_waits() -> None:
    launches, may_fail = Event(), Event()

    def launch() -> Any:
        launches.set()
        may_fail.wait()
        raise OSError(28, "No space left on device")

    seats = Seats(Processors(spare(1)), 1, 60.0, 60.0)
    opening = asyncio.create_task(seats.open(HostedPlayer(b"1", "bot", "1"), launch, 10.0))
    await asyncio.to_thread(launches.wait)
    opening.cancel()
    await asyncio.sleep(0)
    may_fail.set()
    await asyncio.wait({opening})
    assert opening.cancelled()
    assert (len(seats), seats.processors.thinking) == (0, 0)


async def test_sandbox_that_is_being_started_ends_with_all_others(tmp_path: Path) -> None:
    launches, may_start = Event(), Event()
    sandbox = Mock(Starts(tmp_path / "bot"))

    def launch() -> Any:
        launches.set()
        may_start.wait()
        return sandbox

    seats = Seats(Processors(spare(1)), 1, 60.0, 60.0)
    opening = seats.opening(b"1", seats.open(HostedPlayer(b"1", "bot", "1"), launch, 10.0))
    await asyncio.to_thread(launches.wait)
    ending = asyncio.create_task(seats.end_all())
    await asyncio.sleep(0)
    opening.cancel()  # whoever asked for it is gone, too
    asyncio.get_running_loop().call_later(0.01, may_start.set)
    await ending
    assert opening.cancelled()
    sandbox.stop.assert_called_once_with()


async def slowly_opened(
    host: RemoteHost, seconds: float, then: str = "pass"
) -> tuple[bytes, asyncio.Task[str]]:
    """Begin to open a seat for a bot that does something late; return its bundle's hash, too."""
    data = bundle(rest=f"time.sleep({seconds}); {then}")
    sha256 = hashlib.sha256(data).digest()
    await host.store(sha256, [data])

    async def opened() -> str:
        return (await host.open(sha256, "slow", "1", start_up=seconds + 60.0)).seat

    task = asyncio.create_task(opened())
    await until_sandboxes(host, 1)
    await asyncio.sleep(1)
    return sha256, task


async def test_bundle_stays_in_a_full_cache_while_its_bot_starts(folder: Path) -> None:
    async with served(folder, SANTIAGO_HOST_CACHE_MB="1") as host:
        _, opening = await slowly_opened(host, 2, "print(os.stat('/bot/santiago.toml'))")
        large = os.urandom(1 << 20)
        await host.store(hashlib.sha256(large).digest(), [large])
        await host.forget(hashlib.sha256(large).digest())  # which ends no other bot
        await host.close_seat(await opening, end=True)


@pytest.mark.parametrize(("from_outside", "why"), [(True, HostRefuses), (False, DidNotStart)])
async def test_a_sandbox_that_something_outside_kills_as_it_starts_is_not_the_bots_doing(
    why: type[Exception], *, from_outside: bool
) -> None:
    killed = Mock(exit_code=137, over=None, killed_from_outside=from_outside)
    killed.socket_path.return_value = None
    killed.output.return_value = ProgramOutput(b"", b"")
    with pytest.raises(why):
        await listens(killed, 60.0, lambda: 0.0)
    killed.stop.assert_called_once_with()


def test_limit_that_a_bot_went_over_while_it_started_is_named() -> None:
    limit = "It used more than its 512 MB of memory."
    assert _why_not(limit, 137, 3.0) == f"The bot did not start: {limit}"


def test_a_bot_that_does_not_listen_is_told_how_long_it_had() -> None:
    assert _why_not(None, None, 3.0).endswith("within its start-up time of 3 s.")


def test_last_words_of_a_bot_that_did_not_start_add_no_second_full_stop() -> None:
    printed = b"Traceback\nmodule 'bot' has no attribute 'NoSuch'.\n"
    said = str(DidNotStart(_why_not(None, 1, 3.0), errors=printed))
    assert said.endswith("before it listened (module 'bot' has no attribute 'NoSuch').")


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        (
            'bot cannot be imported:\n  File "/bot/bot.py", line 4, in <module>\n    load()\n'
            '  File "/bot/lib/tables.py", line 12, in load\n    raise OSError("no table")\n'
            "OSError: no table\n",
            "OSError: no table (tables.py, line 12)",
        ),
        (
            '  File "/bot/bot.py", line 1\n    def x(:\n          ^\nSyntaxError: bad\n',
            "SyntaxError: bad (bot.py, line 1)",
        ),
        (
            '  File "/bot/bot.py", line 4, in <module>\n    json.load(file)\n'
            '  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n'
            "    raise error\nJSONDecodeError: empty\n",
            "JSONDecodeError: empty (bot.py, line 4)",
        ),
        (
            '  File "/usr/lib/python3/dist-packages/rum.py", line 7, in sell\nOSError: dull\n',
            "OSError: dull (rum.py, line 7)",
        ),
        ('  File "/bot/r\x1bum.py", line 2\nOSError: dull\n', "OSError: dull (rum.py, line 2)"),
        ('  File "/bot/bot.py", line 9, in f\nOSError: dull\nI go on.\nI end.\n', "I end"),
    ],
)
def test_last_words_of_python_have_their_place(printed: str, said: str) -> None:
    ended = str(DidNotStart(_why_not(None, 1, 3.0), errors=printed.encode()))
    assert ended == f"{_why_not(None, 1, 3.0).removesuffix('.')} ({said})."


def test_a_bot_that_ends_without_serving_is_told_what_to_do() -> None:
    said = _why_not(None, 0, 3.0)
    assert "before it listened. It has to wait for games: in Python and JavaScript, call" in said
    assert said.endswith("or the runtime `lines` in its package.")
    assert _why_not(None, 1, 3.0).endswith("before it listened.")


async def test_bot_that_is_banned_while_it_starts_ends_at_once(folder: Path) -> None:
    async with served(folder) as host:
        sha256, opening = await slowly_opened(host, 10_000)
        await host.forget(sha256)
        with pytest.raises(Missing):
            await opening
        await until_sandboxes(host, 0)
