"""The chances at a moment of a game, and what a roll gave or took."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Final

from referee.analysis.results import Chances, rounded
from referee.engine.evaluation import rank_chances, shares
from referee.rules import Position
from referee.rules.pieces import DICE

ROLLS: Final = 60
"""How many rolls stand for all rolls: in them each die shows each of its faces equally often."""
_ROUNDS: Final = 200
_LEAST: Final = 1e-4  # a chance that a rank is left, so that no column is empty


def chances(position: Position, faulted: Sequence[int] = ()) -> Chances:
    """Return the chance of each rank for each seat, by the engine's evaluation.

    `faulted` are the seats whose bots have faulted, in this order: they end below all others, the
    last of them above the one before.
    """
    found = rank_chances(position)
    if faulted:
        left = position.players - len(faulted)
        found = [[chance + _LEAST for chance in row[:left]] for row in found]
        for seat in faulted:
            found[seat] = [0.0] * left
        _balance(found)
        for row in found:
            row += [0.0] * len(faulted)
        for place, seat in enumerate(faulted, 1):
            found[seat][-place] = 1.0
    return tuple(map(rounded, found))


def result(ranks: Sequence[int]) -> Chances:
    """Return the chances when the game is over: each seat has its rank, tied ones share theirs."""
    found = []
    for rank in ranks:
        tied = range(rank, rank + ranks.count(rank))
        places = range(1, len(ranks) + 1)
        found.append(rounded((place in tied) / len(tied) for place in places))
    return tuple(found)


def roll_luck(before: Position, dice: tuple[int, ...], rng: Random) -> tuple[float, ...]:
    """Return what this roll gave each seat: its share after it, less the mean over all rolls."""
    got = _after(before, dice)
    means = map(fmean, zip(*(_after(before, other) for other in _sample(rng)), strict=True))
    return rounded(share - mean for share, mean in zip(got, means, strict=True))


def _after(before: Position, dice: tuple[int, ...]) -> list[float]:
    position = before.copy()
    position.roll(dice)
    return shares(position)


def _sample(rng: Random) -> Iterator[tuple[int, ...]]:
    """Return ROLLS rolls, stratified by die (a Latin hypercube)."""
    columns = [list(faces) * (ROLLS // len(faces)) for faces in DICE]
    for column in columns:
        rng.shuffle(column)
    return zip(*columns, strict=True)


def _balance(found: list[list[float]]) -> None:
    """Scale columns and rows, but those of zeros, until each sums to 1, nearly (Sinkhorn)."""
    for _ in range(_ROUNDS):
        sums = [sum(column) for column in zip(*found, strict=True)]
        for row in found:
            row[:] = [chance / total for chance, total in zip(row, sums, strict=True)]
            whole = sum(row) or 1.0
            row[:] = [chance / whole for chance in row]
