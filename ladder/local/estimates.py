"""Elo, confidence intervals and a sequential test, as pure functions of the scores of deals.

The unit is the deal: its games share a layout, so only its mean score (0 to 1) is independent of
others.

* Elo: s = 1 / (1 + 10^(-d / 400)), after A. E. Elo, The Rating of Chessplayers (1978), 8.46.
* Interval: the mean of n deals plus and minus 1.96 standard errors, sqrt(variance / n), both ends
  converted to Elo. That is too narrow below 30 deals, or if fewer than five deals' worth of points
  were won or lost; then one won and one lost deal are counted in addition. With two
  games a deal these are the "two successes and two failures" of A. Agresti and B. A. Coull,
  Approximate is better than "exact" for interval estimation of binomial proportions, The
  American Statistician 52 (1998).
* Likelihood of superiority: the normal distribution's probability of a true score above one half,
  as engine testers use it (Fishtest Mathematics, "LOS").
* Sequential test (SPRT): stops as soon as it is known which of two hypotheses holds. H0: the first
  bot is `elo0` stronger than the other; H1: it is `elo1` stronger. After n deals with mean m and
  variance v, and with the scores s0 and s1 that are expected at elo0 and elo1, the logarithm of the
  likelihood ratio is

      LLR = n (s1 - s0) (2 m - s0 - s1) / (2 v)

  the generalised test for a mean of unknown variance: M. Van den Bergh, A Practical Introduction to
  the GSPRT, formula 1.8, as Fishtest uses it. It ends at A. Wald's bounds (Sequential Tests of
  Statistical Hypotheses, 1945): log(beta / (1 - alpha)) and log((1 - beta) / alpha). The variance
  counts one more won and one more lost deal, so that a few equal deals at the start decide nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, inf, log, log10
from statistics import NormalDist, fmean, variance
from typing import Final

_Z_95: Final = 1.96
"""Standard errors to either side of the mean that hold 95 % of a normal distribution."""
_ENOUGH_DEALS: Final = 30
_ENOUGH_POINTS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A bot's strength against another, or against the field, by the means of deals."""

    deals: int
    elo: float
    """The Elo of the plain mean score; infinite if everything was won, or lost."""
    low: float
    high: float
    """The ends of the 95 % interval, in Elo; they may be infinite."""
    superiority: float
    """The likelihood that it is the stronger bot, 0 to 1."""
    regularised: bool
    """True if the interval counts one won and one lost deal more than were played."""


def elo(score: float) -> float:
    """Return the difference in Elo at which a score (0 to 1) is expected."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return 400 * log10(score / (1 - score))


def expected_score(difference: float) -> float:
    """Return the score that is expected at a difference in Elo: the inverse of `elo`."""
    return 1 / (1 + 10 ** (-difference / 400))


def estimate(deals: Sequence[float]) -> Estimate:
    """Estimate the strength from the mean scores of deals, at least one."""
    mean, regularised = fmean(deals), needs_help(deals)
    middle, error = _mean_and_error(deals)
    return Estimate(
        deals=len(deals),
        elo=elo(mean),
        low=elo(middle - _Z_95 * error),
        high=elo(middle + _Z_95 * error),
        superiority=_superiority(middle - 0.5, error),
        regularised=regularised,
    )


def needs_help(deals: Sequence[float]) -> bool:
    """Return True if the deals are too few, or too one-sided, for the plain interval."""
    won = sum(deals)
    return len(deals) < _ENOUGH_DEALS or min(won, len(deals) - won) < _ENOUGH_POINTS


def more_deals_to_tell(deals: Sequence[float]) -> int | None:
    """Return about how many more deals would tell two bots apart, if the score stays the same.

    Solves |mean - 1/2| = 1.96 sqrt(variance / n) for n. Returns 0 if the deals tell them apart
    already, None if both are equal so far.
    """
    middle, error = _mean_and_error(deals)
    lead = abs(middle - 0.5)
    if lead == 0:
        return None
    return max(0, ceil(len(deals) * ((_Z_95 * error / lead) ** 2 - 1)))


def _superiority(lead: float, error: float) -> float:
    if error == 0:
        return 0.5 + (lead > 0) / 2 - (lead < 0) / 2
    return NormalDist().cdf(lead / error)


def _mean_and_error(deals: Sequence[float]) -> tuple[float, float]:
    """Return the mean at the middle of the interval, and its standard error."""
    counted = [*deals, 0.0, 1.0] if needs_help(deals) else deals
    return fmean(counted), (variance(counted) / len(counted)) ** 0.5


ERROR_RATE: Final = 0.05
"""Alpha and beta: how often each hypothesis may be rejected though it is true."""
LOWER: Final = log(ERROR_RATE / (1 - ERROR_RATE))
UPPER: Final = -LOWER


class Verdict(StrEnum):
    """The result of a test so far."""

    OPEN = "open"
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The two differences in Elo that the test compares; elo0 < elo1."""

    elo0: float
    elo1: float


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, sum and sum of squares of the deals' means."""

    deals: int = 0
    total: float = 0.0
    squares: float = 0.0

    def and_deal(self, mean: float) -> "Moments":
        """Return these moments with one more deal."""
        return Moments(self.deals + 1, self.total + mean, self.squares + mean * mean)

    @property
    def variance(self) -> float:
        """The variance, counting one more won and one more lost deal."""
        count, total, squares = self.deals + 2, self.total + 1, self.squares + 1
        return squares / count - (total / count) ** 2


@dataclass(frozen=True, slots=True)
class SprtProgress:
    """The state of a sequential test after some deals."""

    hypotheses: Hypotheses
    deals: int
    llr: float
    verdict: Verdict


def likelihood_ratio(moments: Moments, hypotheses: Hypotheses) -> float:
    """Return the logarithm of the likelihood of H1 over that of H0."""
    s0, s1 = expected_score(hypotheses.elo0), expected_score(hypotheses.elo1)
    lead = 2 * moments.total - moments.deals * (s0 + s1)
    return (s1 - s0) * lead / (2 * moments.variance)


def progress(moments: Moments, hypotheses: Hypotheses) -> SprtProgress:
    """Return the test's state after these deals; the first verdict that is not open ends it."""
    llr = likelihood_ratio(moments, hypotheses)
    verdict = Verdict.H1 if llr >= UPPER else Verdict.H0 if llr <= LOWER else Verdict.OPEN
    return SprtProgress(hypotheses, moments.deals, llr, verdict)
