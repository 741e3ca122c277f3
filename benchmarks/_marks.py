"""Judge decisions for the benchmark of marks, in a process of its own; prints JSON.

`python -m benchmarks._marks judge`, or `planner` for the time of its looks.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from random import Random
from statistics import fmean
from time import process_time
from typing import Final

from benchmarks.marks import DEEPER
from referee.analysis import STANDARD_LOOKS, analyse, pack
from referee.analysis.judging import Judgement, judge
from referee.clock import Clock
from referee.match import Match, Seat, play_table
from referee.rules import CORE, Layout, Move, Position, roll_dice
from referee.seats.player import LocalSeat
from sample_bots.greedy import GreedyBot, promise
from sample_bots.planner.search import Tree

_DECISIONS: Final = 330
_PLANNER_LOOKS: Final = 650
_PLANNER_POSITIONS: Final = 40
_FEW_LOOKS: Final = 40
_GAMES: Final = 6
_LOOKS_FOR_BYTES: Final = 20
_CARELESS: Final = 0.2
_EVERY: Final = 11  # of so many decisions one is judged
_SEED: Final = 17

Choice = tuple[Position, Move]


def main(what: str) -> None:
    """Print what was asked for."""
    chosen = _choices(Random(_SEED))
    if what == "planner":
        print(_planner_seconds([next(chosen)[0] for _ in range(_PLANNER_POSITIONS)]))
        return
    choices = [next(chosen) for _ in range(_DECISIONS)]
    begun = process_time()
    first = [_judged(choice, f"first {number}") for number, choice in enumerate(choices)]
    seconds = (process_time() - begun) / len(choices)
    judged = [
        {
            "seats": choice[0].players,
            "kind": choice[0].kind,
            "first": one.mark,
            "second": _judged(choice, f"second {number}").mark,
            "deep": _judged(choice, f"deep {number}", DEEPER * STANDARD_LOOKS).mark,
        }
        for number, (choice, one) in enumerate(zip(choices, first, strict=True))
    ]
    looks = fmean(one.looks for one in first)
    sizes = [_stored_bytes(seed) for seed in range(_GAMES)]
    told = {"core": CORE, "judged": judged, "seconds": seconds, "looks": looks, "bytes": sizes}
    print(json.dumps(told))


def _judged(choice: Choice, seed: str, looks: int = STANDARD_LOOKS) -> Judgement:
    position, move = choice
    return judge(position, move, looks, Random(seed))


def _stored_bytes(seed: int) -> int:
    """Return how many bytes the analysis of a game between greedy bots takes."""
    rng = Random(seed)
    seats = tuple(Seat("", "greedy", "1", "") for _ in range(2 + seed % 3))
    match = Match(str(seed), 1, Layout.shuffled(rng), rng.randbytes(32), Clock(), seats)
    played = asyncio.run(play_table(match, [LocalSeat(GreedyBot()) for _ in seats]))
    return len(pack(analyse(played, _LOOKS_FOR_BYTES)))


def _choices(rng: Random) -> Iterator[Choice]:
    """Yield some decisions of games without end, each with the move that was played."""
    count = 0
    game = 0
    while True:
        position = Position.start(Layout.shuffled(rng), 2 + game % 3)
        game += 1
        while not position.is_over:
            if not position.legal_moves:
                position.roll(roll_dice(rng))
                continue
            move = _chosen(position, (position.seat + game) % 3, rng)
            count += 1
            if count % _EVERY == 0:
                yield position.copy(), move
            position.apply(move)


def _chosen(position: Position, bot: int, rng: Random) -> Move:
    """Return a move of the planner with few looks (0), of greedy (1), or of a careless greedy."""
    if bot == 0:
        tree = Tree(position, Random(rng.random()))
        for _ in range(_FEW_LOOKS):
            tree.grow()
        return tree.best_move
    if bot == 2 and rng.random() < _CARELESS:
        return rng.choice(position.legal_moves)
    return max(position.legal_moves, key=lambda move: promise(position, move))


def _planner_seconds(positions: list[Position]) -> float:
    begun = process_time()
    for position in positions:
        tree = Tree(position, Random(1))
        for _ in range(_PLANNER_LOOKS):
            tree.grow()
    return (process_time() - begun) / len(positions)


if __name__ == "__main__":
    main(sys.argv[1])
