"""Chooses the bots of one table. Pure; luck is handed in.

The first is who has waited longest, or of whom least is known: half of the tables each. The others
are near to it in strength, as far as strengths are known: leaders mostly meet leaders, newcomers
meet all. Some tables are drawn without regard to strength, so that the ladder does not fall apart
into groups that are never compared. Who has met lately meets less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Final

NEAR: Final = 100.0
"""Elo points between two bots, both well known, that count as near."""
_ANYBODY: Final = 0.2  # the part of the tables that are drawn without regard to strength

Met = Mapping[tuple[int, int], int]
"""In how many of the last deals two bots met, by their ids, the lower one first."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that may be dealt in. `strength` and `doubt`, half an interval, are in Elo points;
    `waited` is in seconds."""

    bot_id: int
    owner: int
    house: bool
    strength: float
    doubt: float
    waited: float


def table(
    candidates: Sequence[Candidate], seats: int, *, met: Met, one_owner: bool, rng: Random
) -> tuple[int, ...] | None:
    """The ids of the bots of a table, in no order; None where no table is allowed.

    `one_owner`: whether two bots of one owner may meet; house bots always may.
    """
    if len(candidates) < seats:
        return None
    anybody = rng.random() < _ANYBODY
    for first in _in_turn(candidates, rng):
        chosen = [first]
        while len(chosen) < seats:
            allowed = [
                other
                for other in candidates
                if all(may_meet(other, one, one_owner=one_owner) for one in chosen)
            ]
            if not allowed:
                break
            weights = [_weight(first, chosen, other, met, anybody) for other in allowed]
            chosen.append(_drawn(allowed, weights, rng))
        else:
            return tuple(candidate.bot_id for candidate in chosen)
    return None


def may_meet(one: Candidate, other: Candidate, *, one_owner: bool) -> bool:
    """Whether two bots may sit at one table."""
    if one.bot_id == other.bot_id:
        return False
    return one.owner != other.owner or one_owner or (one.house and other.house)


def nearness(one: Candidate, other: Candidate) -> float:
    """1 for bots that may be equal, near 0 for bots that surely are far apart."""
    spread = NEAR**2 + one.doubt**2 + other.doubt**2
    return exp(-((one.strength - other.strength) ** 2) / (2 * spread))


def _in_turn(candidates: Sequence[Candidate], rng: Random) -> Iterator[Candidate]:
    """All of them; whose turn it is comes first, and chance decides between equals."""
    order = rng.sample(candidates, len(candidates))
    if rng.random() < 0.5:
        order.sort(key=lambda candidate: candidate.waited, reverse=True)
    else:
        order.sort(key=lambda candidate: candidate.doubt, reverse=True)
    yield from order


def _weight(
    first: Candidate, chosen: Sequence[Candidate], other: Candidate, met: Met, anybody: bool
) -> float:
    repeats = sum(met.get(pair(one.bot_id, other.bot_id), 0) for one in chosen)
    return (1.0 if anybody else nearness(first, other)) / (1 + repeats)


def pair(one: int, other: int) -> tuple[int, int]:
    """The key of two bots in `Met`."""
    return (one, other) if one < other else (other, one)


def _drawn(allowed: Sequence[Candidate], weights: Sequence[float], rng: Random) -> Candidate:
    """One by weight; any one where all weights are too small for numbers."""
    if sum(weights) <= 0:
        return rng.choice(allowed)
    return rng.choices(allowed, weights)[0]
