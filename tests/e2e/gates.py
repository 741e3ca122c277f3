"""Bots that wait at a gate which a test opens: it holds matches in their middle."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.orm import Session

from ladder.bots import versions
from referee.clock import Clock
from referee.serving import ADDRESS_VARIABLE
from tests.e2e.gated import GATE
from tests.forking import Forked

ALL = 10_000  # more decisions than a game has
PATIENT = Clock(move_limit=600.0, bank=6000.0, increment=0.0)  # for all tests of a file


@dataclass(frozen=True)
class Gate:
    """The pace of bots, in a file."""

    file: Path

    def allow(self, decisions: int) -> None:
        """So many decisions may each bot have made in each game; one write, never half a number."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str(decisions))
        fresh.replace(self.file)


@contextmanager
def gated_bots(folder: Path, gate: Gate, names: Sequence[str]) -> Iterator[dict[str, str]]:
    """Bots of these names, which run until the `with` is left; their addresses."""
    command = ("referee.serving", "tests.e2e.gated:Gated")
    addresses = {name: f"unix:{folder}/{name}" for name in names}
    with ExitStack() as stack:
        for address in addresses.values():
            environ = os.environ | {ADDRESS_VARIABLE: address, GATE: str(gate.file)}
            stack.enter_context(Forked(*command, env=environ))
        stack.callback(gate.allow, ALL)  # first of all: who waits cannot end
        yield addresses


def enter(session: Session, addresses: dict[str, str], author: str = "compay") -> list[int]:
    """Puts the bots on the ladder; their ids."""
    return [
        versions.register(session, name=name, author=author, address=at, version="1").id
        for name, at in addresses.items()
    ]
