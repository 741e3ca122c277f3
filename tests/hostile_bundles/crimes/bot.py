"""A bot that commits a crime at one stage of its life, and is a good bot apart from that.

It prints `DEED` and what it achieved if that should have been impossible, and `OVER` when it has
tried all. It runs in the sandbox, beside plan.json and the module of its crime.
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

PLAN = json.loads(Path(__file__).with_name("plan.json").read_text())


def commit() -> None:
    """Commit the crime."""
    for deed in import_module(PLAN["crime"]).commit(PLAN["targets"]):
        print("DEED", deed, flush=True)
    print("OVER", flush=True)


if sys.argv[1:] == [PLAN["stage"]]:
    commit()
    sys.exit()

from referee.bot import Bot, Decision  # noqa: E402
from referee.rules import Move  # noqa: E402
from referee.serving import serve  # noqa: E402


class Criminal(Bot):
    """Waits for its third decision."""

    name = "criminal"

    def __init__(self) -> None:
        self._decisions = 0

    def choose(self, decision: Decision) -> Move:
        self._decisions += 1
        if self._decisions == 3 and PLAN["stage"] == "play":
            accomplice = subprocess.Popen([sys.executable, __file__, "play"])
            if PLAN["waits"]:
                accomplice.wait()
        return decision.moves[0]


if PLAN["stage"] == "start":
    commit()
serve(Criminal)
