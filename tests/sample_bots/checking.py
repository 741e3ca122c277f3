"""The conformance suite as an author runs it."""

import json
from typing import Final

from tests.ladder.cli.terminal import run

QUICK: Final = {"SANTIAGO_PLANNER_SECONDS": "0.003"}
_PAUSE: Final = ("--pause", "0.05")


OF_THE_BOT: Final = (
    *("describe", "game-of-2", "several-games", "against-itself", "short-time", "many-moves"),
    *("function", "deliver", "pick", "lawyer", "tribute", "demand"),
)
"""The checks that depend on the bot itself; the others are about its kit, of which all it takes
is one bot."""


def passes(bot: str, *only: str, **environ: str) -> None:
    """`santiago bot check` finds nothing wrong, or these checks do not."""
    options = [word for name in only for word in ("--only", name)]
    result = run("bot", "check", bot, "--json", *_PAUSE, *options, **environ)
    report = json.loads(result.stdout)
    wrong = [check for check in report["checks"] if check["state"] != "passed"]
    assert (result.exit_code, wrong) == (0, [])
