"""A random player over the checker's own rules, which writes traces to test the checker with.

Run as a file it prints games: python tests/rules/checker/player.py PLAYERS GAMES SEED
"""

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":  # run as a file, it finds its package from the project's folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.rules.checker.game import play
from tests.rules.checker.names import (
    BUILDINGS,
    CITIZEN_FLOWERS,
    FACES,
    FLOWERS,
    Decision,
    Due,
    Roll,
    Setup,
    Table,
)
from tests.rules.checker.scoring import scores
from tests.rules.checker.start import table_of

Line = dict[str, Any]
Answer = Callable[[Due], Any]


def shuffled(players: int, luck: Random) -> Setup:
    """A setup line with shuffled citizens, buildings and flowers."""
    return {
        "type": "setup",
        "players": players,
        "citizens": luck.sample(list(CITIZEN_FLOWERS), 9),
        "buildings": luck.sample(BUILDINGS, 12),
        "space_flowers": luck.sample(FLOWERS * 3, 12),
        "citizen_flowers": dict(CITIZEN_FLOWERS),
        "seed": None,
    }


def at_random(luck: Random) -> Answer:
    """Fair dice and uniform moves."""

    def answer(due: Due) -> Any:
        if isinstance(due, Roll):
            return {good: luck.choice(faces) for good, faces in FACES.items()}
        return luck.choice(due.legal)

    return answer


def trace(setup: Setup, answer: Answer) -> Iterator[Line]:
    """The lines of a whole game, played by one function that answers everything."""
    yield dict(setup)
    table = table_of(setup)
    game = play(table, setup)
    try:
        due = next(game)
        while True:
            reply = answer(due)
            yield line_of(due, reply, table)
            due = game.send(reply)
    except StopIteration as over:
        yield {
            "type": "result",
            "reason": over.value,
            "state": copy.deepcopy(table),
            "scores": scores(table),
        }


def line_of(due: Due, reply: Any, table: Table) -> Line:
    """What the trace says about one roll or decision."""
    if isinstance(due, Decision):
        return {
            "type": "decision",
            "seat": due.seat,
            "kind": due.kind,
            "legal": list(due.legal),
            "chosen": reply,
            "state": copy.deepcopy(table),
        }
    return {"type": "roll", "seat": due.seat, "dice": reply}


def random_game(players: int, seed: int) -> list[Line]:
    """A whole random game as the lines of its trace."""
    luck = Random(seed)
    return list(trace(shuffled(players, luck), at_random(luck)))


def encoded(lines: list[Line]) -> list[bytes]:
    """The lines as they stand in a file."""
    return [json.dumps(line).encode() + b"\n" for line in lines]


if __name__ == "__main__":
    seats, games, first_seed = map(int, sys.argv[1:])
    for seed in range(first_seed, first_seed + games):
        sys.stdout.buffer.writelines(encoded(random_game(seats, seed)))
