"""Bots for the tests of local play: python -m tests.ladder.local.bots KIND.

`quiet` plays the first legal move; `named NAME VERSION` is one of that name; `broken` fails before
it listens; `crashing` ends its process at its first decision; `unwilling` accepts no game; `silent`
never answers.
"""

import os
import sys
from pathlib import Path
from threading import Event

from referee.bot import Bot, Decision
from referee.rules import Move
from referee.serving import serve


class Quiet(Bot):
    name = "quiet"
    author = "tests"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


class Last(Quiet):
    name = "last"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[-1]


class Crashing(Quiet):
    name = "crashing"

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        os._exit(3)


class Raising(Quiet):
    name = "raising"

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        raise RuntimeError("no more ideas")


class Silent(Quiet):
    name = "silent"

    def choose(self, decision: Decision) -> Move:
        print(f"I shall think about these {len(decision.moves)} moves.")
        Event().wait()
        raise AssertionError


class Pondering(Silent):
    name = "pondering"

    def choose(self, decision: Decision) -> Move:
        Path(os.environ["BEGUN"]).touch()
        return super().choose(decision)


class Leaving(Quiet):
    name = "leaving"

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        print("I am off.", flush=True)
        os._exit(3)


class Unwilling(Quiet):
    name = "unwilling"

    def __init__(self) -> None:
        raise RuntimeError("not today")


KINDS = {
    "quiet": Quiet,
    "crashing": Crashing,
    "unwilling": Unwilling,
    "silent": Silent,
    "leaving": Leaving,
}


def main(kind: str, name: str = "", version: str = "1") -> None:
    if kind == "broken":
        sys.exit("I have no rum left.")
    if kind == "named":
        serve(type("Named", (Quiet,), {"name": name, "version": version}))
    else:
        serve(KINDS[kind])


if __name__ == "__main__":
    main(*sys.argv[1:])
