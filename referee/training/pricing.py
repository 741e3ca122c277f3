"""Learn prices and priors, so that a quick look says what the tree finds in the end.

A leaf's value is compared with what the search found behind it, at all moves of the tree that it
looked at often enough, not at the root alone (TreeStrap of Veness, Silver, Uther and Blair,
"Bootstrapping from game tree search", 2009). The slope of the squared difference is followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.engine import prices, priors
from referee.engine.prices import PRICES, SHIPS
from referee.engine.stored import pack
from referee.rules.pieces import WOOD
from referee.training.learning import Slopes
from referee.training.playing import SIZES, in_processes
from referee.training.quick_facts import QuickFacts, Whole, quick_facts
from referee.training.searching import Lessons, lessons, searching_by

Floats: TypeAlias = NDArray[np.float64]

_LEADS: Final[int] = prices.start("lead")
_FIRST_LEAD: Final = 4.0
_FIRST_GOOD: Final = 0.8
_FIRST_PESO: Final = 0.4
"""The plain guess by which the first games are played, in VP."""
_NO_GAINS: Final = [0.0] * priors.ROWS
_GAMES_OF_A_PART: Final = 20
_ROUNDS_KEPT: Final = 3
"""The number of rounds whose games it learns from at a time."""
_BATCH: Final = 2048
_RATE: Final = 0.02
_RATE_OF_LEADS: Final = 0.01
_TOWARDS_BEFORE: Final = 1e-6
"""How strongly prices are drawn to those before."""
_LEAST_SLOPE: Final = 1e-9
_FARTHEST: Final = 30.0
"""VP; no price is larger."""


@dataclass(frozen=True, slots=True)
class Course:
    """How much to play, and how often to learn from it."""

    seed: int
    games: int
    """The games of each number of players, in each round."""
    rounds: int
    """The first games are played by a plain guess, the next ones by what the first ones taught."""
    further: bool = False
    """True to begin with the engine's own prices, not with a plain guess."""
    looks: int = 1000
    passes: int = 6


@dataclass(frozen=True, slots=True)
class Lesson:
    """The outcome of a round."""

    prices: bytes
    priors: bytes
    error: float
    """The root of the mean square difference of shares in a round's games, before it learned."""


def train_prices(course: Course) -> Iterator[Lesson]:
    """Yield the weights after each round; the same course gives the same ones, byte by byte.

    Games are played by as many processes as there are processors.
    """
    learner = _Learner(course.seed, further=course.further)
    seen: list[Lessons] = []
    for number in range(course.rounds):
        parts = _parts(course, number, learner.packed())
        seen = [*seen[-len(parts) * (_ROUNDS_KEPT - 1) :], *in_processes(_play, parts)]
        error = learner.learn(seen, course.passes)
        yield Lesson(*learner.packed(), error)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a round's games."""

    players: int
    games: int
    looks: int
    seed: str
    weights: tuple[bytes, bytes]


def _parts(course: Course, number: int, weights: tuple[bytes, bytes]) -> list[_Part]:
    return [
        _Part(size, games, course.looks, f"{course.seed} {number} {size} {first}", weights)
        for first in range(0, course.games, _GAMES_OF_A_PART)
        for games in [min(_GAMES_OF_A_PART, course.games - first)]
        for size in SIZES
    ]


def _play(part: _Part) -> Lessons:
    """Play by these weights, and by the engine's own again afterwards."""
    with searching_by(*part.weights):
        return lessons(part.players, part.games, part.looks, Random(part.seed))


def _guess() -> list[float]:
    table = [0.0] * PRICES
    for ship in range(SHIPS):
        for pesos in range(prices.PESOS_TOLD):
            table[prices.start("pesos") + ship * prices.PESOS_TOLD + pesos] = pesos * _FIRST_PESO
        for good in range(WOOD):
            table[prices.start("good") + ship * WOOD + good] = _FIRST_GOOD
        table[_LEADS + ship] = _FIRST_LEAD
    return table


class _Learner:
    """The prices of all sizes and the gains of the priors, in VP, and how sharp leads are."""

    def __init__(self, seed: int, *, further: bool) -> None:
        self._rng = np.random.default_rng(seed)
        tables = [prices.table(size) if further else _guess() for size in SIZES]
        gains = [priors.gain(row) for row in range(priors.ROWS)] if further else _NO_GAINS
        self._table = np.concatenate([*map(np.array, tables), np.array(gains)])
        leads = self._table[: PRICES * len(SIZES)].reshape(len(SIZES), PRICES)[:, _LEADS:]
        self._sharpness = np.log(2.0 / leads[:, :SHIPS])

    def packed(self) -> tuple[bytes, bytes]:
        """Return the weights of `prices` and of `priors`."""
        tables = self._table[: PRICES * len(SIZES)].reshape(len(SIZES), PRICES).copy()
        tables[:, _LEADS : _LEADS + SHIPS] = 2.0 / np.exp(self._sharpness)
        gains = self._table[PRICES * len(SIZES) :]
        return pack(_whole(tables)), pack(_whole(gains))

    def learn(self, seen: list[Lessons], passes: int) -> float:
        """Learn from what was seen; return the error before it."""
        facts = [quick_facts(part) for part in seen]
        error = self._error(seen, facts)
        of_prices = Slopes(self._table, _LEAST_SLOPE)
        of_sharpness = Slopes(self._sharpness, _LEAST_SLOPE)
        before = self._table.copy()
        batches = [
            (part, batch)
            for part in range(len(seen))
            for _ in range(passes)
            for batch in self._batches(len(seen[part].cells))
        ]
        for done, number in enumerate(self._rng.permutation(len(batches)), start=1):
            part, chosen = batches[number]
            by_price, by_sharpness = self._slope(seen[part], facts[part], chosen)
            by_price += _TOWARDS_BEFORE * (self._table - before)
            left = 1 - done / (len(batches) + 1)
            self._table -= of_prices.step(by_price, _RATE * left)
            self._sharpness -= of_sharpness.step(by_sharpness, _RATE_OF_LEADS * left)
        return error

    def _batches(self, moves: int) -> list[Whole]:
        return np.array_split(self._rng.permutation(moves), max(1, moves // _BATCH))

    def _error(self, seen: list[Lessons], facts: list[QuickFacts]) -> float:
        total, weight = 0.0, 0.0
        for part, told in zip(seen, facts, strict=True):
            for chosen in self._batches(len(part.cells)):
                ahead = self._ahead(part.players - SIZES[0], told, chosen)[2]
                missed = _shares(ahead) - part.shares[chosen]
                trust = part.trust[chosen]
                total += float((trust[:, None] * missed**2).sum()) / part.players
                weight += float(trust.sum())
        return float(np.sqrt(total / max(weight, 1e-9)))

    def _ahead(
        self, size: int, facts: QuickFacts, chosen: Whole
    ) -> tuple[Whole, Floats, Floats, Floats]:
        """Return the places of the prices, by how much seats are ahead, and how likely they end so.

        [move][seat][number], and twice [move][seat][other]; then, by move, how sharp leads are.
        """
        places = facts.places[chosen].astype(np.int64)
        places += np.where(places < PRICES, size * PRICES, (len(SIZES) - 1) * PRICES)
        worth = facts.vp[chosen] + (self._table[places] * facts.amounts[chosen]).sum(2)
        leads = worth[:, :, None] - worth[:, None, :]
        sharp = np.exp(self._sharpness[size][facts.ship[chosen]])
        ahead = 1 / (1 + np.exp(-np.clip(leads * sharp[:, None, None], -30, 30)))
        return places, leads, ahead, sharp

    def _slope(self, seen: Lessons, facts: QuickFacts, chosen: Whole) -> tuple[Floats, Floats]:
        """Return the slope of the error by the prices, and by how sharp leads are."""
        size = seen.players - SIZES[0]
        places, leads, ahead, sharp = self._ahead(size, facts, chosen)
        trust = seen.trust[chosen] / seen.trust[chosen].sum()
        by_share = 2 * trust[:, None] * (_shares(ahead) - seen.shares[chosen]) / seen.players
        by_logit = by_share[:, :, None] * ahead * (1 - ahead) / (seen.players - 1)
        by_lead = by_logit * sharp[:, None, None]
        by_worth = by_lead.sum(2) - by_lead.sum(1)
        by_price = np.bincount(
            places.ravel(), (facts.amounts[chosen] * by_worth[:, :, None]).ravel(), self._table.size
        )
        by_sharpness = np.zeros_like(self._sharpness)
        weights = (by_logit * leads).sum((1, 2)) * sharp
        by_sharpness[size] = np.bincount(facts.ship[chosen], weights, SHIPS)
        return by_price.astype(np.float64), by_sharpness


def _shares(ahead: Floats) -> Floats:
    """Return the seats' shares of the points: [move][seat]."""
    found: Floats = (ahead.sum(2) - 0.5) / (ahead.shape[1] - 1)
    return found


def _whole(numbers: Floats) -> list[int]:
    """Return VP as thousandths."""
    found: list[int] = (
        np.rint(np.clip(numbers.ravel(), -_FARTHEST, _FARTHEST) * 1000).astype(int).tolist()
    )
    return found
