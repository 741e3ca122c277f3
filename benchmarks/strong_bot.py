"""Play turquino against the planner of an old commit, which is installed apart.

One of ours sits with one, two or three of theirs; each layout is played in every rotation of the
seats, with fresh dice. Both count the processor time of their own thread, so a busy machine does
not matter. By default both have 0.1 s a decision: theirs each time, ours in the mean, since it ends
most decisions early and may take longer over others; the line shows what both took. With `--clock`
ours has the ladder's clock (60 s and 0.5 s a decision), of which it may use what it likes. Ours
runs on the compiled core if `make demo` has made one; theirs as it was then, in pure Python.

`python -m benchmarks strong_bot` plays 24 games at each size; `python -m benchmarks.strong_bot
--seats 3 --games 120 --jobs 2` plays so many, in two processes. It prints after each deal.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final
from zipfile import ZipFile

from ladder.embedded.hosting import compiled_core
from ladder.local.estimates import estimate
from referee.clock import Clock
from referee.rules import Layout, Position, roll_dice

_ROOT: Final = Path(__file__).parent.parent
_COMMIT: Final = "f48c850"
_OURS: Final = "sample_bots.turquino:TurquinoBot"
_THEIRS: Final = "sample_bots.planner:PlannerBot"
_SECONDS: Final = "0.1"
_AT_MOST: Final = {2: "0.45", 3: "0.43", 4: "0.4"}
"""The longest that ours thinks about a decision, by the number of seats: it ends most of them
early, 0.1 s is its mean."""
_UNBOUND: Final = "-"
_GOALS: Final = {False: 150, True: 250}
"""The least Elo that the lower bound should reach, with and without the ladder's clock."""


@dataclass
class Spent:
    """The processor time of a side in all games, in seconds, and its decisions."""

    seconds: float = 0.0
    decisions: int = 0

    def add(self, seconds: float) -> None:
        self.seconds += seconds
        self.decisions += 1

    def __str__(self) -> str:
        return f"{1000 * self.seconds / max(1, self.decisions):.0f} ms"


class Player:
    """A bot in a process of its own, for one seat after the other."""

    def __init__(self, target: str, seconds: str, path: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_ROOT / "benchmarks/_strong_seat.py"), target, seconds],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.core = self._answer()

    def __enter__(self) -> "Player":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def new_game(self) -> None:
        self._send({"new": True})

    def choose(self, position: Position, bank: float, clock: Clock) -> tuple[int, float]:
        """Return its move and the processor time that it took."""
        left = min(bank, clock.move_limit)
        self._send({"position": str(position), "time_left": left, "bank_left": bank})
        answer = json.loads(self._answer())
        return answer["move"], answer["seconds"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("A bot's process has ended; its error stands above.")
        return line.strip()


@dataclass
class Match:
    """What is played: the size of tables, and the bots' thinking time."""

    seats: int
    by_clock: bool
    old: str
    """The folder with the old commit."""

    def deals(self, first: int, step: int, count: int) -> Iterator[tuple[float, Spent, Spent]]:
        """Yield ours's score over each deal, and what both sides have spent on it."""
        ours = _UNBOUND if self.by_clock else _AT_MOST[self.seats]
        path = compiled_core().get("PYTHONPATH", str(_ROOT))
        with ExitStack() as stack:
            our = stack.enter_context(Player(_OURS, ours, path))
            their = [
                stack.enter_context(Player(_THEIRS, _SECONDS, self.old))
                for _ in range(self.seats - 1)
            ]
            for deal in range(first, count, step):
                spent = Spent(), Spent()
                scores = [
                    self._game(deal, seat, [*their[:seat], our, *their[seat:]], spent)
                    for seat in range(self.seats)
                ]
                yield fmean(scores), *spent

    def _game(
        self, deal: int, own: int, players: list[Player], spent: tuple[Spent, Spent]
    ) -> float:
        """Return the part of the others that the seat `own` ends ahead of; ties count half."""
        clock = Clock()
        position = Position.start(Layout.shuffled(Random(f"layout {deal}")), self.seats)
        dice = Random(f"dice {deal} {own}")
        banks = [clock.bank] * self.seats
        for player in players:
            player.new_game()
        while not position.is_over:
            if not position.legal_moves:
                position.roll(roll_dice(dice))
                continue
            seat = position.seat
            banks[seat] += clock.increment
            move, seconds = players[seat].choose(position, banks[seat], clock)
            banks[seat] -= seconds
            if seconds > clock.move_limit or banks[seat] < 0:
                raise RuntimeError(f"{'Ours' if seat == own else 'Theirs'} ran out of time.")
            spent[seat != own].add(seconds)
            position.apply(move)
        ranks = [score.rank for score in position.scores()]
        rank = ranks.pop(own)
        return fmean((rank < other) + (rank == other) / 2 for other in ranks)


def install(folder: Path) -> str:
    """Write the old commit's bots and rules into a folder; return the path to import from."""
    command = ["git", "archive", "--format=zip", _COMMIT, "referee", "sample_bots"]
    archive = subprocess.run(command, cwd=_ROOT, capture_output=True, check=False)
    if archive.returncode:
        raise SystemExit(f"The planner of {_COMMIT} is not to be had: a whole clone has it.")
    ZipFile(BytesIO(archive.stdout)).extractall(folder)
    return str(folder)


def measure(match: Match, games: int, jobs: int) -> None:
    """Play the games, and print the difference in Elo with its interval as it becomes known."""
    count = -(-games // match.seats)
    scores: list[float] = []
    ours, theirs = Spent(), Spent()

    def play(job: int) -> None:
        for score, our, their in match.deals(job, jobs, count):
            scores.append(score)
            for total, more in ((ours, our), (theirs, their)):
                total.seconds += more.seconds
                total.decisions += more.decisions
            _report(match, scores, ours, theirs)

    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(play, job) for job in range(jobs)]):
            done.result()


def _report(match: Match, scores: list[float], ours: Spent, theirs: Spent) -> None:
    found = estimate(scores)
    print(
        f"{match.seats} seats, {'the ladder clock' if match.by_clock else 'equal time'}: "
        f"{len(scores) * match.seats} games, score {fmean(scores):.3f}, "
        f"Elo {found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f}; "
        f"wanted from {_GOALS[match.by_clock]:+d}), "
        f"a decision {ours} and {theirs}",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    """Play at the sizes that are asked for; at all of them by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strong_bot")
    parser.add_argument("--seats", type=int, choices=(2, 3, 4), help="one size; all by default")
    parser.add_argument("--games", type=int, default=24, help="games at each size")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--clock", action="store_true", help="ours may use the ladder's clock")
    asked = parser.parse_args(arguments or [])
    core = compiled_core()
    print(f"ours: {'compiled' if core else 'pure Python'}; theirs: {_COMMIT}, pure Python")
    with tempfile.TemporaryDirectory() as folder:
        old = install(Path(folder))
        for seats in [asked.seats] if asked.seats else (2, 3, 4):
            measure(Match(seats, asked.clock, old), asked.games, asked.jobs)


if __name__ == "__main__":
    main(sys.argv[1:])
