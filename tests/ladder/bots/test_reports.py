"""Whom a check dials, how often, and what a match keeps for the author."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import sleep
from typing import NoReturn, Self, cast

import pytest
from sqlalchemy.orm import Session, sessionmaker

from ladder import seating
from ladder.bots import reports
from ladder.bots.hosts import Hosts, NoHost
from ladder.bots.reports import CheckClaim, Report, ReportLine, run_check
from ladder.config import ALLOW_PRIVATE
from ladder.jobs.kinds import Attempt
from ladder.matches.job import MatchClaim
from ladder.playing import referee
from ladder.seating import NotPlayed, TableHost
from ladder.secrets import SecretBox
from referee.bot import Bot, Decision
from referee.conformance.check import Candidate, CheckResult, CheckState, Why
from referee.errors import Interrupted, NoGateway, OtherVersion, Unreachable
from referee.hosting.client import DidNotStart, HostLost, RemoteHost
from referee.rules import Move
from referee.ways import GATEWAY, GATEWAY_KEY, Ways
from referee.wire.host_pb2 import CloseResponse, Opened
from tests.ladder.bots.authors import SECRET
from tests.ladder.cli.test_gateway import free_address
from tests.ladder.league import NO_HOSTS, claimed, first_match
from tests.referee.games import served
from tests.referee.gateway.wires import KEY, gateway, guest, until
from tests.referee.hosting.hosts import bundle, calling, reachable, running
from tests.referee.test_routes import listener

Told = Callable[[CheckResult], None]


class First(Bot):
    """Plays the first move that there is."""

    name = "first"
    version = "3"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


class Boom(First):
    """Fails at its tenth decision."""

    def __init__(self) -> None:
        self._left = 10

    def choose(self, decision: Decision) -> Move:
        self._left -= 1
        return decision.moves[0] if self._left else -1


def started(bot: type[Bot], secret: str = SECRET) -> AbstractContextManager[str]:
    return served(bot, free_address(), secret=secret)


LATEST = datetime.max.replace(tzinfo=UTC)
HELD = Attempt("check", 1, 1, "token", alone=False, latest=LATEST, worker="w")


def check_of(address: str, version: str = "3", secret: str = SECRET) -> CheckClaim:
    sealed = SecretBox.from_environment().seal(secret)
    return CheckClaim(HELD, version, address, sealed)


def failed(report: Report) -> list[tuple[str, str | None]]:
    return [(line.name, line.code) for line in report.checks if line.state == "failed"]


@pytest.fixture
def private(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOW_PRIVATE, "1")


@pytest.mark.usefixtures("private")
async def test_a_good_bot() -> None:
    with started(First) as address:
        report = await run_check(check_of(address), hosts=NO_HOSTS, pause=0.05)
    assert report.passed
    assert failed(report) == []
    assert Report.of_json(report.as_json()) == report


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize(
    ("version", "secret", "code", "advice"),
    [
        ("4", SECRET, "other-version", "Submit it as version 3, or start the one that says 4."),
        ("3", "another secret of mine", "not-proven", "it has another secret."),
    ],
)
async def test_another_version_or_another_secret(
    version: str, secret: str, code: str, advice: str
) -> None:
    with started(First) as address:
        report = await run_check(check_of(address, version, secret), hosts=NO_HOSTS)
    assert failed(report) == [("first-call", code)]
    assert not report.passed
    assert {line.state for line in report.checks[1:]} == {"not tried"}
    assert report.reason.startswith("The check first-call failed: ")
    assert advice in report.reason


@pytest.mark.usefixtures("private")
async def test_who_does_not_answer_is_dialled_once() -> None:
    async with listener(silent=False) as (port, calls):
        report = await run_check(check_of(f"127.0.0.1:{port}"), hosts=NO_HOSTS)
        assert len(calls) == 1
    assert failed(report) == [("first-call", "line-lost")]
    assert f"At 127.0.0.1:{port}: is it running there" in report.reason


@pytest.mark.usefixtures("private")
async def test_nobody_listens() -> None:
    report = await run_check(check_of(free_address()), hosts=NO_HOSTS)
    assert failed(report) == [("first-call", "nobody-listens")]
    assert report.nobody_listens
    assert "Nobody listens there. Start the bot" in report.reason


@pytest.mark.parametrize("again", [True, False], ids=["restarted", "gone"])
async def test_a_bot_is_not_judged_by_a_gateway_that_ends(
    monkeypatch: pytest.MonkeyPatch, *, again: bool
) -> None:
    chosen: list[Move] = []

    class Noting(First):
        def choose(self, decision: Decision) -> Move:
            chosen.append(decision.moves[0])
            return chosen[-1]

    at = free_address()
    monkeypatch.setenv(GATEWAY, at)
    monkeypatch.setenv(GATEWAY_KEY, KEY)
    async with AsyncExitStack() as stack:
        bot = stack.enter_context(started(Noting, secret=""))
        first = await stack.enter_async_context(AsyncExitStack())
        await first.enter_async_context(gateway(at))
        await stack.enter_async_context(guest(bot, at))
        claim = replace(check_of("gateway:ana"), secret=None, slots=4)
        checked = asyncio.create_task(run_check(claim, hosts=NO_HOSTS, pause=0.05))
        await until(lambda: len(chosen) > 20)  # of some hundreds
        await first.aclose()
        if again:
            await stack.enter_async_context(gateway(at))
        with pytest.raises(Interrupted, match="gateway"):
            await checked


async def test_a_gateway_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(GATEWAY, free_address())
    monkeypatch.setenv(GATEWAY_KEY, KEY)
    with pytest.raises(NoGateway):
        await run_check(replace(check_of("gateway:ana"), secret=None, slots=4), hosts=NO_HOSTS)


async def test_a_private_address_is_not_dialled() -> None:
    async with listener(silent=False) as (port, calls):
        report = await run_check(check_of(f"localhost:{port}"), hosts=NO_HOSTS)
        assert calls == []
    assert failed(report) == [("address", "line-lost")]
    assert "is not a public internet address" in report.reason


@pytest.mark.usefixtures("private")
async def test_a_check_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "LONGEST", 0.3)
    async with listener(silent=True) as (port, _):
        report = await run_check(check_of(f"127.0.0.1:{port}"), hosts=NO_HOSTS)
    assert failed(report) == [("time", "timeout")]


@pytest.mark.usefixtures("private")
async def test_a_worker_that_stood_still_judges_no_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    async def late(_: object, __: object, watcher: Told) -> None:
        await asyncio.sleep(0.05)
        sleep(0.3)  # the loop stands still, as that of a process that is stopped
        watcher(CheckResult("in-time", "It answers.", CheckState.FAILED, Why.TIMEOUT))

    monkeypatch.setattr(reports, "examine", late)
    monkeypatch.setattr(reports, "_STANDSTILL", 0.2)
    with pytest.raises(Interrupted, match="the worker stood still for"):
        await run_check(check_of("127.0.0.1:1"), hosts=NO_HOSTS)


class StoodStill:
    """The hosts, and the only one, which says nothing while a bot is checked."""

    address = "iron:7070"

    @asynccontextmanager
    async def least_busy(self, _: set[str]) -> AsyncIterator[Self]:
        yield self

    async def bring_bundle(self, *_: object) -> None: ...

    async def open(self, *_: object, **__: object) -> Opened:
        return Opened(seat="a seat")

    def ways(self, ways: Ways) -> Ways:
        return ways

    async def waited(self, _: str) -> float:
        raise HostLost("ping timeout")

    async def close_seat(self, *_: object, **__: object) -> CloseResponse:
        return CloseResponse()


async def test_a_bot_is_not_judged_by_a_host_that_stood_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(_: object, __: object, watcher: Told, **_end: object) -> None:
        await asyncio.sleep(0.05)
        watcher(CheckResult("quiet", "It waits.", CheckState.FAILED, Why.TIMEOUT))

    monkeypatch.setattr(reports, "examine", broken)
    hosts = cast(Hosts, StoodStill())
    check = CheckClaim(HELD, "3", "", None, bundle="ab" * 32, runtime="python")
    with pytest.raises(Interrupted, match="the host iron:7070 stood still"):
        await run_check(check, hosts=hosts)


class Busy(StoodStill):
    """The hosts, and the only one, where a bot waited for its processor."""

    async def waited(self, seat: str) -> float:
        assert seat == "a seat"
        return 60.0


async def test_a_check_asks_the_host_how_long_a_bot_has_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def asks(candidate: Candidate, _: object, watcher: Told, **_end: object) -> None:
        assert candidate.waited is not None
        waited = await candidate.waited()
        watcher(CheckResult("waits", "It waits.", CheckState.PASSED, seconds=waited))

    monkeypatch.setattr(reports, "examine", asks)
    check = CheckClaim(HELD, "3", "", None, bundle="ab" * 32, runtime="python")
    report = await run_check(check, hosts=cast(Hosts, Busy()))
    assert report.checks[-1].seconds == 60.0


class Loud(Busy):
    """The hosts, and the only one, where a bot wrote more in its check than is kept."""

    async def close_seat(self, *_: object, **__: object) -> CloseResponse:
        return CloseResponse(output="".join(f"{n}\n" for n in range(1300)).encode(), errors=b"hm\n")


async def test_a_report_says_how_much_of_what_a_bot_wrote_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def passes(_: object, __: object, watcher: Told, **_end: object) -> None:
        watcher(CheckResult("waits", "It waits.", CheckState.PASSED))

    monkeypatch.setattr(reports, "examine", passes)
    check = CheckClaim(HELD, "3", "", None, bundle="ab" * 32, runtime="python")
    _, *wrote = (await run_check(check, hosts=cast(Hosts, Loud()))).wrote
    assert wrote[:2] == ["[... 1,100 lines left out ...]", "1100"]
    assert wrote[-2:] == ["1299", "hm"]


async def test_a_check_may_last_longer_by_what_a_bot_has_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lasts(_: object, __: object, watcher: Told, **_end: object) -> None:
        await asyncio.sleep(1.5)
        watcher(CheckResult("waits", "It waits.", CheckState.PASSED))

    monkeypatch.setattr(reports, "examine", lasts)
    monkeypatch.setattr(reports, "LONGEST", 1.0)
    check = CheckClaim(HELD, "3", "", None, bundle="ab" * 32, runtime="python")
    assert failed(await run_check(check, hosts=cast(Hosts, Busy()))) == []


async def test_without_hosts_a_hosted_bot_waits_for_its_check() -> None:
    check = CheckClaim(HELD, "3", "", None, bundle="ab" * 32, runtime="python")
    with pytest.raises(NoHost, match="no host takes hosted bots"):
        await run_check(check, hosts=NO_HOSTS)


def test_a_report_without_a_failure_gives_a_reason_too() -> None:
    line = ReportLine("tribute", "It pays.", "not tried", None, "No game got so far.", 0.0)
    assert Report(False, (line,)).reason == "Not all checks could be run."


# Matches.


def seated(session: Session, *addresses: str, version: str = "3") -> MatchClaim:
    """A claimed match whose players answer at these addresses."""
    claim = claimed(session, first_match(session))
    sealed = SecretBox.from_environment().seal(SECRET)
    players = tuple(
        replace(player, address=address, secret=sealed, version=version)
        for player, address in zip(claim.players, addresses, strict=True)
    )
    return replace(claim, players=players)


def ignore(*_: object) -> None:
    pass


@pytest.mark.usefixtures("private")
def test_times_and_faults_are_kept(session: Session) -> None:
    with started(First) as good, started(Boom) as bad:
        result = asyncio.run(referee(seated(session, good, bad), ignore, hosts=NO_HOSTS))
    fine, faulty = result.seats
    assert (fine.fault, fine.fault_sentence, fine.received) == (None, None, None)
    assert fine.decisions is not None
    assert fine.think_ms is not None
    assert fine.longest_ms is not None
    assert fine.think_ms >= fine.longest_ms >= 0
    assert faulty.fault is not None
    assert faulty.decisions == 9
    assert faulty.fault_sentence


class Failing(StoodStill):
    """The hosts, and the only one, where no bot starts."""

    async def open(self, *_: object, **__: object) -> NoReturn:
        raise DidNotStart("It did not start.", b"hm", b"no such file\n")


def test_what_a_bot_wrote_is_kept_of_a_match_that_was_not_played(session: Session) -> None:
    claim = seated(session, "hosted:1", "hosted:2")
    players = (replace(one, bundle="ab" * 32, runtime="python") for one in claim.players)
    claim = replace(claim, players=tuple(players))
    hosts = Failing()
    place = TableHost(cast(Hosts, hosts), cast(RemoteHost, hosts))
    not_called = seating._hosted(claim.players[0], "ab" * 32, place)
    assert seating.written([not_called, None]) == ()
    with pytest.raises(NotPlayed) as failed:
        asyncio.run(referee(claim, ignore, hosts=cast(Hosts, hosts)))
    assert isinstance(failed.value.why, Unreachable)
    assert [(one.seat, one.output, one.errors) for one in failed.value.written] == [
        (seat, b"hm", b"no such file\nIt did not start.") for seat in range(2)
    ]


@pytest.mark.usefixtures("private")
def test_the_version_is_read_at_each_match(session: Session) -> None:
    with started(First) as one, started(First) as other:
        claim = seated(session, one, other)
        claim = replace(claim, players=(claim.players[0], replace(claim.players[1], version="2")))
        with pytest.raises(OtherVersion) as raised:
            asyncio.run(referee(claim, ignore, hosts=NO_HOSTS))
    assert (raised.value.seat, raised.value.version) == (1, "3")


def test_a_private_address_is_out_of_reach(session: Session) -> None:
    with started(First) as one, pytest.raises(Unreachable, match="not a public internet address"):
        asyncio.run(referee(seated(session, one, one), ignore, hosts=NO_HOSTS))


@pytest.mark.parametrize("ends", ["os._exit(3)", "open('/tmp/full', 'wb').write(bytes(300 << 20))"])
async def test_no_check_is_tried_of_a_hosted_bot_whose_sandbox_has_ended(
    sessions: sessionmaker[Session], ends: str
) -> None:
    data = bundle(ends)
    sha256 = hashlib.sha256(data)
    claim = CheckClaim(
        HELD, "1", "hosted:1", secret=None, bundle=sha256.hexdigest(), runtime="python"
    )
    with reachable() as folder, running(folder) as (address, _):
        hosts = Hosts(sessions, [address])
        try:
            async with calling(address) as host:
                await host.store(sha256.digest(), [data])
            report = await run_check(claim, hosts=hosts, pause=0.05)
        finally:
            await hosts.close()
    (failure,) = report.failed
    after = report.checks[report.checks.index(failure) + 1 :]
    assert after
    assert {(one.state, one.told) for one in after[10:]} == {
        ("not tried", f"First mend {failure.name}.")
    }
