"""How good ratings are, league by league: error, loss, games outside, and honest intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks._leagues import ELO, League
from ladder.ratings.plackett_luce import Floats, Ints

_FACTORS: Final = np.geomspace(0.3, 2.0, 20)  # of ratings whose spread is 1
_FEW: Final = 12
_WINDOW: Final = 48
_NEAR: Final = 75.0 / ELO
_DAMPING: Final = np.pi / 4  # of the mean variance of a table, as `elo.chance` has it for two
_Z: Final = 1.959964


@dataclass(frozen=True, slots=True)
class Trace:
    """All ratings before each match and after the last: (leagues, matches + 1, bots).

    In natural logarithms of odds, but for peers before `scaled`; only ours have deviations.
    """

    ratings: Floats
    deviations: Floats | None = None


def scaled(worlds: Sequence[tuple[Played, Trace]]) -> list[Trace]:
    """Return the traces times the one factor with the smallest errors over all worlds."""
    products = np.sum([played.products(trace) for played, trace in worlds], axis=0)
    return [Trace(trace.ratings * products[0] / products[1]) for _, trace in worlds]


def calibrated(worlds: Sequence[tuple[Played, Trace]]) -> list[Trace]:
    """Return the traces times the one factor with the smallest losses over all worlds."""

    def loss(factor: float) -> float:
        found = (played.losses(Trace(trace.ratings * factor)) for played, trace in worlds)
        return float(np.mean([one.mean() for one in found]))

    spread = np.mean([trace.ratings[:, -1].std(axis=1).mean() for _, trace in worlds])
    best = min(_FACTORS / spread, key=loss)
    return [Trace(trace.ratings * best) for _, trace in worlds]


class Played:
    """Leagues of one kind: who was ranked where, and what is true at each time."""

    def __init__(self, leagues: Sequence[League]) -> None:
        players = np.array([league.players for league in leagues])
        ranks = np.array([league.ranks for league in leagues])
        ties = np.random.default_rng(0).random(ranks.shape) / 2
        self._orders: Ints = np.take_along_axis(players, np.argsort(ranks + ties, axis=2), axis=2)
        truth = np.array([league.truth for league in leagues])
        self._truth: Floats = np.concatenate([truth, truth[:, -1:]], axis=1)
        self._games = _games(self._orders, truth.shape[2])
        self._late = leagues[0].late
        self._moments = np.arange(truth.shape[1] // 4, truth.shape[1] + 1, truth.shape[1] // 12)
        settled = self._games[:, self._moments] >= _FEW
        self._anchor = leagues[0].anchor
        if self._anchor is not None:
            settled[:, :, self._anchor] = False
        self._settled = settled

    def error(self, trace: Trace) -> Floats:
        """Return the root of the mean square of the errors, in Elo points, by league."""
        missed = self._missed(trace) * ELO
        found: Floats = np.sqrt((missed**2).sum(axis=(1, 2)) / self._settled.sum(axis=(1, 2)))
        return found

    def inside(self, trace: Trace) -> Floats:
        """Return how often the truth was inside the 95 % interval, by league."""
        assert trace.deviations is not None
        within = np.abs(self._missed(trace)) <= _Z * trace.deviations[:, self._moments]
        found: Floats = (within & self._settled).sum(axis=(1, 2)) / self._settled.sum(axis=(1, 2))
        return found

    def losses(self, trace: Trace) -> Floats:
        """Return the negative logarithm of the chance of what happened, (leagues, matches)."""
        first = self._orders.shape[1] // 10
        lies = self._of_seats(trace.ratings)[:, first:]
        if trace.deviations is not None:
            variance = (self._of_seats(trace.deviations)[:, first:] ** 2).mean(axis=2)
            lies = lies / np.sqrt(1 + _DAMPING * variance)[:, :, None]
        return _loss(lies)

    def outside(self, trace: Trace) -> Floats:
        """Return in how many of its first 48 games a late bot is rated 75 points off, by league."""
        there = np.setdiff1d(np.arange(self._late[0]), [self._anchor])
        lead = trace.ratings - self._truth
        lead = lead - lead[:, :, there].mean(axis=2, keepdims=True)
        games = self._games[:, :, self._late]
        counts = (games[:, 1:] > games[:, :-1]) & (games[:, :-1] < _WINDOW)
        far = (np.abs(lead[:, :-1, self._late]) > _NEAR) & counts
        found: Floats = _WINDOW * far.sum(axis=(1, 2)) / counts.sum(axis=(1, 2))
        return found

    def products(self, trace: Trace) -> tuple[float, float]:
        """Return the sums of ratings times truth, and of ratings squared: of a regression."""
        own, true = self._centred(trace.ratings), self._centred(self._truth)
        return float((own * true * self._settled).sum()), float((own**2 * self._settled).sum())

    def _missed(self, trace: Trace) -> Floats:
        lead = self._centred(trace.ratings) - self._centred(self._truth)
        return np.where(self._settled, lead, 0.0)

    def _centred(self, values: Floats) -> Floats:
        values = values[:, self._moments]
        total = (values * self._settled).sum(axis=2, keepdims=True)
        centred: Floats = values - total / self._settled.sum(axis=2, keepdims=True).clip(1)
        return centred

    def _of_seats(self, values: Floats) -> Floats:
        """Return the values of the bots of each match, best first."""
        found: Floats = np.take_along_axis(values[:, :-1], self._orders, axis=2)
        return found


def _games(orders: Ints, bots: int) -> npt.NDArray[np.int64]:
    """Count each bot's games before each match, and after the last."""
    played = (orders[:, :, :, None] == np.arange(bots)).any(axis=2)
    before = np.zeros((len(orders), 1, bots), np.int64)
    return np.concatenate([before, np.cumsum(played, axis=1)], axis=1)


def _loss(lies: Floats) -> Floats:
    chances = np.zeros(lies.shape[:2])
    for place in range(lies.shape[2] - 1):
        left = lies[:, :, place:]
        chances += left[:, :, 0] - np.log(np.exp(left).sum(axis=2))
    return -chances
