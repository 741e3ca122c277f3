"""Measure what a local game costs beside the rules and the bots themselves.

The same games are played twice: by the match runner as `santiago play` calls it (invitations,
clocks, decisions, dice, replay, its compression), and by a bare loop of rules and bots on the same
layouts with the same dice. The difference over the number of decisions with a choice is what is
spent outside rules and bots: 20 microseconds at most are wanted. Time is that of the processor;
each figure is the best of several windows, which a busy machine disturbs least. The last line is a
whole tournament as `santiago play` has it played, with all that the processes cost, their start and
the results' way between them included; it has one window.
`python -m benchmarks local_play` prints a table and writes benchmarks/results/local_play-*.json.
"""

import json
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import process_time
from typing import Final

from rich.console import Console
from rich.table import Table

from ladder.local.entrants import LocalEntrant
from ladder.local.tournament import PlannedGame, plan, play_all, play_game
from referee import replay
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.game import Luck
from referee.rules import CORE, Move, Position

RESULTS: Final = Path(__file__).parent / "results" / f"local_play-{CORE.replace(' ', '-')}.json"
LIMIT: Final = 20.0
"""Microseconds a decision that may be spent outside rules and bots."""
_WINDOWS: Final = 15
_GAMES: Final = 6  # in each window
_TOURNAMENT: Final = 1000  # games


class Hasty(Bot):
    """Chooses at random, at almost no cost."""

    name = "hasty"

    def __init__(self) -> None:
        self._random = Random(1).random

    def choose(self, decision: Decision) -> Move:
        return self.pick(decision.moves)

    def pick(self, moves: Sequence[Move]) -> Move:
        return moves[int(self._random() * len(moves))]


@dataclass(frozen=True)
class Figure:
    """Microseconds a decision with a choice. `ratio`: all over rules and bots."""

    what: str
    all: float
    rules_and_bots: float
    outside: float
    ratio: float


def main() -> None:
    """Measure tables of 2, 3 and 4; print the figures, write the JSON."""
    figures = [measured(seats, _WINDOWS) for seats in (2, 3, 4)]
    figures.append(whole_tournament(figures[0].rules_and_bots))
    _print(figures)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")


def measured(seats: int, windows: int) -> Figure:
    """Measure the cost of games at tables of `seats` seats."""
    hasty = hasty_entrant()
    games = list(islice(plan(seats, seats, Random(5)), _GAMES))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a process of `santiago play`
    try:
        decisions = sum(decisions_of(game, hasty) for game in games)
        whole = _best(lambda: [play_game(g, [hasty] * seats, Clock()) for g in games], windows)
        bare = _best(lambda: [bare_game(game) for game in games], windows)
    finally:
        signal.signal(signal.SIGINT, before)
    return _figure(f"{seats} seats", whole / decisions * 1e6, bare / decisions * 1e6)


def whole_tournament(bare: float) -> Figure:
    """Measure a tournament at tables of two; `bare` is the cost of its rules and bots."""
    games = list(islice(plan(2, 2, Random(5)), _TOURNAMENT))
    began = _spent()
    played = list(play_all(games, [hasty_entrant()] * 2, Clock(), 1, lambda _: None))
    seconds = _spent() - began
    decisions = sum(sum(game.decisions) for game in played)
    return _figure(f"2 seats, a tournament of {_TOURNAMENT}", seconds / decisions * 1e6, bare)


def _spent() -> float:
    """Return processor seconds of this process and of those that it started and that have ended."""
    used = (getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _figure(what: str, whole: float, bare: float) -> Figure:
    return Figure(what, whole, bare, whole - bare, whole / bare)


def hasty_entrant() -> LocalEntrant:
    return LocalEntrant("hasty", "hasty", "1", "arena", target=f"{__name__}:Hasty")


def decisions_of(game: PlannedGame, hasty: LocalEntrant) -> int:
    """Return how many choices a game has. Raises AssertionError if the bare loop plays another."""
    played = play_game(game, [hasty] * len(game.entrants), Clock())
    if played.vp != tuple(score.vp for score in bare_game(game).scores()):
        raise AssertionError("The bare loop played another game.")
    return sum(entry.HasField("chosen") for entry in replay.read(played.replay).entries)


def bare_game(game: PlannedGame) -> Position:
    """Play a game by rules and bots alone, with the same dice."""
    bots = [Hasty() for _ in game.entrants]
    position = Position.start(game.layout, len(bots))
    luck = Luck(game.dice_seed, 1, [b""] * len(bots))
    while not position.is_over:
        if moves := position.legal_moves:
            position.apply(bots[position.seat].pick(moves))
        else:
            position.roll(luck.roll())
    return position


def _best(work: Callable[[], object], windows: int) -> float:
    """Return processor seconds in the best of several windows."""
    times = []
    for _ in range(windows):
        began = process_time()
        work()
        times.append(process_time() - began)
    return min(times)


def _print(figures: Sequence[Figure]) -> None:
    table = Table(
        f"µs a decision, rules: {CORE}",
        title=f"Best of short windows; outside rules and bots at most {LIMIT:g}",
        title_justify="left",
    )
    for heading in ("all", "rules and bots", "outside", "ratio"):
        table.add_column(heading, justify="right")
    for f in figures:
        numbers = (f.all, f.rules_and_bots, f.outside, f.ratio)
        table.add_row(f.what, *(f"{number:.1f}" for number in numbers))
    Console().print(table)
