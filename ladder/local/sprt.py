"""The sequential test of two bots: stop as soon as it is known which of two hypotheses holds.

H0: the first bot is `elo0` stronger than the other; H1: it is `elo1`. After each deal the logarithm
of the likelihood ratio is, with n deals of mean m and variance v, and the scores s0 and s1 that
are expected at elo0 and elo1,

    LLR = n (s1 - s0) (2 m - s0 - s1) / (2 v)

the generalised test for a mean of unknown variance: M. Van den Bergh, A Practical Introduction to
the GSPRT, formula 1.8, as Fishtest uses it. It ends at A. Wald's bounds (Sequential
Tests of Statistical Hypotheses, 1945): log(beta / (1 - alpha)) and log((1 - beta) / alpha).
The variance counts one won and one lost deal more than were played, so that a few equal deals at
the start decide nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log
from typing import Final

from ladder.local.estimates import expected_score

ERROR_RATE: Final = 0.05
"""Alpha and beta: how often each hypothesis may be rejected though it is true."""
LOWER: Final = log(ERROR_RATE / (1 - ERROR_RATE))
UPPER: Final = -LOWER


class Verdict(StrEnum):
    """What a test has come to."""

    OPEN = "open"
    H0 = "H0"
    H1 = "H1"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """What the test tells apart, in Elo; elo0 < elo1."""

    elo0: float
    elo1: float


@dataclass(frozen=True, slots=True)
class Moments:
    """What the test keeps of the deals' means."""

    deals: int = 0
    total: float = 0.0
    squares: float = 0.0

    def and_deal(self, mean: float) -> "Moments":
        """These, and one deal more."""
        return Moments(self.deals + 1, self.total + mean, self.squares + mean * mean)

    @property
    def variance(self) -> float:
        """With one won and one lost deal more."""
        count, total, squares = self.deals + 2, self.total + 1, self.squares + 1
        return squares / count - (total / count) ** 2


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a test has come."""

    hypotheses: Hypotheses
    deals: int
    llr: float
    verdict: Verdict


def likelihood_ratio(moments: Moments, hypotheses: Hypotheses) -> float:
    """The logarithm of the likelihood of H1 over that of H0."""
    s0, s1 = expected_score(hypotheses.elo0), expected_score(hypotheses.elo1)
    lead = 2 * moments.total - moments.deals * (s0 + s1)
    return (s1 - s0) * lead / (2 * moments.variance)


def progress(moments: Moments, hypotheses: Hypotheses) -> Progress:
    """Where the test stands after these deals. The first verdict that is not open ends it."""
    llr = likelihood_ratio(moments, hypotheses)
    verdict = Verdict.H1 if llr >= UPPER else Verdict.H0 if llr <= LOWER else Verdict.OPEN
    return Progress(hypotheses, moments.deals, llr, verdict)
