"""A check of a version as a worker makes it: the conformance suite, and its report."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Self

from ladder.bots.addresses import OutOfBounds, ways_to
from ladder.errors import Phrase
from ladder.jobs.kinds import Attempt
from referee.conformance.check import Candidate, CheckResult, State, Why
from referee.conformance.suite import checks, examine, first_call
from referee.ways import Ways

LONGEST: Final = 1200.0
"""Seconds that a check may take at most."""
PAUSE: Final = 2.0
"""Seconds for which the checks of patience let a bot wait."""


@dataclass(frozen=True, slots=True)
class CheckClaim:
    """One attempt at a check: the right to make it, and all that is needed to do so."""

    held: Attempt
    name: str
    version: str
    """The version's name."""
    address: str
    secret: bytes | None = field(repr=False)
    """The secret that the bot shares with the referee, encrypted."""
    slots: int | None = None
    """Games that the gateway lets through to it at once; None for a bot that is dialled."""
    bundle: str | None = None
    """The SHA-256 of a hosted bot's bundle."""

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

    @property
    def reason(self) -> Phrase:
        """The sentence that tells why a version did not pass."""
        failed = [line for line in self.checks if line.state == State.FAILED.value]
        if not failed:
            return Phrase("Not all checks could be run.")
        first = failed[0]
        return Phrase("The check %(check)s failed: %(told)s", check=first.name, told=first.told)

    @property
    def nobody_listens(self) -> bool:
        """True if it failed since nobody listened at the address: it may be about to start."""
        return any(line.code == Why.NOBODY_LISTENS.value for line in self.checks)

    def as_json(self) -> str:
        """Return {"passed", "checks": [...]}; a check is a dict of the fields of `Line`."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Read what `as_json` has written."""
        data = json.loads(text)
        return cls(data["passed"], tuple(ReportLine(**line) for line in data["checks"]))


async def run_check(check: CheckClaim, *, pause: float = PAUSE) -> Report:
    """Run the conformance suite against a version, on the worker's event loop.

    Whatever the bot does, it raises nothing but SettingsError and InvalidSetting, if this worker
    lacks a setting.
    """
    results: list[CheckResult] = []
    try:
        async with asyncio.timeout(LONGEST):
            await _examine(check, pause, results)
    except OutOfBounds as error:
        wanted = "Its host may be dialled."
        results.append(CheckResult("address", wanted, State.FAILED, Why.LINE_LOST, f"{error}."))
    except TimeoutError:
        late = f"They were not over after {LONGEST / 60:g} minutes."
        wanted = "All checks end in time."
        results.append(CheckResult("time", wanted, State.FAILED, Why.TIMEOUT, late))
    return report(results)


async def _examine(check: CheckClaim, pause: float, results: list[CheckResult]) -> None:
    ways = await ways_to(check.address, check.secret, Ways.from_environment())
    candidate = Candidate(check.address, pause=pause, slots=check.slots, ways=ways)
    await examine(candidate, (first_call(check.version), *checks()), results.append)


def report(results: Sequence[CheckResult]) -> Report:
    """Make the report of these results."""
    lines = tuple(ReportLine(**result.line()) for result in results)
    return Report(all(result.state is State.PASSED for result in results), lines)
