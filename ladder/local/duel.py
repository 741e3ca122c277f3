"""Two bots against each other, deal after deal, until a sequential test knows enough."""

from collections import defaultdict
from statistics import fmean

from ladder.local.plan import Pairing, games_of
from ladder.local.sprt import Hypotheses, Moments, Verdict, progress
from ladder.local.strength import deal_means, pair_scores
from ladder.local.tournament import PlayedGame

ENTRANTS = ("first", "other")


class Duel:
    """Takes games as they end and gives whole deals to the test in the order of the plan.

    Which deal ends first depends on how long its games are; in the plan's order that cannot
    favour anybody.
    """

    def __init__(self, hypotheses: Hypotheses, seats: int) -> None:
        self._size = games_of(2, seats, Pairing.DUEL, deals=1)
        self._waiting: dict[int, list[PlayedGame]] = defaultdict(list)
        self._moments = Moments()
        self.progress = progress(self._moments, hypotheses)

    @property
    def decided(self) -> bool:
        """Whether the test is over: what comes then changes nothing."""
        return self.progress.verdict is not Verdict.OPEN

    def add(self, game: PlayedGame) -> None:
        """One game has ended."""
        self._waiting[game.planned.deal].append(game)
        while not self.decided and len(self._waiting[self._moments.deals]) == self._size:
            deal = self._waiting.pop(self._moments.deals)
            self._moments = self._moments.and_deal(_mean(deal))
            self.progress = progress(self._moments, self.progress.hypotheses)


def _mean(deal: list[PlayedGame]) -> float:
    """The first entrant's mean score in the games of a deal."""
    return fmean(deal_means(pair_scores(deal, ENTRANTS)[ENTRANTS]).values())
