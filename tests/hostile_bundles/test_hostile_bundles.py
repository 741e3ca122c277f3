"""Bundles that misbehave in a real sandbox: each is contained, the others' match is right."""

import errno
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from referee.clock import Clock
from referee.errors import Interrupted
from referee.hosting.usage import SandboxLimits
from tests.conftest import missing
from tests.hostile_bots.family import FAMILY, NO_FAULT
from tests.hostile_bots.trial import INTERRUPTED, Record, played
from tests.hostile_bundles.census import Census, count
from tests.hostile_bundles.house import SECRET, House, Report, in_force
from tests.referee.games import PATIENT, DrawingBot, match_of, served
from tests.referee.hosting.hosts import share_parts
from tests.referee.patience import judged_again

HASTY = Clock(move_limit=4.0, bank=60.0, increment=0.0, start_up=30.0)
SMALL = SandboxLimits(memory=128 << 20, threads=48, files=16 << 20, output=4096)
FIRST_UID = 400_000


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A host's folder, for both houses."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as path:
        Path(path).chmod(0o777)
        share_parts(Path(path))
        yield Path(path)


@pytest.fixture(scope="module", params=["root", "operator"])
def house(request: pytest.FixtureRequest, folder: Path) -> Iterator[House]:
    """The process of a host that root started, or somebody else."""
    if os.geteuid() != 0:
        missing("a test run by root")
    first = FIRST_UID + os.getpid() % 10_000 * 10
    house = House(folder, request.param == "operator", range(first, first + 8))
    try:
        if house.do(in_force).missing:
            missing("bubblewrap")
        yield house
    finally:
        house.close()


@pytest.fixture(scope="module")
def warm(house: House) -> House:
    """The house, once its first sandbox has left all that stays."""
    with house.bundle("kernel", "never", {}) as bundle, house.seat(bundle):
        pass
    return house


@pytest.fixture
def before(warm: House) -> Census:
    return count(warm)


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    """The address of a good bot."""
    with (
        tempfile.TemporaryDirectory(prefix="santiago-") as folder,
        served(DrawingBot, f"unix:{folder}/good") as address,
    ):
        yield address


@pytest.fixture(scope="module")
def targets(warm: House) -> Iterator[dict[str, Any]]:
    """What bundles attack: all of it is really there, and anybody on this machine may have it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="santiago-")))
        folder.chmod(0o755)
        (folder / "key.pem").write_text(SECRET)
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(port.getsockname())
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0santiago-test-{os.getpid()}")
        abstract.listen()
        plain = stack.enter_context(socket.socket(socket.AF_UNIX))
        plain.bind(f"{folder}/referee.sock")
        plain.listen()
        yield {
            "ports": [port.getsockname()[1], 6379, 5432],
            "abstract": [f"santiago-test-{os.getpid()}"],
            "paths": [f"{folder}/key.pem", f"{folder}/referee.sock", str(warm.folder)],
            "sockets": [f"{folder}/referee.sock", "/run/santiago/bot.sock"],
            "processes": [os.getpid(), warm.pid],
            "secret": SECRET,
        }
        for listener in (port, abstract, plain):  # nobody has called
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()
        datagrams.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(1)


async def at_a_table(
    house: House,
    good: str,
    bundle: Path,
    limits: SandboxLimits | None = None,
    clock: Clock = PATIENT,
    goes_over: bool = False,
) -> tuple[Record, Report]:
    """Play a match of a bundle and two good bots; whatever it does, theirs has to be right."""
    with house.seat(bundle, limits) as seat:
        record = await played(match_of([good, good, seat.address], clock), None)
        if goes_over:  # the game may have been quicker
            seat.do("over", until=bool)
        report = seat.stop()
    assert not record.wrong, (record, report)
    return record, report


async def test_nothing_can_be_reached_from_a_table(
    warm: House, good: str, targets: dict[str, Any], before: Census
) -> None:
    with warm.bundle("probes", "play", targets) as bundle:
        record, report = await at_a_table(warm, good, bundle)
    assert (report.deeds, report.tried_all) == ([], True), report.output.stderr
    assert record.outcome == NO_FAULT
    assert count(warm) == before


def test_nothing_can_be_reached_from_a_build(
    warm: House, targets: dict[str, Any], before: Census
) -> None:
    log, built = warm.built("probes", targets)
    assert [line for line in log if line.startswith("DEED")] == []
    assert "OVER" in log
    assert built
    assert count(warm) == before


BOMBS = {
    "forks": "It started more than its 48 threads.",
    "threads": "It started more than its 48 threads.",
    "memory": "It used more than its 128 MB of memory.",
    "hidden_memory": "It used more than its 128 MB of memory.",
    "files": "It filled its 16 MB of files.",
    "output": None,
    "survivor": None,
    "burners": None,
}
"""Bombs, and what is said of the limit that they go over."""


@pytest.mark.parametrize("bomb", BOMBS)
async def test_bomb_at_a_table_is_contained(
    bomb: str, warm: House, good: str, before: Census
) -> None:
    clock = PATIENT if BOMBS[bomb] else HASTY  # a busy machine may be slow to find out
    with warm.bundle("bombs", "play", {"bomb": bomb}) as bundle:
        _, report = await at_a_table(warm, good, bundle, SMALL, clock, bool(BOMBS[bomb]))
    assert report.over == BOMBS[bomb]
    if "memory" in warm.do(in_force).groups:  # a watcher only ends it at its next look
        assert report.peak_memory < 2 * SMALL.memory
    assert len(report.output.stdout) < 2 * SMALL.output
    assert count(warm) == before


@pytest.mark.parametrize("bomb", BOMBS)
def test_bomb_at_the_start_is_contained(bomb: str, warm: House, before: Census) -> None:
    with warm.bundle("bombs", "start", {"bomb": bomb}) as bundle, warm.seat(bundle, SMALL) as seat:
        if BOMBS[bomb]:
            assert seat.do("over", until=lambda over: over) == BOMBS[bomb]
        elif bomb == "survivor":
            assert seat.do("exit_code", until=lambda code: code is not None) == 7
        elif bomb == "output":
            assert (
                "bytes left out" in seat.do("output", until=lambda o: "left out" in o.stdout).stdout
            )
        else:
            assert seat.address
    assert count(warm) == before


@pytest.mark.parametrize("bomb", ["forks", "memory", "files", "survivor", "output"])
def test_bomb_in_a_build_is_contained(bomb: str, warm: House, before: Census) -> None:
    seconds = 300 if BOMBS[bomb] else 3
    small = {"memory_mb": 128, "threads": 48, "files_mb": 16, "output_kb": 4}
    log, built = warm.built("bombs", {"bomb": bomb}, **small, build_seconds=seconds)
    assert not built
    assert log[-1] == BOMBS[bomb] or bomb in ("survivor", "output")
    assert count(warm) == before


@pytest.mark.parametrize("attacker", ["garbage", "oversize", "drops_the_line", "flood"])
@judged_again
async def test_server_that_attacks_its_client(
    attacker: str, warm: House, good: str, before: Census
) -> None:
    with warm.bundle("attacker", "start", {"attacker": attacker}) as bundle:
        record, _ = await at_a_table(warm, good, bundle, clock=FAMILY[attacker].clock)
    if record.outcome == INTERRUPTED:
        raise Interrupted(record.sentence)
    assert record.outcome in FAMILY[attacker].outcomes
    assert count(warm) == before


def test_socket_never_leads_elsewhere(warm: House, targets: dict[str, Any], before: Census) -> None:
    """The bot races: `targets` finds out at its end if anybody was called but the bot."""
    with warm.bundle("links", "start", targets) as bundle, warm.seat(bundle) as seat:
        reached = 0
        for tries in range(50_000):  # on a busy machine the bot may be quicker for long
            if tries >= 500 and reached:
                break
            if path := seat.do("socket_path"):
                reached += _connects(path)
    assert reached > 0
    assert count(warm) == before


def _connects(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(5)
        return caller.connect_ex(path) in (0, errno.EAGAIN)


def test_frozen_bot_computes_nothing_however_it_tries(warm: House, before: Census) -> None:
    with warm.bundle("bombs", "start", {"bomb": "burners"}) as bundle, warm.seat(bundle) as seat:
        assert seat.address
        seat.do("freeze")
        frozen = seat.do("cpu_seconds")
        # What would be enough to compute a lot in: this process waits for nothing.
        assert sum(number * number for number in range(3_000_000))
        assert seat.do("cpu_seconds") - frozen < 0.01  # what the kernel itself had to do
        seat.do("thaw")
        seat.do("cpu_seconds", until=lambda used: used > frozen)
    assert count(warm) == before


def test_bot_that_computes_on_in_the_kernel_is_ended(warm: House, before: Census) -> None:
    with warm.bundle("bombs", "start", {"bomb": "readers"}) as bundle, warm.seat(bundle) as seat:
        assert seat.address
        # A pause may find none in a long call: then there is another one.
        while seat.do("exit_code") is None:
            seat.do("thaw")
            sleep(0.5)
            seat.do("freeze")
            sleep(1)
        report = seat.stop()
    assert report.over == "It computed for more than 0.2 s while it was stopped."
    assert count(warm) == before


def test_pinned_bot_stays_where_it_is(warm: House) -> None:
    processor = min(os.sched_getaffinity(0))
    with warm.bundle("bombs", "start", {"bomb": "burners"}) as bundle, warm.seat(bundle) as seat:
        assert seat.address
        seat.do("freeze")
        seat.do("pin", processor)
        seat.do("thaw")
        others = count(warm).processes - {warm.pid}
        inside = [process for process in others if "python" in _name(process)]
        assert len(inside) >= 8
        assert {frozenset(os.sched_getaffinity(pid)) for pid in inside} == {frozenset([processor])}


def _name(process: int) -> str:
    return Path(f"/proc/{process}/comm").read_text()


def test_one_bot_sees_nothing_of_another(
    warm: House, targets: dict[str, Any], before: Census
) -> None:
    with warm.bundle("kernel", "never", {}) as first, warm.seat(first) as other:
        pid = other.do("_processes").first
        seen = {
            **targets,
            "paths": [f"/proc/{pid}/root/bot/plan.json", str(first), f"{first}/bot/plan.json"],
            "processes": list(count(warm).processes),
        }
        with warm.bundle("probes", "start", seen) as bundle, warm.seat(bundle) as seat:
            assert seat.address
            report = seat.stop()
        assert (report.deeds, report.tried_all) == ([], True)
        assert other.do("exit_code") is None
    assert count(warm) == before
