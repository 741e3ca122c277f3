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

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from math import log
from statistics import fmean
from typing import Final

from ladder.local.estimates import expected_score
from ladder.local.strength import deal_means, pair_scores
from ladder.local.tournament import Pairing, PlayedGame, games_of

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
class Progress:
    """The state of a test after some deals."""

    hypotheses: Hypotheses
    deals: int
    llr: float
    verdict: Verdict


def likelihood_ratio(moments: Moments, hypotheses: Hypotheses) -> float:
    """Return the logarithm of the likelihood of H1 over that of H0."""
    s0, s1 = expected_score(hypotheses.elo0), expected_score(hypotheses.elo1)
    lead = 2 * moments.total - moments.deals * (s0 + s1)
    return (s1 - s0) * lead / (2 * moments.variance)


def progress(moments: Moments, hypotheses: Hypotheses) -> Progress:
    """Return the test's state after these deals. The first verdict that is not open ends it."""
    llr = likelihood_ratio(moments, hypotheses)
    verdict = Verdict.H1 if llr >= UPPER else Verdict.H0 if llr <= LOWER else Verdict.OPEN
    return Progress(hypotheses, moments.deals, llr, verdict)


_ENTRANTS: Final = ("first", "other")


class Duel:
    """Two bots against each other until the test is over.

    It takes games as they end and gives whole deals to the test in the order of the plan.

    Which deal ends first depends on how long its games are; the plan's order
    favours no one.
    """

    def __init__(self, hypotheses: Hypotheses, seats: int) -> None:
        self._size = games_of(2, seats, Pairing.DUEL, deals=1)
        self._waiting: dict[int, list[PlayedGame]] = defaultdict(list)
        self._moments = Moments()
        self.progress = progress(self._moments, hypotheses)

    @property
    def decided(self) -> bool:
        """True if the test is over: later games change nothing."""
        return self.progress.verdict is not Verdict.OPEN

    def add(self, game: PlayedGame) -> None:
        """Count a game that has ended."""
        self._waiting[game.planned.deal].append(game)
        while not self.decided and len(self._waiting[self._moments.deals]) == self._size:
            deal = self._waiting.pop(self._moments.deals)
            self._moments = self._moments.and_deal(_mean(deal))
            self.progress = progress(self._moments, self.progress.hypotheses)


def _mean(deal: list[PlayedGame]) -> float:
    """Return the first entrant's mean score in the games of a deal."""
    return fmean(deal_means(pair_scores(deal, _ENTRANTS)[_ENTRANTS]).values())
