"""Measure how well the engine's chances are calibrated: `python -m benchmarks chances`.

Games of bots that the network was not trained on: `greedy`, and the planner with a fixed number of
looks, each against itself. At every decision the engine says who will win, as an analysis of the
game does. Beside it stands a softmax on 14 features of each seat, fitted on one half of the games
for the other half, and the engine's chances sharpened to fit in the same way.
`python -m benchmarks.chances GAMES greedy SEED` plays so many games of one bot, other ones with
another seed; `random` is a third one. Intervals hold 95 of 100 draws of the same games. With few
games the error seems larger than it is: what right chances would show is printed, too.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

import numpy as np

from benchmarks._chances import (
    Floats,
    Moments,
    Resampled,
    best_sharpness,
    calibration_error,
    fit,
    log_loss,
    losses,
    reliability,
    softmax,
    tempered,
)
from referee.analysis.chances import Level, chances_at
from referee.rules import CORE, Layout, Move, Position, pieces, roll_dice
from sample_bots.greedy import VISITS, promise
from sample_bots.planner.search import Tree

_GAMES: Final = 400
_SEED: Final = 1
_LOOKS: Final = 4
_PHASES: Final = {"ships 1 and 2": (1, 2), "3 and 4": (3, 4), "5 and 6": (5, 6), "7": (7, 7)}
_PLAIN: Final = "softmax on 14 features"
_LONGEST: Final = 200
"""Turns after which `greedy` plays by chance: two of it can play for ever (H7)."""

Choose = Callable[[Position, Random], Move]


def _greedy(position: Position, rng: Random) -> Move:
    if position.turn > _LONGEST:
        return rng.choice(position.legal_moves)
    return max(position.legal_moves, key=lambda move: promise(position, move))


def _planner(position: Position, rng: Random) -> Move:
    tree = Tree(position, rng)
    if not tree.is_settled:
        for _ in range(_LOOKS):
            tree.grow()
    return tree.best_move


def _random(position: Position, rng: Random) -> Move:
    return rng.choice(position.legal_moves)


def main(arguments: Sequence[str] = ()) -> None:
    """Print errors and losses for greedy and planner, or the named bots, at each table size."""
    numbers = [int(text) for text in arguments if text.isdigit()]
    games, seed = (numbers + [_GAMES, _SEED][len(numbers) :])[:2]
    bots: dict[str, Choose] = {"greedy": _greedy, "planner": _planner, "random": _random}
    wanted = [name for name in bots if name in arguments] or ["greedy", "planner"]
    print(f"{games} games of each kind, seed {seed}, {CORE} core; loss and error of chances to win")
    print(f"The planner looks {_LOOKS} times a decision.")
    for name in wanted:
        for players in (2, 3, 4):
            _report(f"{name}, {players} seats", played(bots[name], players, games, seed))


def played(choose: Choose, players: int, games: int, seed: int) -> Moments:
    """Play games and return their moments."""
    rng = Random(f"{seed} {players}")
    chances: list[list[float]] = []
    features: list[list[list[float]]] = []
    won: list[list[float]] = []
    ships: list[int] = []
    numbers: list[int] = []
    for number in range(games):
        position = Position.start(Layout.shuffled(rng), players)
        seen: list[Position] = []
        level = Level(players)
        for move in _moves(position, choose, rng):
            seen.append(position.copy())
            if len(position.legal_moves) > 1:
                level.add(position, move)
        for moment in seen:
            chances.append([row[0] for row in chances_at(moment, level.certainty)])
            features.append(_features(moment))
            ships.append(moment.ship)
        numbers += [number] * len(seen)
        won += [_winners(position)] * len(seen)
    return Moments(
        np.array(chances), np.array(features), np.array(won), np.array(ships), np.array(numbers)
    )


def _moves(position: Position, choose: Choose, rng: Random) -> Iterator[Move]:
    """Play a game in place; yield each move before it is made."""
    while not position.is_over:
        if position.legal_moves:
            move = choose(position, rng)
            yield move
            position.apply(move)
        else:
            position.roll(roll_dice(rng))


def _winners(position: Position) -> list[float]:
    ranks = [score.rank for score in position.scores()]
    return [(rank == 1) / ranks.count(1) for rank in ranks]


def _features(position: Position) -> list[list[float]]:
    """Return seven numbers of each seat, and the same by the ships to come."""
    to_come = (pieces.SHIPS - position.ship) / pieces.SHIPS
    rows = []
    for seat in range(position.players):
        goods = position.goods(seat)
        demand = position.demand or (0,) * pieces.WOOD
        wanted = sum(min(held, units) for held, units in zip(goods, demand, strict=False))
        owned = sum(VISITS[b] for b in range(len(VISITS)) if position.owner(b) == seat)
        wait = (seat - position.active) % position.players
        row = [
            float(position.vp(seat)),
            float(position.pesos(seat)),
            float(sum(goods[: pieces.WOOD])),
            float(goods[pieces.WOOD]),
            float(wanted * position.value),
            owned,
            float(wait),
        ]
        rows.append(row + [number * to_come for number in row])
    return rows


def _report(title: str, moments: Moments) -> None:
    ways: dict[str, Floats] = {
        "engine": moments.chances,
        "engine, sharpened": np.empty_like(moments.chances),
        _PLAIN: np.empty_like(moments.chances),
    }
    for half in (0, 1):
        inside = moments.game % 2 == half
        known, asked = moments.where(~inside), moments.where(inside)
        sharpness = best_sharpness(known.chances, known.won)
        ways["engine, sharpened"][inside] = tempered(asked.chances, sharpness)
        weights = fit(known.features, known.won)
        ways[_PLAIN][inside] = softmax(asked.features, weights)
    print(f"\n{title}: {len(moments.won)} decisions of {len(np.unique(moments.game))} games")
    again = Resampled(moments.game)
    for way, chances in ways.items():
        by_phase = ", ".join(
            f"{name}: {_percent(calibration_error(chances[inside], moments.won[inside]))}"
            for name, inside in _phases(moments)
        )
        error = _percent(calibration_error(chances, moments.won))
        low, high = map(_percent, again.calibration_error(chances, moments.won))
        loss = log_loss(chances, moments.won)
        print(f"  {way:22} loss {loss:.4f}, error {error} ({low} to {high}; {by_phase})")
    mean, worst = map(_percent, again.error_of_right_chances(moments.chances, moments.won))
    print(f"  right chances would show an error of {mean}, 95 of 100 such sets up to {worst}")
    won = losses(ways[_PLAIN], moments.won) - losses(moments.chances, moments.won)
    least, most = again.mean(won)
    print(f"  the engine's loss is less by {won.mean():.4f} ({least:.4f} to {most:.4f})")
    said = [f"{a:.2f} {b:.2f}" for a, b, _ in reliability(moments.chances, moments.won)]
    print(f"  said and was: {'; '.join(said)}", flush=True)


def _phases(moments: Moments) -> Iterator[tuple[str, "np.ndarray[tuple[int], np.dtype[np.bool_]]"]]:
    for name, (first, last) in _PHASES.items():
        yield name, (moments.ship >= first) & (moments.ship <= last)


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %"


if __name__ == "__main__":
    main(sys.argv[1:])
