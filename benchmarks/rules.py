"""Measure how fast the rules are: random play and what searching bots do, in one process.

Absolute figures are the machine's; beside each stands its ratio to a calibration loop that runs in
the same moments. Every figure is the best of several short windows, which a busy machine disturbs
least. `python -m benchmarks rules` prints a table and writes benchmarks/results/rules-*.json.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

from rich.console import Console
from rich.table import Table

from referee.rules import CORE, Layout, Position, play_out, roll_dice
from sample_bots.planner.search import Tree

RESULTS: Final = Path(__file__).parent / "results" / f"rules-{CORE.replace(' ', '-').lower()}.json"
_WINDOWS: Final = 25
_GAMES: Final = 12  # in each window
_SEARCHES: Final = 4
_LOOKS: Final = 30
_CALIBRATION_STEPS: Final = 200_000


Work = Callable[[list[Position], Random], int]
"""Does something with positions; returns how often it did it."""


@dataclass(frozen=True)
class Figure:
    """One measured rate. `ratio`: rate over the rate of the calibration loop."""

    name: str
    per_second: float
    ratio: float


def main() -> None:
    """Measure everything, print the table, write the JSON."""
    figures = []
    for players in (2, 3, 4):
        figures += [
            best(f"decisions, {players} players, apply", starts(players), decisions),
            best(f"decisions, {players} players, play_out", starts(players), play_outs),
            best(f"whole games, {players} players, play_out", starts(players), _games),
        ]
    figures += [best(name, lambda _: _POSITIONS, work) for name, work in _WORK.items()]
    figures.append(best("layouts and first positions", _no_positions, _layouts))
    _print(figures)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")


def starts(players: int) -> Callable[[Random], list[Position]]:
    def prepare(rng: Random) -> list[Position]:
        return [Position.start(Layout.shuffled(rng), players) for _ in range(_GAMES)]

    return prepare


def _no_positions(_: Random) -> list[Position]:
    return []


def _layouts(_: list[Position], rng: Random) -> int:
    for _game in range(_GAMES):
        Position.start(Layout.shuffled(rng), 4)
    return _GAMES


def play_outs(positions: list[Position], rng: Random) -> int:
    """Do the same with the loop in the rules, which the compiled core also compiles."""
    return sum(play_out(position, rng) for position in positions)


def _games(positions: list[Position], rng: Random) -> int:
    play_outs(positions, rng)
    return len(positions)


def decisions(positions: list[Position], rng: Random) -> int:
    """Make decisions with a choice, each move taken from `legal_moves` and passed to `apply`."""
    made = 0
    random = rng.random
    for position in positions:
        while True:
            moves = position.legal_moves
            if moves:
                made += 1
                position.apply(moves[int(random() * len(moves))])
            elif position.is_over:
                break
            else:
                position.roll(roll_dice(rng))
    return made


def _copies(positions: list[Position], _: Random) -> int:
    for position in positions:
        position.copy()
    return len(positions)


def _legal_moves(positions: list[Position], _: Random) -> int:
    """Read `legal_moves`, which a position keeps ready."""
    for position in positions:
        len(position.legal_moves)
    return len(positions)


def _show(positions: list[Position], _: Random) -> int:
    for position in positions:
        str(position)
    return len(positions)


def _parse(positions: list[Position], _: Random) -> int:
    for line in _LINES[: len(positions)]:
        Position.parse(line)
    return len(positions)


def _nodes(positions: list[Position], _: Random) -> int:
    """Do what a search does at each node: a copy and a move."""
    for position in positions:
        node = position.copy()
        node.apply(position.legal_moves[-1])
    return len(positions)


def _looks(positions: list[Position], rng: Random) -> int:
    """Count a searching bot's looks: down the tree, expand a leaf, evaluate its children."""
    for position in positions[:_SEARCHES]:
        tree = Tree(position.copy(), rng)
        for _ in range(_LOOKS):
            tree.grow()
    return _SEARCHES * _LOOKS


def _middle_games(count: int) -> list[Position]:
    rng = Random(5)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start(Layout.shuffled(rng), 4)
        for _ in range(100):
            if position.legal_moves:
                position.apply(rng.choice(position.legal_moves))
            elif not position.is_over:
                position.roll(roll_dice(rng))
        if position.legal_moves:
            found.append(position)
    return found


_POSITIONS: Final = _middle_games(200)
_LINES: Final = [str(position) for position in _POSITIONS]
_WORK: Final[dict[str, Work]] = {
    "copy": _copies,
    "legal_moves": _legal_moves,
    "search nodes (copy and apply)": _nodes,
    "looks of the planner's search": _looks,
    "position to text": _show,
    "text to position": _parse,
}


def best(name: str, prepare: Callable[[Random], list[Position]], work: Work) -> Figure:
    """Return the best rate of several windows; `prepare` is not measured."""
    rates, calibrations = [], []
    for seed in range(_WINDOWS):
        rng = Random(seed)
        positions = prepare(rng)
        began = process_time()
        done = work(positions, rng)
        rates.append(done / (process_time() - began))
        calibrations.append(_calibration())
    return Figure(name, max(rates), max(rates) / max(calibrations))


def _calibration() -> float:
    """Return steps per second of a loop of integer arithmetic in the interpreter."""
    began = process_time()
    number = 0
    for step in range(_CALIBRATION_STEPS):
        number = (number * 31 + step) & 0xFFFF
    return _CALIBRATION_STEPS / (process_time() - began)


def _print(figures: list[Figure]) -> None:
    table = Table(f"the rules, {CORE}", title="Best of short windows", title_justify="left")
    table.add_column("a second", justify="right")
    table.add_column("ratio to calibration", justify="right")
    for figure in figures:
        table.add_row(figure.name, f"{figure.per_second:,.0f}", f"{figure.ratio:.4f}")
    Console().print(table)
