"""Reports of the conformance suite, as authors read them and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ladder.errors import Phrase
from referee.conformance.check import Result, State


@dataclass(frozen=True, slots=True)
class Line:
    """What came of one check. `state`: passed, failed or not tried; `code`: why, if it failed."""

    name: str
    sentence: str
    state: str
    code: str | None
    told: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """What the suite found of a version, check by check."""

    passed: bool
    checks: tuple[Line, ...]

    @property
    def reason(self) -> Phrase:
        """A sentence for a version that did not pass."""
        failed = [line for line in self.checks if line.state == State.FAILED]
        if not failed:
            return Phrase("Not all checks could be made.")
        first = failed[0]
        return Phrase("The check %(check)s failed: %(told)s", check=first.name, told=first.told)

    def as_json(self) -> str:
        """{"passed", "checks": [{"name", "sentence", "state", "code", "told", "seconds"}, ...]}."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> Report:
        """Reads what `as_json` has written."""
        data = json.loads(text)
        return cls(data["passed"], tuple(Line(**line) for line in data["checks"]))


def report(results: Sequence[Result]) -> Report:
    """The report of what was found."""
    lines = tuple(
        Line(
            result.name,
            result.sentence,
            result.state.value,
            result.why.value if result.why else None,
            result.told,
            round(result.seconds, 3),
        )
        for result in results
    )
    return Report(all(result.state is State.PASSED for result in results), lines)
