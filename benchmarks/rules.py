"""How fast the rules are: random play and what searching bots do, in one process.

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

RESULTS: Final = Path(__file__).parent / "results" / f"rules-{CORE.replace(' ', '-').lower()}.json"
_WINDOWS: Final = 25
_GAMES: Final = 12  # in each window
_CALIBRATION_STEPS: Final = 200_000


@dataclass(frozen=True)
class Figure:
    """One measured rate. `ratio`: rate over the rate of the calibration loop."""

    name: str
    per_second: float
    ratio: float


def main() -> None:
    """Measures everything, prints the table, writes the JSON."""
    figures = [
        figure for players in (2, 3, 4) for figure in (_playouts(players), _decisions(players))
    ]
    figures += [_of_positions(name, work) for name, work in _WORK.items()]
    _print(figures)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")


def _playouts(players: int) -> Figure:
    def window(rng: Random) -> int:
        for _ in range(_GAMES):
            play_out(Position.start(Layout.shuffled(rng), players), rng)
        return _GAMES

    return _best(f"random games, {players} players (play_out)", window)


def _decisions(players: int) -> Figure:
    """Decisions with a choice, each move taken from `legal_moves` and given to `apply`."""

    def window(rng: Random) -> int:
        decisions = 0
        random = rng.random
        for _ in range(_GAMES):
            position = Position.start(Layout.shuffled(rng), players)
            while True:
                moves = position.legal_moves
                if moves:
                    decisions += 1
                    position.apply(moves[int(random() * len(moves))])
                elif position.is_over:
                    break
                else:
                    position.roll(roll_dice(rng))
        return decisions

    return _best(f"decisions with a choice, {players} players", window)


def _copies(positions: list[Position]) -> None:
    for position in positions:
        position.copy()


def _legal_moves(positions: list[Position]) -> None:
    """`legal_moves` is kept ready: what it costs is a look."""
    for position in positions:
        len(position.legal_moves)


def _show(positions: list[Position]) -> None:
    for position in positions:
        str(position)


def _parse(positions: list[Position]) -> None:
    for line in _LINES[: len(positions)]:
        Position.parse(line)


def _nodes(positions: list[Position]) -> None:
    """What a search does at each node: a copy and a move."""
    for position in positions:
        node = position.copy()
        node.apply(position.legal_moves[-1])


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
_WORK: Final[dict[str, Callable[[list[Position]], None]]] = {
    "copy": _copies,
    "legal_moves": _legal_moves,
    "search nodes (copy and apply)": _nodes,
    "position to text": _show,
    "text to position": _parse,
}


def _of_positions(name: str, work: Callable[[list[Position]], None]) -> Figure:
    def window(_: Random) -> int:
        work(_POSITIONS)
        return len(_POSITIONS)

    return _best(name, window)


def _best(name: str, window: Callable[[Random], int]) -> Figure:
    rates, calibrations = [], []
    for seed in range(_WINDOWS):
        rng = Random(seed)
        began = process_time()
        done = window(rng)
        rates.append(done / (process_time() - began))
        calibrations.append(_calibration())
    return Figure(name, max(rates), max(rates) / max(calibrations))


def _calibration() -> float:
    """Steps a second of a loop of integer arithmetic in the interpreter."""
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
