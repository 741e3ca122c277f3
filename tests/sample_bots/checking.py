"""The conformance suite as an author runs it."""

import json
from typing import Final

from tests.ladder.cli.terminal import run

QUICK: Final = {"SANTIAGO_PLANNER_SECONDS": "0.003"}
_PAUSE: Final = ("--pause", "0.05")


def passes(bot: str, **environ: str) -> None:
    """`santiago bot check` finds nothing wrong."""
    result = run("bot", "check", bot, "--json", *_PAUSE, **environ)
    report = json.loads(result.stdout)
    wrong = [check for check in report["checks"] if check["state"] != "passed"]
    assert (result.exit_code, wrong) == (0, [])
