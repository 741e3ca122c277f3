"""Games by the search, and the priors that its trees teach: what moves gained in the end.

The quick look after a move is compared with what the tree found there. The difference, in VP, is
learned by a ridge regression (Hoerl and Kennard, 1970) on the two rows of the move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.engine import priors
from referee.engine.search import Search
from referee.engine.shares import of_seat
from referee.engine.tree import Node
from referee.engine.worth import quick_shares
from referee.rules import Layout, Position, roll_dice
from referee.training.course import SIZES

_ASKED: Final = 0.35
"""The part of the decisions that are learned from; the others get a tenth of the looks."""
_CARELESS: Final = (0.0, 0.03, 0.1)
"""How often a move is chosen by chance; each game has one of these."""
_KNOWN: Final = 0.2
"""A position of a tree is learned from if it has this part of the looks."""
_LEAST: Final = 5.0
"""A move is learned from if it was looked at so often, its quick look among them."""
_MOST: Final = 60.0
"""Further looks do not make it more trusted."""
_FLAT: Final = 0.01
"""Nothing is learned if a VP would change the share by less: the game is decided."""
_FARTHEST: Final = 4.0
"""VP; larger gains count as this."""
_RIDGE: Final = 3e-4
"""How strongly the gains are drawn to 0, as a part of the sum of all trust."""


@dataclass(frozen=True, slots=True)
class Course:
    """How much to play."""

    seed: int
    games: int
    """The games of each number of players, in each round."""
    looks: int = 250
    rounds: int = 2
    """The first games are played without priors, the next ones by what the first ones taught."""


@dataclass(slots=True)
class _Lessons:
    """Sums over all moves that were learned from: the normal equations of the regression."""

    products: NDArray[np.float64]
    """[row][row]: the trust in the moves that have both rows."""
    gains: NDArray[np.float64]
    """[row]: the sum of gains, each times its trust."""
    trust: float = 0.0


def train_priors(course: Course) -> Iterator[bytes]:
    """Yield the weights after each round; the same course gives the same ones, byte by byte.

    Meanwhile the search trusts them, and afterwards the engine's own again.
    """
    priors.use(priors.pack([0] * priors.ROWS))
    lessons = _Lessons(np.zeros((priors.ROWS, priors.ROWS)), np.zeros(priors.ROWS))
    try:
        for number in range(course.rounds):
            rng = Random(f"{course.seed} {number}")
            for players in SIZES:
                for _ in range(course.games):
                    _play(players, course.looks, rng, lessons)
            weights = _solved(lessons)
            priors.use(weights)
            yield weights
    finally:
        priors.forget()


def _play(players: int, looks: int, rng: Random, lessons: _Lessons) -> None:
    """Play a game by the search, and learn from some of its trees."""
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
                    _learn(node, lessons)
            position.apply(rng.choice(moves) if rng.random() < careless else search.best_move)


def _learn(node: Node, lessons: _Lessons) -> None:
    """Learn from the moves of a position what each gained beyond its quick look."""
    position = node.position
    assert position is not None
    moves = tuple(child.move for child in node.children)
    for child, pair in zip(node.children, priors.rows(position, moves), strict=True):
        if child.visits < _LEAST:
            continue
        after = position.copy()
        after.apply(child.move)
        per_vp = _share(after, child.chooser, 0.5) - _share(after, child.chooser, -0.5)
        if per_vp < _FLAT:
            continue
        total = child.visits * child.value_for_chooser - _share(
            after, child.chooser, priors.gain(pair)
        )
        found = total / (child.visits - 1.0) - _share(after, child.chooser, 0.0)
        gain = min(max(found / per_vp, -_FARTHEST), _FARTHEST)
        trust = per_vp * per_vp * min(child.visits, _MOST)
        for row in priors.unpacked(pair):
            lessons.gains[row] += trust * gain
            for other in priors.unpacked(pair):
                lessons.products[row, other] += trust
        lessons.trust += trust


def _share(position: Position, seat: int, gain: float) -> float:
    return of_seat(quick_shares(position, seat, gain), seat)


def _solved(lessons: _Lessons) -> bytes:
    """Return the weights that fit all lessons best; row 0 stays 0."""
    ridge = _RIDGE * max(lessons.trust, _RIDGE) * np.eye(priors.ROWS)
    gains = np.zeros(priors.ROWS)
    gains[1:] = np.linalg.solve((lessons.products + ridge)[1:, 1:], lessons.gains[1:])
    whole = np.rint(np.clip(gains, -_FARTHEST, _FARTHEST) * priors.SCALE)
    return priors.pack(whole.astype(int).tolist())
