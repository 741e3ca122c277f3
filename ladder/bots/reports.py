"""A check of a version as a worker makes it: the conformance suite, and its report."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Final, Self

from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.bots.hosts import Hosts
from ladder.errors import Phrase
from ladder.jobs.kinds import Attempt
from referee.clock import Clock
from referee.conformance.check import Candidate, CheckResult, CheckState, Why, reason_of
from referee.conformance.games import NOT_MEANT
from referee.conformance.meeting import END_WITHIN
from referee.conformance.suite import checks, examine, first_call
from referee.errors import Interrupted
from referee.hosting.client import EXITED, DidNotStart, HostLost, RemoteHost
from referee.hosting.output import gap
from referee.hosting.settings import MB
from referee.seats.line import until_gateway_breaks
from referee.seats.streamed import standstill
from referee.ways import HOSTED_PREFIX, Ways, bot_behind_gateway
from referee.wire.host_pb2 import CloseResponse, Opened

LONGEST: Final = 1200.0
"""Seconds that a check may take at most, and as many more for which a hosted bot waited for
processors."""
PAUSE: Final = 2.0
"""Seconds for which the checks of patience let a bot wait."""
_ALLOWED: Final = Phrase("Its host may be dialled.")
_STARTS: Final = Phrase("It starts in its sandbox, and listens.")
_IN_TIME: Final = Phrase("All checks end in time.")
OWN: Final = frozenset((_ALLOWED, _STARTS, _IN_TIME))
"""The checks that are made here, beside the suite."""
_MOST_LINES: Final = 200
"""How many of the last lines that a hosted bot wrote in its check are kept of each stream."""
_STANDSTILL: Final = END_WITHIN  # the least time that a bot has: this worker judges none after it

_OF_SILENCE: Final = {Why.TIMEOUT, Why.NOT_CLOSED, Why.NO_DESCRIPTION}
"""Why checks of a bot fail whose host stands still."""
_OF_GATEWAY: Final = _OF_SILENCE | {Why.LINE_LOST}
"""Why they fail if the gateway does, or ends."""
_SILENT: Final = 3.0  # seconds; with those of `_ASK_EVERY` less than any bot has
_ASK_EVERY: Final = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """One attempt at a check: the right to make it, and all that is needed to do so."""

    held: Attempt
    version: str
    """The version's name."""
    address: str
    secret: bytes | None = field(repr=False)
    """The secret that the bot shares with the referee, encrypted."""
    slots: int | None = None
    """Games that the gateway lets through to it at once; None for a bot that is dialled."""
    bundle: str | None = None
    """The SHA-256 of a hosted bot's bundle."""
    runtime: str | None = None

    @property
    def version_id(self) -> int:
        """The version that is checked."""
        return self.held.subject


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The result of one check of the suite."""

    name: str
    sentence: str
    """States what a bot does that passes."""
    state: str
    """`passed`, `failed` or `not tried`."""
    code: str | None
    """Why it failed; None if it did not."""
    told: str
    """For the author: what went wrong, or what has to be mended first."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """The results of the suite for one version, in the order of its checks."""

    passed: bool
    checks: tuple[ReportLine, ...]
    wrote: tuple[str, ...] = ()
    """The lines that a hosted bot wrote meanwhile, for the log of its build."""

    @property
    def failed(self) -> list[ReportLine]:
        """The checks that failed."""
        return [line for line in self.checks if line.state == CheckState.FAILED.value]

    @property
    def not_tried(self) -> list[ReportLine]:
        """The checks that were left out, since others failed."""
        return [line for line in self.checks if line.state == CheckState.NOT_TRIED.value]

    @property
    def above(self) -> dict[str, str]:
        """For each check that did not pass for a reason that an earlier one has: the first such."""
        first: dict[str, str] = {}
        told = [line for line in self.checks if line.told]
        at = {line.name: first.setdefault(reason_of(line.told), line.name) for line in told}
        return {name: earlier for name, earlier in at.items() if earlier != name}

    @property
    def reason(self) -> Phrase:
        """The sentence that tells why a version did not pass."""
        if not self.failed:
            return Phrase("Not all checks could be run.")
        first = self.failed[0]
        return Phrase("The check %(check)s failed: %(told)s", check=first.name, told=first.told)

    @property
    def not_proven(self) -> bool:
        """True if it failed since the bot did not prove the shared secret."""
        return self._tells(Why.NOT_PROVEN)

    @property
    def nobody_listens(self) -> bool:
        """True if it failed since nobody listened at the address: it may be about to start."""
        return self._tells(Why.NOBODY_LISTENS)

    def _tells(self, why: Why) -> bool:
        return any(line.code == why.value for line in self.checks)

    def as_json(self) -> str:
        """Return {"passed", "checks": [...]}; a check has the fields of `ReportLine`."""
        return json.dumps({"passed": self.passed, "checks": [asdict(one) for one in self.checks]})

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Read what `as_json` has written."""
        data = json.loads(text)
        return cls(data["passed"], tuple(ReportLine(**line) for line in data["checks"]))


async def run_check(check: CheckClaim, *, hosts: Hosts, pause: float = PAUSE) -> Report:
    """Run the conformance suite against a version, on the worker's event loop.

    Whatever the bot does, it raises nothing but SettingsError and InvalidSetting, if this worker
    lacks a setting, and Interrupted if it, or the host, stood still while the bot's time ran or
    the line between them broke; for a hosted bot also NoHost if no host takes it.
    """
    loop = standstill()
    loop.begin()
    before = loop.seconds
    try:
        made = await _checked(check, hosts, pause)
    finally:
        loop.end()
    lost = loop.seconds - before
    if not made.passed and lost > _STANDSTILL:
        raise Interrupted(f"the worker stood still for {lost:.1f} s while the bot's time ran")
    return made


async def _checked(check: CheckClaim, hosts: Hosts, pause: float) -> Report:
    results: list[CheckResult] = []
    wrote: tuple[str, ...] = ()
    try:
        async with asyncio.timeout(LONGEST) as limit:
            if check.bundle is None:
                await _examine(check, pause, results)
            else:
                wrote = await _examine_hosted(check, check.bundle, hosts, pause, results, limit)
    except OutOfBounds as error:
        results.append(
            CheckResult("address", _ALLOWED, CheckState.FAILED, Why.LINE_LOST, f"{error}.")
        )
    except TimeoutError:
        late = f"They were not over after {LONGEST / 60:g} minutes."
        results.append(CheckResult("time", _IN_TIME, CheckState.FAILED, Why.TIMEOUT, late))
    return replace(report(results), wrote=wrote)


async def _examine(check: CheckClaim, pause: float, results: list[CheckResult]) -> None:
    ways = await ways_to(check.address, check.secret, Ways.from_environment())
    candidate = Candidate(check.address, pause=pause, slots=check.slots, ways=ways)
    examining = examine(candidate, (first_call(check.version), *checks()), results.append)
    if bot_behind_gateway(check.address) is None:
        await examining
    else:
        await _behind_gateway(examining, candidate, results)


async def _behind_gateway(
    examining: Awaitable[object], candidate: Candidate, results: list[CheckResult]
) -> None:
    """Await the results. What the gateway spoils is none: that raises Interrupted."""
    at, ways = candidate.address, candidate.ways
    breaks = until_gateway_breaks(at, ways, every=_ASK_EVERY, within=_SILENT)
    listening = asyncio.create_task(breaks)
    try:
        await examining
        if _OF_GATEWAY.isdisjoint({one.why for one in results}):
            return
        broke, _ = await asyncio.wait({listening}, timeout=_ASK_EVERY + _SILENT)
    finally:
        listening.cancel()
    if broke:
        raise Interrupted("the gateway ended, or stood still, while the bot's time ran")


async def _examine_hosted(
    check: CheckClaim,
    bundle: str,
    hosts: Hosts,
    pause: float,
    results: list[CheckResult],
    limit: asyncio.Timeout,
) -> tuple[str, ...]:
    """Examine a bot at a seat of its own; return the lines that it wrote.

    What the host spoils is no result: the seat is given back at the end, or that raises HostLost.
    """
    async with hosts.least_busy({check.runtime or ""}) as host:
        try:
            opened = await _opened(check, bundle, hosts, host, results)
        except DidNotStart as error:
            return _lines(error)
        ways = host.ways(Ways.from_environment())
        waited = partial(host.waited, opened.seat)
        candidate = Candidate(
            f"{HOSTED_PREFIX}{opened.seat}", pause=pause, ways=ways, waited=waited
        )
        listening = asyncio.create_task(_until_silent(waited, limit))
        try:
            await examine(candidate, checks(), results.append, gone=_has_ended)
        finally:
            silent = listening.done()
            listening.cancel()
            closed = await asyncio.shield(host.close_seat(opened.seat, end=True))
    failed = {one.why for one in results}
    if silent and not failed.isdisjoint(_OF_SILENCE):
        raise HostLost(f"the host {host.address} stood still while the bot's time ran")
    used = f"{closed.peak_memory / MB:.0f} MB of memory, {closed.cpu_us / 1e6:.1f} s of CPU time"
    wrote = _lines(closed)
    return (f"The check used {used}; the bot wrote {'this:' if wrote else 'nothing.'}", *wrote)


def _has_ended(result: CheckResult) -> bool:
    """Return True if the sandbox of a hosted bot ended with it in this check."""
    return result.why is Why.LIMIT or EXITED in result.explanation


async def _until_silent(waited: Callable[[], Awaitable[float]], limit: asyncio.Timeout) -> None:
    """Ask a host for how long its bot has waited, again and again, and give that to the limit.

    Return once the host does not answer soon.
    """
    until = limit.when()
    assert until is not None
    with suppress(HostLost, TimeoutError):
        while True:
            more = await asyncio.wait_for(waited(), _SILENT)
            if not limit.expired():
                limit.reschedule(until + min(more, LONGEST))
            await asyncio.sleep(_ASK_EVERY)


async def _opened(
    check: CheckClaim, bundle: str, hosts: Hosts, host: RemoteHost, results: list[CheckResult]
) -> Opened:
    """Open a seat with a fresh sandbox. Raises DidNotStart, which is a result, too."""
    try:
        opened = await host.open(
            bytes.fromhex(bundle),
            f"check-{check.version_id}",
            str(check.version_id),
            start_up=Clock().start_up,
            fresh=True,
            bring=partial(hosts.bring_bundle, host, bundle),
        )
    except DidNotStart as error:
        results.append(CheckResult("start", _STARTS, CheckState.FAILED, Why.CLOSED, str(error)))
        raise
    results.append(CheckResult("start", _STARTS, CheckState.PASSED, seconds=opened.start_us / 1e6))
    return opened


def _lines(wrote: CloseResponse | DidNotStart) -> tuple[str, ...]:
    """Return the last lines that a bot wrote to stdout, then those to stderr.

    A line says how many stood before them. What it said of the fault that the suite feigns is left
    out.
    """
    shown: list[str] = []
    for stream in (wrote.output, wrote.errors):
        lines = stream.decode(errors="replace").splitlines()
        lines = [line for line in lines if NOT_MEANT not in line]
        if (more := len(lines) - _MOST_LINES) > 0:
            shown.append(gap(more, "lines").strip())
        shown += lines[-_MOST_LINES:]
    return tuple(shown)


def report(results: Sequence[CheckResult]) -> Report:
    """Make the report of these results."""
    lines = tuple(ReportLine(**result.line()) for result in results)
    return Report(all(result.state is CheckState.PASSED for result in results), lines)
