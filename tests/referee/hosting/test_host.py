"""A host runs bots in its sandboxes: one processor each, for as long as they are asked."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from time import monotonic

import pytest

from referee import replay as replays
from referee.clock import Clock
from referee.conformance.check import Candidate, CheckState, StreamEnded, Why, open_stream
from referee.conformance.suite import checks, examine
from referee.errors import Interrupted, InvalidBot, Unreachable
from referee.faults import FaultCode
from referee.hosting import hosted_seat
from referee.hosting.client import HostRefuses, Missing, RemoteHost
from referee.hosting.processors import spare
from referee.seats.description import describe, stated_version
from referee.ways import Ways
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
from tests.referee.patience import judged_again

GOOD = bundle(choose='print("asked", self.asked)')
CUT = """
import socket

def cut():
    for number in range(3, 99):
        try:
            with socket.socket(fileno=os.dup(number)) as one:
                one.getpeername()
                one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

ONCE = [cut]
"""
"""Ends all connections of a bot's process, once; it goes on to listen."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a host whose umask closes what it makes to others, as hardened machines do."""
    closed = "import os; os.umask(0o077)"
    with reachable() as folder, running(folder, before=closed) as (address, _):
        yield address


async def test_game_of_hosted_bots(address: str) -> None:
    async with calling(address) as host:
        seats = [await seat(host, GOOD, f"bot {number}") for number in range(2)]
        began = monotonic()
        replay = await played(seats)
        lasted = monotonic() - began
        replays.verify(replay)
        assert faults(replay) == []
        chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
        assert sum(choice.cpu_us for choice in chosen) > 0
        assert all(choice.think_us for choice in chosen)
        assert sum(choice.think_us for choice in chosen) < 1e6 * lasted
        for closed in (each.closed for each in seats):
            assert closed is not None
            assert closed.output.startswith(b"asked 1\nasked 2\n")
            assert closed.cpu_us > 0
            assert closed.peak_memory > 1 << 20
        assert (await host.status()).thinking == 0


def test_all_of_a_host_keeps_off_the_processors_of_bots() -> None:
    """Also the thread that starts sandboxes, whose builds would else take time from who thinks."""
    own = os.sched_getaffinity(0)
    others = own - set(spare(max(1, len(own) - 1)))
    with reachable() as folder, running(folder) as (_, process):
        threads = [int(name) for name in os.listdir(f"/proc/{process.pid}/task")]  # noqa: PTH208
        allowed = [os.sched_getaffinity(thread) for thread in threads]
    assert len(allowed) > 1
    assert allowed == [others or own] * len(allowed)


async def test_sandbox_is_warm_for_the_same_version_only(address: str) -> None:
    counts = bundle(choose="print(os.environ.setdefault('TIMES', str(time.time())))")

    async def memory(version: str) -> str:
        own = await seat(host, counts, "counts", version)
        await played([own, await seat(host, GOOD, "good")])
        assert own.closed is not None
        return own.closed.output.decode().split()[0]

    async with calling(address) as host:
        first = await memory("1")
        assert await memory("1") == first
        assert await memory("2") != first
        assert await memory("1") != first  # it ended when version 2 came


async def test_limit_is_a_fault_and_the_others_play_on(address: str) -> None:
    greedy = bundle(choose="self.more = [bytearray(1 << 20) for _ in range(2000)]")
    async with calling(address) as host:
        seats = [await seat(host, greedy, "greedy")]
        seats += [await seat(host, GOOD, f"good {number}") for number in range(2)]
        replay = await played(seats)
        ((at, code, sentence),) = faults(replay)
        assert (at, code) == (0, FaultCode.LIMIT)
        assert "memory" in sentence
        assert replay.result.ranks[0] == 3
        assert len(replay.result.scores) == 3  # it went on to its end


async def test_bot_that_is_banned_faults_and_the_others_play_on(address: str) -> None:
    bad, begun = bundle(choose="time.sleep(99)"), asyncio.Event()
    async with calling(address) as host:
        seats = [await seat(host, bad, "bad")]
        seats += [await seat(host, GOOD, f"good {number}") for number in range(2)]
        game = asyncio.create_task(played(seats, watch=lambda _: begun.set()))
        await begun.wait()
        await host.forget(hashlib.sha256(bad).digest())
        replay = await game
        ((at, code, sentence),) = faults(replay)
        assert (at, code) == (0, FaultCode.BANNED)
        assert "The operator has banned" in sentence
        assert len(replay.result.scores) == 3


async def test_bot_that_loses_its_line_once_goes_on_within_its_time(address: str) -> None:
    cuts = bundle(choose="self.asked == 2 and ONCE and ONCE.pop()()", rest=CUT)
    async with calling(address) as host:
        replay = await played([await seat(host, cuts, "cuts"), await seat(host, GOOD, "good")])
    assert faults(replay) == []


async def test_bot_that_ends_has_closed_its_game(address: str) -> None:
    ends = bundle(choose="print('enough', file=sys.stderr, flush=True) or os._exit(3)")
    async with calling(address) as host:
        seats = [await seat(host, ends, "ends"), await seat(host, GOOD, "good")]
        ((_, code, sentence),) = faults(await played(seats))
        assert (code, "exit code 3" in sentence) == (FaultCode.CLOSED, True)
        assert seats[0].closed is not None
        assert seats[0].closed.output == b""
        assert seats[0].closed.errors.endswith(b"\nenough\n")


async def test_host_has_nothing_left_to_do_for_a_bot_that_breaks_off() -> None:
    """Python says so of a coroutine that nobody awaits."""
    breaks, often = bundle(choose="raise ValueError"), "import gc; gc.set_threshold(10)"
    with reachable() as folder, running(folder, before=often) as (address, process):
        async with calling(address) as host:
            seats = [await seat(host, breaks, "breaks"), await seat(host, GOOD, "good")]
            assert [code for _, code, _ in faults(await played(seats))] == [FaultCode.CLOSED]
        process.terminate()
        assert process.stderr.read() == ""


@judged_again
async def test_bot_that_thinks_too_long_is_late_and_the_others_play_on(address: str) -> None:
    """They need its processor, if the machine has no other one to spare."""
    slow = bundle(choose="time.sleep(999)")
    clock = Clock(move_limit=5.0, bank=600.0, start_up=60.0)
    async with calling(address) as host:
        seats = [await seat(host, slow, "slow")]
        seats += [await seat(host, GOOD, f"good {number}") for number in range(2)]
        replay = await played(seats, clock)
        ((at, code, _),) = faults(replay)
        assert (at, code) == (0, FaultCode.TIMEOUT)
        assert len(replay.result.scores) == 3


async def test_host_that_stood_still_judges_no_bot(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_seat, "_PROMPT", 0.0)
    slow, clock = bundle(choose="time.sleep(99)"), Clock(move_limit=1.0, bank=1.0, start_up=60.0)
    async with calling(address) as host:
        seats = [await seat(host, slow, "slow"), await seat(host, GOOD, "good")]
        said = "stood still in the time of a bot|The referee lagged"  # as it may, too
        with pytest.raises(Interrupted, match=said):
            await played(seats, clock)


@pytest.mark.parametrize(
    ("rest", "why"),
    [("raise SystemExit('no such file')", "no such file"), ("time.sleep(999)", "did not listen")],
)
async def test_bot_that_does_not_start_is_its_own_fault(address: str, rest: str, why: str) -> None:
    clock = Clock(start_up=5.0 if "sleep" in rest else 60.0)
    async with calling(address) as host:
        seats = [await seat(host, bundle(rest=rest), "dead"), await seat(host, GOOD, "good")]
        with pytest.raises(Unreachable, match=why) as raised:
            await played(seats, clock)
        assert (raised.value.seat, raised.value.answered) == (0, True)


async def test_bot_is_frozen_between_its_decisions(address: str) -> None:
    busy = "threading.Thread(target=lambda: all(True for _ in iter(int, 1)), daemon=True).start()"
    async with calling(address) as host:
        own = await seat(host, bundle(rest=busy), "busy")
        replay = await played([own, await seat(host, GOOD, "good")])
        chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
        thought = sum(choice.cpu_us for choice in chosen if choice.seat == 0)
        assert own.closed is not None
        # The rest is what it used while it accepted the game, and after its end.
        assert thought > own.closed.cpu_us / 2


async def opened(host: RemoteHost, data: bytes, bot: str) -> str:
    """Store a bundle and open a seat for it; return the seat's name."""
    sha256 = hashlib.sha256(data).digest()
    await host.store(sha256, [data])
    return (await host.open(sha256, bot, "1", start_up=60.0)).seat


async def test_conformance_suite_runs_against_a_seat(address: str) -> None:
    async with calling(address) as host:
        good = await opened(host, GOOD, "good")
        ways = host.ways(Ways.from_environment())
        results = await examine(Candidate(f"hosted:{good}", ways=ways))
        assert [result for result in results if result.state is CheckState.FAILED] == []
        await host.close_seat(good, end=True)


@pytest.mark.parametrize(
    ("choose", "code", "why"),
    [
        (
            "[bytearray(1 << 20) for _ in range(2000)]",
            Why.LIMIT,
            "It used more than its 512 MB of memory.",
        ),
        ("os._exit(3)", Why.CLOSED, "(UNKNOWN: The bot's program has ended with exit code 3.)"),
    ],
)
async def test_conformance_suite_says_what_ended_the_sandbox(
    address: str, choose: str, code: Why, why: str
) -> None:
    async with calling(address) as host:
        ended = await opened(host, bundle(choose=choose), "ends")
        ways, clock = host.ways(Ways.from_environment()), Clock(move_limit=300, bank=300)
        candidate = Candidate(f"hosted:{ended}", clock, ways=ways)
        results = await examine(candidate, checks()[:10])
        failed = {one.explanation: one.why for one in results if one.state is CheckState.FAILED}
        assert list(failed.values()) == [code, code], failed
        assert all(why in sentence for sentence in failed), failed
        with pytest.raises(InvalidBot, match="What listens at its host does not answer as a bot"):
            await asyncio.to_thread(describe, candidate.address, ways=ways)

        # Who calls again is refused once it has been read: not while gRPC's client still writes.
        again = await open_stream(candidate, "0")
        assert await again.receive(0.2) is None
        await again.send(b"", 10.0)
        with pytest.raises(StreamEnded, match=re.escape(why)) as ending:
            await again.receive(10.0)
        assert ending.value.why is code
        await again.hang_up()
        await host.close_seat(ended, end=True)


async def test_bot_that_breaks_its_lines_fails_and_is_told_so(address: str) -> None:
    cuts = bundle(choose="cut()", rest=CUT)
    async with calling(address) as host:
        cut = await opened(host, cuts, "breaks")
        ways, clock = host.ways(Ways.from_environment()), Clock(move_limit=300, bank=300)
        results = await examine(Candidate(f"hosted:{cut}", clock, ways=ways), checks()[:10])
        failed = [one.why for one in results if one.state is CheckState.FAILED]
        assert failed == [Why.CLOSED, Why.CLOSED]
        await host.close_seat(cut, end=True)


SAYS_NOTHING = """
from referee.wire import bot_pb2

bot_pb2.DescribeResponse = lambda **_: time.sleep(999)
"""


@pytest.mark.parametrize("name", ["describe", "in-time"])
async def test_line_to_the_host_that_breaks_is_no_result_of_the_bot(name: str) -> None:
    waits = bundle(choose="time.sleep(999)", rest=SAYS_NOTHING)
    with reachable() as folder, running(folder) as (address, process):
        async with calling(address) as host:
            slow = await opened(host, waits, "slow")
            ways = host.ways(Ways.from_environment())
            (check,) = (one for one in checks() if one.name == name)
            examined = asyncio.create_task(examine(Candidate(f"hosted:{slow}", ways=ways), [check]))
            while not (examined.done() or (await host.status()).thinking):
                await asyncio.sleep(0.05)
            process.kill()
            with pytest.raises(Interrupted, match="The line to the host broke"):
                await examined


LATE_END = """
import grpc

def described(answer, **options):
    def play(request, context):
        yield answer(request, context)
        time.sleep(0.05)
    return grpc.unary_stream_rpc_method_handler(play, **options)

grpc.unary_unary_rpc_method_handler = described
"""
"""A bot that ends a call a moment after its answer, as Node's gRPC does."""


async def test_bot_that_describes_itself_may_take_a_moment_to_end_the_call(address: str) -> None:
    async with calling(address) as host:
        late = await opened(host, bundle(rest=LATE_END), "late")
        said = await stated_version(f"hosted:{late}", host.ways(Ways.from_environment()))
        assert said == "1"
        await host.close_seat(late, end=True)


async def test_bundle_that_is_not_there(address: str) -> None:
    async with calling(address) as host:
        with pytest.raises(Missing):
            await host.open(b"\1" * 32, "bot", "1", start_up=1.0)


async def test_cache_counts_bundles_packed_and_unpacked(address: str) -> None:
    data = bundle(choose='print("the only bundle that says this")')
    sha256 = hashlib.sha256(data).digest()
    async with calling(address) as host:
        sizes = [(await host.status()).cache_bytes]
        await host.store(sha256, [data])
        sizes.append((await host.status()).cache_bytes)
        await host.open(sha256, "counted", "1", start_up=60.0)
        sizes.append((await host.status()).cache_bytes)
    assert sizes[1] == sizes[0] + len(data)
    assert sizes[2] > sizes[1]


async def test_bundle_that_is_lost_while_it_is_sent(address: str) -> None:
    """The worker learns why, and can send it once more."""
    data = bundle(choose='print("this bundle is lost once")')
    sha256 = hashlib.sha256(data).digest()

    async def lost() -> AsyncIterator[bytes]:
        yield data[:1]
        raise LookupError("the database does not answer")

    async with calling(address) as host:
        with pytest.raises(LookupError, match="the database does not answer"):
            await host.store(sha256, lost())
        await host.store(sha256, [data])
        await host.open(sha256, "lost-once", "1", start_up=60.0)


async def test_drained_host_takes_nothing_and_then_takes_it_again(address: str) -> None:
    async with calling(address) as host:
        await host.drain(True)
        with pytest.raises(HostRefuses, match="drained"):
            await host.open(hashlib.sha256(GOOD).digest(), "good", "1", start_up=60.0)
        await until_sandboxes(host, 0)
        await host.drain(False)
        assert not (await host.status()).draining


DISK = """
import os, tempfile
from pathlib import Path
from types import SimpleNamespace
from referee.hosting import cache, host

def unless_full(make):
    def made(**options):
        if Path(os.environ["FULL"]).exists():
            raise OSError(28, os.strerror(28))
        return make(**options)
    return made

host.tempfile = SimpleNamespace(TemporaryDirectory=unless_full(tempfile.TemporaryDirectory))
cache.tempfile = SimpleNamespace(NamedTemporaryFile=unless_full(tempfile.NamedTemporaryFile))
"""
"""A disk that is full as long as there is a file, which the variable FULL names."""


async def test_full_disk_refuses_work_and_blames_nobody() -> None:
    with reachable() as folder:
        full = folder / "full"
        with running(folder, settings={"FULL": str(full)}, before=DISK) as (address, _):
            async with calling(address) as host:
                sha256 = hashlib.sha256(GOOD).digest()
                await host.store(sha256, [GOOD])
                full.touch()
                with pytest.raises(HostRefuses, match="No space left"):
                    await anext(host.build(sha256, 60.0))
                assert (await host.status()).cache_bytes == 0  # it makes room
                for _ in range(5):  # it refuses while much is still to be sent
                    with pytest.raises(HostRefuses, match="No space left"):
                        await host.store(b"\1" * 32, [bytes(1 << 18)] * 80)
                assert "No space left" in (await host.status()).missing
                full.unlink()
                await host.store(sha256, [GOOD])
                assert not (await host.status()).missing


NO_SANDBOXES = """
import os
from pathlib import Path
from referee.hosting import bubblewrap
real = bubblewrap.program

def program(name, package):
    broken = name == "bwrap" and Path(os.environ["BROKEN"]).exists()
    return "/bin/false" if broken else real(name, package)

bubblewrap.program = program
"""
"""No sandbox starts as long as there is a file, which the variable BROKEN names."""


async def test_host_says_that_its_sandboxes_start_no_more_until_they_do() -> None:
    with reachable() as folder:
        broken = folder / "broken"
        with running(folder, settings={"BROKEN": str(broken)}, before=NO_SANDBOXES) as (address, _):
            async with calling(address) as host:
                await opened(host, GOOD, "one")
                broken.touch()
                with pytest.raises(HostRefuses, match="starts no sandbox"):
                    await opened(host, GOOD, "two")
                assert "starts no sandbox" in (await host.status()).missing
                broken.unlink()
                await opened(host, GOOD, "three")
                assert not (await host.status()).missing
