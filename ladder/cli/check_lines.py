"""What the conformance suite found, as lines for a terminal: each reason is told once."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from referee.conformance.check import Result, State

_MARKS = {State.PASSED: "ok", State.FAILED: "FAILED", State.NOT_TRIED: "not tried"}

_DETAILS: Final = re.compile(
    r"\d+| It had been asked for an? \w+ decision"
    r"| chose .*?, which is not one of decision\.moves: [^.]*"
)
"""What may differ in a sentence though the reason is the same."""


def _reason(sentence: str) -> str:
    """What sentences have in common that tell of the same reason."""
    return _DETAILS.sub("", sentence)


class Lines:
    """Prints a line for each result, and what was wrong below it where that has not been told.

    What was not tried for a reason that has been told is left out.
    """

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    def show(self, result: Result) -> None:
        """Prints one result."""
        wrong = told(result)
        first = self._told.setdefault(_reason(wrong), result.name)
        above = f"  (as above, at {first})" if wrong and first != result.name else ""
        if above and result.state is State.NOT_TRIED:
            return
        click.echo(f"{_MARKS[result.state]:9}  {result.name:22}  {result.sentence}{above}")
        if wrong and not above:
            click.echo(f"{'':9}  {'':22}  {wrong}")


def told(result: Result) -> str:
    """What was wrong, with its code where it has one; empty where nothing was."""
    return f"{result.why}: {result.told}" if result.why else result.told


def failed_lines(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a kept report says was wrong (see `ladder.bots.reports.Report.as_json`)."""
    by_reason: dict[str, list[Mapping[str, Any]]] = {}
    for check in checks:
        if check["state"] == State.FAILED:
            by_reason.setdefault(_reason(check["told"]), []).append(check)
    lines = []
    for first, *others in by_reason.values():
        lines.append(f"failed: {first['name']} - {first['told']}")
        if others:
            lines.append("for the same reason: " + ", ".join(check["name"] for check in others))
    not_tried = sum(check["state"] == State.NOT_TRIED for check in checks)
    return [*lines, f"not tried: {not_tried}"] if not_tried else lines
