"""Games of players of many kinds: each values things in its own way, all game long.

Who plays like the engine errs like the engine. Bots of other authors do not: what they hold dear
or forget decides who wins their games. So the network learns from such games, too.
"""

from dataclasses import dataclass
from functools import partial
from math import exp, prod
from random import Random
from typing import Final

from referee.engine import prices
from referee.engine.search import Search
from referee.rules import Move, Position
from referee.training.learning import Games
from referee.training.playing import SIZES, Choose, Part, play_parts
from referee.training.searching import searching_by

_LOOKS: Final = (0, 1, 3, 8)
"""How far a player looks; each has one of these."""
_CARELESS: Final = (0.0, 0.0, 0.0, 0.03, 0.1)
"""How often a player chooses by chance; each has one of these."""
_DEVIATIONS: Final = (0.1, 0.2, 0.4, 0.7)
"""How far a player's prices are from the engine's: the deviation of their logarithms."""
_ALIKE: Final = 0.7
"""The part of the games in which all seats are the same player."""
_LONGEST: Final = 150
"""Turns after which all choose by chance: some would play for ever."""
_AS_ONE: Final = ("pesos", "lead")
"""Fields whose prices stay as they are beside each other."""
_OF_TWO: Final = 0.25
"""The part of the games that are played between two: more make chances worse in greedy's games."""
_LEAST_GAMES: Final = 2
"""One of them is not learned from."""


@dataclass(frozen=True, slots=True)
class KindsPlan:
    """The games to play, and the weights of prices and priors that players differ from."""

    seed: int
    games: int
    """Games of three players, and of four; between two there are fewer."""
    prices: bytes
    priors: bytes

    def games_of(self, players: int) -> int:
        """Return how many games of so many players to play."""
        return self.games if players > 2 else max(_LEAST_GAMES, int(self.games * _OF_TWO))


def play_kinds(plan: KindsPlan) -> list[Games]:
    """Return the games of each number of players."""
    return play_parts(partial(_play, plan), {size: plan.games_of(size) for size in SIZES})


def _play(plan: KindsPlan, part: Part) -> Games:
    with searching_by(plan.prices, plan.priors):
        return part.play(str(plan.seed), drawn)


def drawn(players: int, rng: Random) -> Choose:
    """Draw who plays a game: one player in all seats, or one in each."""
    kinds = [_Kind(players, rng) for _ in range(1 if rng.random() < _ALIKE else players)]
    own = prices.table(players)

    def choose(position: Position) -> Move:
        moves = position.legal_moves
        if len(moves) == 1:
            return moves[0]
        kind = kinds[position.seat % len(kinds)]
        if position.turn > _LONGEST or rng.random() < kind.careless:
            return rng.choice(moves)
        prices.use_table(players, kind.prices)
        try:
            search = Search(position, rng)
            search.think(kind.looks)
            return search.best_move
        finally:
            prices.use_table(players, own)

    return choose


class _Kind:
    """How a player chooses."""

    def __init__(self, players: int, rng: Random) -> None:
        self.looks, self.careless = rng.choice(_LOOKS), rng.choice(_CARELESS)
        self.prices = _other_prices(prices.table(players), rng.choice(_DEVIATIONS), rng)


def _other_prices(own: list[float], deviation: float, rng: Random) -> list[float]:
    """Return prices of which each is dearer or cheaper at all ships, and each field as a whole."""
    numbers = list(own)
    for name, (ships, *others) in prices.FIELDS.items():
        field = exp(deviation * rng.gauss(0.0, 0.7))
        first, count = prices.start(name), prod(others)
        apart = 0.0 if name in _AS_ONE else deviation
        each = [field * exp(apart * rng.gauss(0.0, 1.0)) for _ in range(count)]
        for place in range(ships * count):
            numbers[first + place] *= each[place % count]
    return numbers
