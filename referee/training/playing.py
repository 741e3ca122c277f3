"""Games to learn from, and what the network can learn of them.

A game's seats may choose in any way (`Table`). Here they are the network against itself: each looks
one move ahead. Some games are played as well as that goes. In others seats choose by chance now and
then: a search asks what follows bad moves, too. `kinds` has players of other kinds.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from math import log
from multiprocessing import get_context
from random import Random
from typing import Final, TypeAlias, TypeVar

import numpy as np

from referee.engine.features import seat_rows, street_rows
from referee.rules import Layout, Move, Position, roll_dice
from referee.rules.cells import HELD, OVER, PESOS, PHASE, PLAYER, SHIP, VP
from referee.rules.pieces import GOODS, SHIPS
from referee.training.learning import NO_FACT, Games

Judge: TypeAlias = Callable[[Position], list[float]]
"""Returns a value by seat, the larger the better."""
Choose: TypeAlias = Callable[[Position], Move]
"""Returns the move of the seat that decides."""
Table: TypeAlias = Callable[[int, Random], Choose]
"""Returns how the seats of a game choose, by their number; it may draw that."""

_P = TypeVar("_P")
_R = TypeVar("_R")

SIZES: Final = (2, 3, 4)
_WIDTH: Final = 60
"""Room for the facts of a seat."""
_KEPT: Final = 0.08
"""The part of the moments that is learned from: those of one game are much alike."""
_CARELESS: Final = (0.0, 0.02, 0.08)
"""How often a move is chosen by chance; each game has one of these."""
_VAGUE: Final = (0.0, 0.01, 0.03)
"""How much values are blurred (the scale of Gumbel's distribution); each game has one of these."""
_GAMES_OF_A_PART: Final = 250


def guess(position: Position) -> list[float]:
    """Return what the first games are played by: VP, with a price for pesos and goods."""
    cells = position.cells
    lead = 2.0 + 0.8 * (SHIPS - cells[SHIP])
    worths = []
    for seat in range(position.players):
        base = PLAYER[seat]
        goods = sum(cells[base + HELD : base + HELD + len(GOODS)])
        worths.append((cells[base + VP] + 0.4 * cells[base + PESOS] + 0.8 * goods) / lead)
    total = sum(worths)
    return [0.2 * (worth - (total - worth) / (len(worths) - 1)) for worth in worths]


def one_move_ahead(judge: Judge) -> Table:
    """Let all seats of a game choose the move after which the judge values them most.

    Each game draws how often they choose by chance, and how blurred they see.
    """

    def begun(players: int, rng: Random) -> Choose:  # noqa: ARG001
        careless, vague = rng.choice(_CARELESS), rng.choice(_VAGUE)
        return lambda position: _best(position, judge, rng, careless, vague)

    return begun


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the games of one number of players: what a process plays at a time."""

    players: int
    first: int
    """The number of its first game."""
    games: int

    def play(self, seed: str, table: Table) -> Games:
        """Play its games; the same seed gives the same games."""
        played = play(self.players, self.games, f"{seed} {self.first}", table)
        return replace(played, game=played.game + np.int32(self.first))


def play_parts(play_part: Callable[[Part], Games], games: Mapping[int, int]) -> list[Games]:
    """Play so many games of each number of players; a few are not worth processes."""
    parts = [
        Part(size, first, min(_GAMES_OF_A_PART, number - first))
        for size, number in games.items()
        for first in range(0, number, _GAMES_OF_A_PART)
    ]
    if len(parts) == len(games):
        return [play_part(part) for part in parts]
    played = in_processes(play_part, parts)
    return [_joined([part for part in played if part.players == size]) for size in games]


def in_processes(play_part: Callable[[_P], _R], parts: Iterable[_P]) -> list[_R]:
    """Play parts of games by as many processes as processors, which end after it.

    They are not forked: a copy of a process that has used gRPC may wait for ever.
    """
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return list(pool.map(play_part, parts))


def _joined(parts: list[Games]) -> Games:
    return Games(
        np.concatenate([part.facts for part in parts]),
        np.concatenate([part.ahead for part in parts]),
        np.concatenate([part.game for part in parts]),
    )


def play(players: int, games: int, seed: int | str, table: Table) -> Games:
    """Play games of a number of players; the same seed gives the same games."""
    rng = Random(f"{seed} {players}")
    facts = array("h")
    ahead: list[list[list[float]]] = []
    numbers: list[int] = []
    for number in range(games):
        position = Position.start(Layout.shuffled(rng), players)
        moments = _play_one(position, table(players, rng), rng, facts)
        ranks = [score.rank for score in position.scores()]
        order = [[(1 + (b > a) - (b < a)) / 2 for b in ranks] for a in ranks]
        ahead += [order] * moments
        numbers += [number] * moments
    shape = (len(numbers), players, _WIDTH)
    return Games(
        np.frombuffer(facts, np.int16).reshape(shape),
        np.array(ahead, np.float32).reshape(len(numbers), players, players),
        np.array(numbers, np.int32),
    )


def _play_one(position: Position, choose: Choose, rng: Random, facts: "array[int]") -> int:
    """Play a game to its end, write down facts, and return of how many moments."""
    streets: dict[int, list[int]] = {}
    moments = 0
    while True:
        if position.legal_moves:
            position.apply(choose(position))
        else:
            position.roll(roll_dice(rng))
        if position.cells[PHASE] == OVER:
            return moments
        if rng.random() < _KEPT:
            _write_down(position, streets, facts)
            moments += 1


def _best(position: Position, judge: Judge, rng: Random, careless: float, vague: float) -> Move:
    moves = position.legal_moves
    if rng.random() < careless:
        return rng.choice(moves)
    seat = position.seat
    best, highest = moves[0], float("-inf")
    for move in moves:
        after = position.copy()
        after.apply(move)
        value = judge(after)[seat]
        if vague:
            value -= vague * log(rng.expovariate(1.0))
        if value > highest:
            best, highest = move, value
    return best


def _write_down(position: Position, streets: dict[int, list[int]], facts: "array[int]") -> None:
    common, all_rows, keys = seat_rows(position)
    for rows, key in zip(all_rows, keys, strict=True):
        if key not in streets:
            streets[key] = street_rows(position.layout, key)
        seen = common + rows + streets[key]
        facts.extend(seen + [NO_FACT] * (_WIDTH - len(seen)))
