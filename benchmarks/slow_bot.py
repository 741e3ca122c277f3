"""Measure what a bot that uses its whole clock costs the others: their matches per second.

The whole service plays, as `santiago up` starts it, with bots that do not think. Phases with and
without the slow bot alternate; counted are the matches at whose table it does not sit.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from statistics import median
from threading import Event
from time import monotonic, sleep
from typing import Final

from sqlalchemy import func, select, update

from ladder.bots import versions
from ladder.embedded.service import EmbeddedService
from ladder.matches.states import move_match
from ladder.model import MATCH_UNDER_WAY, Bot as BotRow, Ladder, Match, MatchState, Seat, Version
from referee.bot import Bot, Decision
from referee.processes import ChildProcess
from referee.rules import Move
from referee.serving import start_server

PLACES: Final = 8
FAST: Final = 9
PHASES: Final = 4  # every second one with the slow bot
LENGTH: Final = 40.0  # seconds of a phase that are counted
SETTLE: Final = 10.0  # seconds before that, in which the queue turns over
PORT: Final = 8765
_BANK_MS: Final = 600_000  # longer than the benchmark: whoever wants to hold a place can


class Hasty(Bot):
    """Takes the first legal move."""

    name = "hasty"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


class Slow(Hasty):
    """Thinks for almost as long as it may."""

    name = "slow"

    def choose(self, decision: Decision) -> Move:
        sleep(0.9 * decision.time_left)
        return decision.moves[0]


def main() -> None:
    """Start the service and the bots, play, print the rates."""
    os.environ["SANTIAGO_PLACES"] = str(PLACES)
    with (
        tempfile.TemporaryDirectory(prefix="santiago-") as folder,
        EmbeddedService(Path(folder, "data"), "127.0.0.1", PORT, sleep, inf) as service,
        _bots(Path(folder)) as addresses,
    ):
        slow = _register(service, addresses)
        rates: dict[bool, list[float]] = {False: [], True: []}
        for phase in range(PHASES):
            with_slow = bool(phase % 2)
            _let_play(service, slow, with_slow)
            sleep(SETTLE)
            before, began = _of_others(service, slow), monotonic()
            sleep(LENGTH)
            rate = (_of_others(service, slow) - before) / (monotonic() - began)
            rates[with_slow].append(rate)
            held = _held(service, slow)
            print(
                f"{'with' if with_slow else 'without'} the slow bot: the others play {rate:.2f} "
                f"matches a second; it holds {held} of {PLACES} places",
                flush=True,
            )
        alone, beside = median(rates[False]), median(rates[True])
        print(f"the others' throughput with it: {beside / alone:.0%} of what it is without")


@contextmanager
def _bots(folder: Path) -> Iterator[list[str]]:
    """Run all bots in one process; yield their addresses, the slow one's last."""
    addresses = [f"unix:{folder}/{number}" for number in range(FAST + 1)]
    command = [sys.executable, "-m", "benchmarks.slow_bot", *addresses]
    with ChildProcess(command, {}):
        yield addresses


def _register(service: EmbeddedService, addresses: list[str]) -> int:
    """Register bots of different authors, and a long clock; return the id of the slow bot."""
    with service.session() as session, session.begin():
        ids = [
            versions.register(
                session, name=f"bot{n}", author=f"author{n}", address=address, version="1"
            ).id
            for n, address in enumerate(addresses)
        ]
        session.execute(update(Version).values(slots=PLACES))
        session.execute(update(Ladder).values(bank_ms=_BANK_MS))
    return ids[-1]


def _let_play(service: EmbeddedService, slow: int, wanted: bool) -> None:
    """Pause or resume the slow bot; cancel its matches, so that phases begin in the same state."""
    own = select(Seat.match_id).where(Seat.bot_id == slow)
    with service.session() as session, session.begin():
        state = "active" if wanted else "paused"
        session.execute(update(BotRow).where(BotRow.id == slow).values(state=state))
        for started in MATCH_UNDER_WAY:
            move_match(session, started, MatchState.CANCELLED, Match.id.in_(own))


def _of_others(service: EmbeddedService, slow: int) -> int:
    own = select(Seat.match_id).where(Seat.bot_id == slow)
    query = select(func.count()).select_from(Match)
    with service.session() as session:
        return session.scalars(query.where(Match.state == "finished", Match.id.not_in(own))).one()


def _held(service: EmbeddedService, slow: int) -> int:
    query = select(func.count()).select_from(Match).join(Seat, Seat.match_id == Match.id)
    with service.session() as session:
        return session.scalars(query.where(Match.state == "running", Seat.bot_id == slow)).one()


def _serve(addresses: list[str]) -> None:
    servers = [start_server(Hasty, address) for address in addresses[:-1]]
    servers.append(start_server(Slow, addresses[-1]))
    Event().wait()


if __name__ == "__main__":
    _serve(sys.argv[1:])
