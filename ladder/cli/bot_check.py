"""`santiago bot check`: the conformance suite, for the author of a bot."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from ladder.cli.terminal import Seconds, clock_options
from ladder.local.entrants import START, Started, candidate_of
from referee.clock import Clock
from referee.conformance.check import Check, CheckResult, CheckState, reason_of
from referee.conformance.suite import examine
from referee.serving import SECRET_VARIABLE


@click.command()
@click.argument("bot", metavar="ADDRESS|COMMAND")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@click.option(
    "--pause",
    type=Seconds(0.0, 60.0),
    default=3.0,
    show_default=True,
    help="Seconds that the bot has to wait in the checks of waiting.",
)
@click.option(
    "--only",
    "names",
    metavar="NAME",
    multiple=True,
    help="Run only the check of this name, after a start; may be given more than once.",
)
@clock_options
def check(bot: str, as_json: bool, pause: float, names: tuple[str, ...], clock: Clock) -> None:
    """Check that a bot keeps to the protocol, in every situation that it may meet.

    The bot is the ADDRESS of one that runs (HOST:PORT), a COMMAND that starts one, in quotes (with
    `lines:` before it, a program that prints moves), or the name of an installed one. With
    SANTIAGO_SECRET in the environment, the bot has to prove that it knows this secret, as it does
    on a ladder. The exit code is 0 when every check has passed, else 1.
    """
    with candidate_of(bot, clock, pause, os.environ.get(SECRET_VARIABLE, "")) as started:
        suite = _selected(started.suite, names)
        watcher = None if as_json else ResultLines().show
        results = asyncio.run(examine(started.candidate, suite, watcher, started.is_gone))
        passed = all(result.state is CheckState.PASSED for result in results)
        if as_json:
            lines = [result.line() for result in results]
            click.echo(json.dumps({"bot": bot, "passed": passed, "checks": lines}, indent=2))
        else:
            _print_end(started, results)
    if not passed:
        raise SystemExit(1)


def _selected(suite: Sequence[Check], names: Sequence[str]) -> Sequence[Check]:
    """Return the checks of these names and the start, or all checks if no names are given."""
    if not names:
        return suite
    all_names = [check.name for check in suite]
    unknown = [name for name in names if name not in all_names]
    if unknown:
        raise click.BadParameter(
            f"no check is called {', '.join(unknown)}. There are: {', '.join(all_names)}.",
            param_hint="--only",
        )
    return [check for check in suite if check.name in (START, *names)]


def _print_end(started: Started, results: Sequence[CheckResult]) -> None:
    if print_summary(results):
        return
    started_well = results[0].state is CheckState.PASSED  # else that check has told how it ended
    if started_well and (ended := started.ended()):
        click.echo(ended)
    if lines := started.last_lines():
        click.echo("\n".join(["The last lines that the bot printed:", *lines]))


def print_summary(results: Sequence[CheckResult]) -> bool:
    """Print how many checks passed, and what to mend first; return True if all have passed."""
    count = {state: sum(result.state is state for result in results) for state in CheckState}
    if count[CheckState.PASSED] == len(results):
        click.echo(f"All {len(results)} checks passed.")
        return True
    failed, not_tried = count[CheckState.FAILED], count[CheckState.NOT_TRIED]
    were = "was" if not_tried == 1 else "were"
    click.echo(f"{failed} of {len(results)} checks failed, {not_tried} {were} not tried.")
    if failed > 1:  # else what went wrong stands just above
        first = next(result for result in results if result.state is CheckState.FAILED)
        click.echo(f"First mend: {first.name} - {_explanation(first)}")
    return False


_MARKS = {CheckState.PASSED: "ok", CheckState.FAILED: "FAILED", CheckState.NOT_TRIED: "not tried"}


class ResultLines:
    """Prints a line for each result, and below it the reason if it failed; each reason once.

    Checks that were not tried for a reason already printed are left out.
    """

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def show(self, result: CheckResult) -> None:
        """Print one result."""
        wrong = _explanation(result)
        first = self._first.setdefault(reason_of(wrong), result.name)
        above = f"  (as above, at {first})" if wrong and first != result.name else ""
        if above and result.state is CheckState.NOT_TRIED:
            return
        click.echo(f"{_MARKS[result.state]:9}  {result.name:22}  {result.sentence}{above}")
        if wrong and not above:
            click.echo(f"{'':9}  {'':22}  {wrong}")


def _explanation(result: CheckResult) -> str:
    """Return what was wrong, with its code if it has one; empty if nothing was."""
    return f"{result.why}: {result.explanation}" if result.why else result.explanation


def failed_lines(checks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the failures of a stored report (see `ladder.bots.reports.Report.as_json`)."""
    by_reason: dict[str, list[Mapping[str, Any]]] = {}
    for check in checks:
        if check["state"] == CheckState.FAILED:
            by_reason.setdefault(reason_of(check["told"]), []).append(check)
    lines = []
    for first, *others in by_reason.values():
        lines.append(f"failed: {first['name']} - {first['told']}")
        if others:
            lines.append("for the same reason: " + ", ".join(check["name"] for check in others))
    not_tried = sum(check["state"] == CheckState.NOT_TRIED for check in checks)
    return [*lines, f"not tried: {not_tried}"] if not_tried else lines
