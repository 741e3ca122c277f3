"""The network while it learns: rows of floats, and how they follow the slope of the loss.

What is learned of each pair of seats is the chance that one ends ahead of the other. In the model
of Plackett and Luce that is the logistic function of the difference of their scores.
"""

from dataclasses import dataclass
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.engine.fields import FARTHEST_LEAD, FIELDS, ROWS, START
from referee.engine.network import SCALE, UNITS, unpack

Floats: TypeAlias = NDArray[np.float32]
Facts: TypeAlias = NDArray[np.int16]
Numbers: TypeAlias = NDArray[np.floating[Any]]

NO_FACT: Final = ROWS
"""The fact that fills up a seat that has fewer than others; its row stays 0."""

SHARED: Final[dict[str, tuple[tuple[int, ...], ...]]] = {
    "turn": ((0,), (1, 2, 3), (0, 1)),
    "lead": ((0, 1), (2,)),
    "mean lead": ((0, 1), (2,)),
    "purse": ((0,), (1,), (0, 1), (0, 2)),
    "marks": ((2,), (0, 1)),
    "good": ((0,), (3, 4), (1, 2), (0, 3, 4)),
    "stock": ((0,), (2,)),
    "glut": ((0,),),
    "own": ((0,), (1,)),
    "cargo": ((0,), (1,)),
    "clock": ((2,),),
    "visit": ((2,),),
    "stop": ((0, 1), (1,)),
    "house": ((0,),),
}
"""Rows share what they learn along these axes of their field, and learn the rest for themselves.

So a rare fact is known by those that are like it."""
_SLOPED: Final = ("lead", "mean lead")
"""Fields whose last axis is a lead: each row begins with a part that is proportional to it."""
_SLOPE: Final = np.linspace(-3, 3, 2 * FARTHEST_LEAD + 1, dtype=np.float32)[:, None]
_SIGNS: Final = np.where(np.arange(UNITS) % 2, -1, 1).astype(np.float32)
_LEAST_SLOPE: Final = 1e-6
_MOMENTUM: Final = 0.9
_SMOOTHNESS: Final = 0.999


@dataclass(frozen=True, slots=True)
class Games:
    """Moments of games of one number of players, in their order."""

    facts: Facts
    """[moment][seat][number]: the rows of the network."""
    ahead: Floats
    """[moment][seat][other]: 1 if the seat ends ahead of the other, 0.5 for a tie."""
    game: NDArray[np.int32]
    """[moment]: the number of its game."""

    @property
    def players(self) -> int:
        """The number of seats."""
        return int(self.facts.shape[1])


class Slopes:
    """The moments of the slopes of some numbers, and the steps that they lead to.

    They are those of Adam (Kingma and Ba, "Adam", 2015).
    """

    def __init__(self, numbers: Numbers, least: float) -> None:
        self._mean = np.zeros_like(numbers)
        self._square = np.zeros_like(numbers)
        self._least = least
        """Slopes below it lead to small steps."""
        self._steps = 0

    def step(self, slope: Numbers, rate: float) -> Numbers:
        """Return what to take from the numbers next: about `rate` each at first."""
        self._steps += 1
        self._mean += (1 - _MOMENTUM) * (slope - self._mean)
        self._square += (1 - _SMOOTHNESS) * (slope * slope - self._square)
        size = rate / (1 - _MOMENTUM**self._steps)
        square = self._square / (1 - _SMOOTHNESS**self._steps)
        found: Numbers = size * self._mean / (np.sqrt(square) + self._least)
        return found


class Learner:
    """The rows, the parts that they share, and the moments of their slopes (Adam)."""

    def __init__(self, seed: int, weights: bytes | None = None) -> None:
        """Begin with rows drawn by chance, or with what a network has learned."""
        rng = np.random.default_rng(seed)
        self._parts: dict[str, Floats] = {
            "rows": (0.05 * rng.standard_normal((ROWS, UNITS))).astype(np.float32),
            "first": np.full((UNITS,), 0.1, np.float32),
        }
        for _, name, shape in _shared_parts():
            self._parts[name] = np.zeros((*shape, UNITS), np.float32)
        if weights is not None:
            rows = np.array(unpack(weights), np.float32) / np.float32(SCALE)
            self._parts |= {"rows": rows[:ROWS], "first": rows[ROWS]}
        self._slopes = {name: Slopes(part, _LEAST_SLOPE) for name, part in self._parts.items()}

    @property
    def first(self) -> Floats:
        """The numbers that every seat begins with: UNITS of them."""
        return self._parts["first"]

    def rows(self) -> Floats:
        """Return the rows with all that they share, and the row of NO_FACT: [row][unit]."""
        rows = np.concatenate([self._parts["rows"], np.zeros((1, UNITS), np.float32)])
        for field, name, _ in _shared_parts():
            part = self._parts[name]
            _block(rows, field)[...] += part * _SLOPE if name.endswith("slope") else part
        return rows

    def scores(self, facts: Facts) -> Floats:
        """Return the score of each seat: [moment][seat]."""
        moments, seats, _ = facts.shape
        return _scores(_sums(self.rows(), self.first, facts)).reshape(moments, seats)

    def learn(self, facts: Facts, ahead: Floats, rate: float) -> float:
        """Take one step against the slope of the loss. Return the loss."""
        moments, seats, _ = facts.shape
        sums = _sums(self.rows(), self.first, facts)
        chances = pair_chances(_scores(sums).reshape(moments, seats))
        others = np.float32(seats - 1)
        slope = ((chances - ahead) * _not_itself(seats)).sum(axis=2) / (others * moments)
        of_sums = slope.reshape(-1, 1) * _SIGNS * (sums > 0)
        slopes = {"rows": _gathered(of_sums, facts), "first": of_sums.sum(axis=0)}
        for field, name, shape in _shared_parts():
            block = _block(slopes["rows"], field)
            if name.endswith("slope"):
                block = block * _SLOPE
            axes = tuple(axis for axis, size in enumerate(shape) if size == 1)
            slopes[name] = block.sum(axis=axes, keepdims=True)
        for name, of_part in slopes.items():
            self._parts[name] -= self._slopes[name].step(of_part, rate)
        return loss_of(chances, ahead)


def _shared_parts() -> list[tuple[str, str, tuple[int, ...]]]:
    """Return field, name and shape of each shared part; shared axes have the size 1."""
    parts = []
    for field, ways in SHARED.items():
        for axes in ways:
            shape = tuple(1 if n in axes else size for n, size in enumerate(FIELDS[field]))
            parts.append((field, f"{field} {axes}", shape))
        if field in _SLOPED:
            parts.append((field, f"{field} slope", (*FIELDS[field][:-1], 1)))
    return parts


def _block(rows: Floats, field: str) -> Floats:
    """Return the rows of a field in its shape: a view."""
    shape = FIELDS[field]
    start = START[field]
    block: Floats = rows[start : start + prod(shape)].reshape(*shape, UNITS)
    return block


def _sums(rows: Floats, first: Floats, facts: Facts) -> Floats:
    """Return the sums of the rows of each seat's facts: [moment and seat][unit]."""
    by_seat = facts.reshape(-1, facts.shape[2])
    sums = np.tile(first, (len(by_seat), 1))
    for column in by_seat.T:
        sums += rows[column]
    return sums


def _scores(sums: Floats) -> Floats:
    hidden = np.maximum(sums, 0)
    scores: Floats = hidden[:, ::2].sum(axis=1) - hidden[:, 1::2].sum(axis=1)
    return scores


def _gathered(of_sums: Floats, facts: Facts) -> Floats:
    """Return the slopes of the rows: the sum of those of all seats that have the fact."""
    flat = facts.reshape(-1)
    order = np.argsort(flat, kind="stable")
    sorted_facts = flat[order]
    begins = np.flatnonzero(np.diff(sorted_facts, prepend=-1))
    found = np.zeros((ROWS + 1, UNITS), np.float32)
    found[sorted_facts[begins]] = np.add.reduceat(of_sums[order // facts.shape[2]], begins, axis=0)
    return found[:-1]


def _not_itself(seats: int) -> Floats:
    return 1 - np.eye(seats, dtype=np.float32)


def pair_chances(scores: Floats) -> Floats:
    """Return the chance of each seat to end ahead of each other: [moment][seat][other]."""
    chances: Floats = 1 / (1 + np.exp(scores[:, None, :] - scores[:, :, None]))
    return chances


def loss_of(chances: Floats, ahead: Floats) -> float:
    """Return the mean log-loss of the pairs of seats."""
    seats = chances.shape[1]
    losses = -(ahead * np.log(chances + 1e-7) + (1 - ahead) * np.log(1 - chances + 1e-7))
    pairs = seats * (seats - 1) * len(chances)
    return float((losses * _not_itself(seats)).sum() / pairs)
