"""Games by the search, and the moves of its trees, from which prices and priors are learned."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.engine import prices, priors
from referee.engine.search import Search
from referee.engine.tree import Node
from referee.engine.worth import quick_shares
from referee.rules import Layout, Position, roll_dice

_ASKED: Final = 0.2
"""The part of the decisions that are learned from; the others get a tenth of the looks."""
_CARELESS: Final = (0.0, 0.03, 0.1)
"""How often a move is chosen by chance; each game has one of these."""
_KNOWN: Final = 0.05
"""A position of a tree is learned from if it has this part of the looks."""
_LEAST: Final = 5
"""A move is learned from if it was looked at so often, its quick look among them."""
_TAKEN: Final = 0.12
"""The part of these moves that are taken: moves of one tree are much alike."""
_MOST: Final = 400
"""Further looks do not make a move more trusted."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Moves of trees, all of games of one size, and what they were worth to the trees."""

    players: int
    cells: NDArray[np.int16]
    """[move][cell]: the position after the move."""
    citizens: NDArray[np.int16]
    """[move][stop]: its layout."""
    chooser: NDArray[np.int16]
    """[move]: the seat that chose."""
    rows: NDArray[np.int16]
    """[move][2]: the rows of `priors`."""
    shares: NDArray[np.float32]
    """[move][seat]: the mean share of the points in what the tree found behind the move."""
    trust: NDArray[np.float32]
    """[move]: how much it counts, up to 1."""


@contextmanager
def searching_by(table: bytes, gains: bytes) -> Iterator[None]:
    """Have the search go by other prices and priors, and afterwards by the engine's own."""
    prices.use(table)
    priors.use(gains)
    try:
        yield
    finally:
        prices.forget()
        priors.forget()


@dataclass(slots=True)
class _Move:
    after: Position
    chooser: int
    pair: int
    shares: list[float]
    visits: float


def lessons(players: int, games: int, looks: int, rng: Random) -> Lessons:
    """Play games of the search against itself, and return what some of its trees have found."""
    moves = [move for _ in range(games) for move in _game(players, looks, rng)]
    return Lessons(
        players,
        np.array([move.after.cells for move in moves], np.int16),
        np.array([move.after.layout.citizen_at for move in moves], np.int16),
        np.array([move.chooser for move in moves], np.int16),
        np.array([priors.unpacked(move.pair) for move in moves], np.int16),
        np.array([move.shares[:players] for move in moves], np.float32),
        np.array([np.sqrt(min(move.visits, _MOST) / _MOST) for move in moves], np.float32),
    )


def _game(players: int, looks: int, rng: Random) -> list[_Move]:
    found: list[_Move] = []
    position = Position.start(Layout.shuffled(rng), players)
    careless = rng.choice(_CARELESS)
    while not position.is_over:
        moves = position.legal_moves
        if not moves:
            position.roll(roll_dice(rng))
        elif len(moves) == 1:
            position.apply(moves[0])
        else:
            search = Search(position, rng)
            asked = rng.random() < _ASKED
            search.think(looks if asked else looks // 10)
            if asked:
                for node in search.decisions(int(looks * _KNOWN)):
                    found += _moves(node, rng)
            position.apply(rng.choice(moves) if rng.random() < careless else search.best_move)
    return found


def _moves(node: Node, rng: Random) -> list[_Move]:
    """Return some moves of a position, with what was found behind their own quick looks."""
    position = node.position
    assert position is not None
    found: list[_Move] = []
    pairs = priors.rows(position, tuple(child.move for child in node.children))
    for child, pair in zip(node.children, pairs, strict=True):
        if child.visits < _LEAST or rng.random() >= _TAKEN:
            continue
        after = position.copy()
        after.apply(child.move)
        if after.is_over:
            continue
        quick = quick_shares(after, child.chooser, priors.gain(pair))
        shares = [
            (mean * child.visits - seen) / (child.visits - 1.0)
            for mean, seen in zip(child.value, quick, strict=True)
        ]
        found.append(_Move(after, child.chooser, pair, shares, child.visits))
    return found
