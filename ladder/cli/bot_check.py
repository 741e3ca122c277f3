"""`santiago bot check`: the conformance suite, for the author of a bot."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

import click

from ladder.bots.reports import report
from ladder.cli.check_lines import Lines, told
from ladder.cli.clock import clock_options
from ladder.local.candidates import START, Started, candidate_of
from referee.clock import Clock
from referee.conformance.check import Check, Result, State
from referee.conformance.suite import examine


@click.command()
@click.argument("bot", metavar="ADDRESS|COMMAND")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@click.option(
    "--pause",
    type=click.FloatRange(0.0, 60.0),
    default=3.0,
    show_default=True,
    help="Seconds for which the bot has to wait where that is checked.",
)
@click.option(
    "--only",
    "names",
    metavar="NAME",
    multiple=True,
    help="Make the check of this name only, after a start; may be given more than once.",
)
@clock_options
def check(bot: str, as_json: bool, pause: float, names: tuple[str, ...], clock: Clock) -> None:
    """Check whether a bot keeps to the protocol, in every situation that it may meet.

    The bot is the ADDRESS of one that runs (HOST:PORT), a COMMAND that starts one, in quotes, or
    the name of an installed one. The exit code is 0 when every check has passed, else 1.
    """
    with candidate_of(bot, clock, pause) as started:
        suite = _wanted(started.suite, names)
        watcher = None if as_json else Lines().show
        results = asyncio.run(examine(started.candidate, suite, watcher))
        passed = all(result.state is State.PASSED for result in results)
        if as_json:
            click.echo(json.dumps({"bot": bot, **asdict(report(results))}, indent=2))
        else:
            _print_end(started, results)
    if not passed:
        raise SystemExit(1)


def _wanted(suite: Sequence[Check], names: Sequence[str]) -> Sequence[Check]:
    """The checks of these names, or all where there are none. What has to start always starts."""
    if not names:
        return suite
    known = [check.name for check in suite]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.BadParameter(
            f"no check is called {', '.join(unknown)}. There are: {', '.join(known)}.",
            param_hint="--only",
        )
    return [check for check in suite if check.name in (START, *names)]


def _print_end(started: Started, results: Sequence[Result]) -> None:
    count = {state: sum(result.state is state for result in results) for state in State}
    if count[State.PASSED] == len(results):
        click.echo(f"All {len(results)} checks passed.")
        return
    click.echo(
        f"{count[State.FAILED]} of {len(results)} checks failed, "
        f"{count[State.NOT_TRIED]} were not tried."
    )
    first = next((result for result in results if result.state is State.FAILED), None)
    if first is not None:
        click.echo(f"First mend: {first.name} - {told(first)}")
    lines = started.last_lines()
    if lines:
        click.echo("\n".join(["The last lines that the bot printed:", *lines]))
