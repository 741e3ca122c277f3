"""How well chances to win are calibrated: losses, errors, and a plain model to stand beside."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
_BINS: Final = 10
_STEPS: Final = 400
_DRAWS: Final = 1000


@dataclass(frozen=True, slots=True)
class Moments:
    """Moments of games between bots of one kind, at tables of one size."""

    chances: Floats
    """[moment][seat]: the engine's chance to win."""
    features: Floats
    """[moment][seat][feature]: what the plain model knows."""
    won: Floats
    """[moment][seat]: 1 for the winner, split evenly if several share the first rank."""
    ship: Whole
    """[moment]: 1 to 7."""
    game: Whole

    def where(self, chosen: NDArray[np.bool_]) -> "Moments":
        """Return some of the moments."""
        return Moments(
            self.chances[chosen],
            self.features[chosen],
            self.won[chosen],
            self.ship[chosen],
            self.game[chosen],
        )


def losses(chances: Floats, won: Floats) -> Floats:
    """Return for each moment minus the logarithm of the chance of the seat that won."""
    return np.asarray(-(won * np.log(np.maximum(chances, 1e-12))).sum(axis=1))


def log_loss(chances: Floats, won: Floats) -> float:
    """Return the mean of minus the logarithm of the chance of the seat that won."""
    return float(losses(chances, won).mean())


def calibration_error(chances: Floats, won: Floats) -> float:
    """Return the expected calibration error of the chances of all seats, in ten bins."""
    return sum(abs(said - was) * part for said, was, part in reliability(chances, won))


def reliability(chances: Floats, won: Floats) -> list[tuple[float, float, float]]:
    """Return for each bin the mean chance, how often it came so, and the part of the seats."""
    said, was = chances.ravel(), won.ravel()
    bins = _bins(said)
    rows = []
    for number in range(_BINS):
        inside = bins == number
        if inside.any():
            rows.append((said[inside].mean(), was[inside].mean(), inside.mean()))
    return [(float(a), float(b), float(c)) for a, b, c in rows]


def _bins(said: Floats) -> Whole:
    return np.minimum((said * _BINS).astype(np.int64), _BINS - 1)


class Resampled:
    """The same games drawn again and again with replacement (the bootstrap of Efron, 1979).

    Games are drawn, not moments, as those of one game have one end.
    """

    def __init__(self, game: Whole) -> None:
        self._numbers = np.unique(game, return_inverse=True)[1]
        games = int(self._numbers.max()) + 1
        self._times = np.random.default_rng(1).multinomial(games, [1 / games] * games, _DRAWS)
        self._moments = self._times @ np.bincount(self._numbers)

    def mean(self, values: Floats) -> tuple[float, float]:
        """Return the 95 % interval of the mean of a number of each moment."""
        return _interval(self._times @ np.bincount(self._numbers, values) / self._moments)

    def calibration_error(self, chances: Floats, won: Floats) -> tuple[float, float]:
        """Return the 95 % interval of the calibration error.

        It lies a little too high: what chance adds to an error is added once more in each draw.
        """
        return _interval(self._errors(self._off(chances, won), chances.shape[1]))

    def error_of_right_chances(self, chances: Floats, won: Floats) -> tuple[float, float]:
        """Return the mean error of so many games if each bin were right, and what 95 % are below.

        The error is what chances are off in each bin; here the games keep how much they differ.
        """
        off = self._off(chances, won)
        errors = self._errors(off - off.mean(axis=0), chances.shape[1])
        return float(errors.mean()), float(np.quantile(errors, 0.95))

    def _off(self, chances: Floats, won: Floats) -> Floats:
        """Return by how much chances are too high in all: [game][bin]."""
        places = np.repeat(self._numbers, chances.shape[1]) * _BINS + _bins(chances.ravel())
        sums = np.bincount(places, (chances - won).ravel(), self._times.shape[1] * _BINS)
        return np.asarray(sums.reshape(-1, _BINS))

    def _errors(self, off: Floats, seats: int) -> Floats:
        return np.asarray(np.abs(self._times @ off).sum(axis=1) / (seats * self._moments))


def _interval(numbers: Floats) -> tuple[float, float]:
    low, high = np.quantile(numbers, (0.025, 0.975))
    return float(low), float(high)


def tempered(chances: Floats, sharpness: float) -> Floats:
    """Return the chances to the power of `sharpness`, with the sum 1."""
    powers = np.maximum(chances, 1e-12) ** sharpness
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def best_sharpness(chances: Floats, won: Floats) -> float:
    """Return the sharpness with the least loss, from 0.5 to 2."""
    tried = np.exp(np.linspace(np.log(0.5), np.log(2.0), 57))
    return float(min(tried, key=lambda sharpness: log_loss(tempered(chances, sharpness), won)))


def fit(features: Floats, won: Floats) -> Floats:
    """Return the weights of a softmax over the seats' features: the least loss, by Newton."""
    weights = np.zeros(features.shape[2])
    for _ in range(_STEPS):
        chances = softmax(features, weights)
        slope = np.einsum("msf,ms->f", features, chances - won) / len(won)
        centred = features - np.einsum("msf,ms->mf", features, chances)[:, None, :]
        curve = np.einsum("msf,msg,ms->fg", centred, centred, chances, optimize=True) / len(won)
        step = np.linalg.solve(curve + 1e-6 * np.eye(len(weights)), slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def softmax(features: Floats, weights: Floats) -> Floats:
    """Return the chance of each seat by the plain model."""
    scores = features @ weights
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
