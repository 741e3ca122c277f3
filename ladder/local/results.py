"""Sum up a local tournament: scores, wins by seat and by neighbour, comparisons, and the report.

At a table each bot has played every other one: the better rank scores 1, a shared rank one half.
`ladder.local.estimates` computes how certain the scores are. `Duel` feeds a sequential test.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, permutations
from statistics import fmean
from typing import Final

from ladder.local import estimates
from ladder.local.entrants import labels
from ladder.local.log import Terms
from ladder.local.tournament import Pairing, PlayedGame, games_of


@dataclass(slots=True)
class Share:
    """Games won out of games played; a shared first rank counts as a part of a win."""

    won: float = 0.0
    games: int = 0

    def count(self, won: float) -> None:
        """Count one more game."""
        self.won += won
        self.games += 1


@dataclass(slots=True)
class BotSummary:
    """One bot over all its games."""

    name: str
    wins: Share = field(default_factory=Share)
    """`games` counts seats: it may have sat at a table more than once."""
    by_seat: dict[int, Share] = field(default_factory=dict)
    behind: dict[str, Share] = field(default_factory=dict)
    """Wins by the bot in the seat before it."""
    mean_vp: float | None = None
    """The mean over the games that have a score; None if all ended by forfeit."""
    score: float = 0.5
    """The mean pairwise score against other bots, 0 to 1."""
    strength: estimates.Estimate | None = None
    """Its strength against all others; None if it met no other bot."""
    faults: int = 0
    think_ms: float | None = None
    """The mean time of its decisions, by the referee's clock; None if it made none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two bots by their results against each other, the stronger one first."""

    name: str
    other: str
    tables: int
    """Games in which both sat."""
    meetings: int
    """`tables`, or more if one of them had several seats at a table."""
    won: int
    shared: int
    score: float
    strength: estimates.Estimate
    games_to_tell: int | None
    """About how many more games would tell them apart; None if they are equal so far."""


def summaries(games: Sequence[PlayedGame], names: Sequence[str]) -> list[BotSummary]:
    """Summarise every bot that took part, the best pairwise score first.

    `names` are those of the entrants; entrants of one name are one bot.
    """
    scores = _pair_scores(games, names)
    rows = [_summary(name, games, names, scores) for name in dict.fromkeys(names)]
    return sorted(rows, key=lambda summary: -summary.score)


def comparisons(games: Sequence[PlayedGame], names: Sequence[str]) -> list[Comparison]:
    """Compare every pair of bots that have met, the clearest difference first."""
    pairs = [
        _compare(name, other, deals) for (name, other), deals in _pair_scores(games, names).items()
    ]
    return sorted(
        (c for c in pairs if c.score > 0.5 or (c.score == 0.5 and c.name < c.other)),
        key=lambda c: -c.score,
    )


_DealScores = dict[int, list[list[float]]]
"""Scores of one bot's meetings with another: a list for each game, by deal."""


def _pair_scores(
    games: Sequence[PlayedGame], names: Sequence[str]
) -> dict[tuple[str, str], _DealScores]:
    """Return the scores of each bot against each other bot."""
    by_pair: dict[tuple[str, str], _DealScores] = defaultdict(lambda: defaultdict(list))
    for game in games:
        met: dict[tuple[str, str], list[float]] = defaultdict(list)
        for name, other, score in _meetings(game, names):
            met[name, other].append(score)
        for pair, scores in met.items():
            by_pair[pair][game.planned.deal].append(scores)
    return by_pair


def _deal_means(deals: _DealScores) -> dict[int, float]:
    """Return the mean score of each deal, by its number."""
    return {deal: fmean(chain.from_iterable(scores)) for deal, scores in deals.items()}


def _meetings(game: PlayedGame, names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    seats = [names[entrant] for entrant in game.planned.entrants]
    for one, other in permutations(range(len(seats)), 2):
        if seats[one] != seats[other]:
            better, worse = game.ranks[one] < game.ranks[other], game.ranks[one] > game.ranks[other]
            yield seats[one], seats[other], 1.0 if better else 0.0 if worse else 0.5


def _summary(
    name: str,
    games: Sequence[PlayedGame],
    names: Sequence[str],
    scores: dict[tuple[str, str], _DealScores],
) -> BotSummary:
    summary = BotSummary(name)
    vp: list[int] = []
    think, decisions = 0.0, 0
    for game in games:
        seats = [names[entrant] for entrant in game.planned.entrants]
        for seat in (seat for seat, sitting in enumerate(seats) if sitting == name):
            _count_win(summary, game, seat, before=seats[seat - 1])
            vp += game.vp[seat : seat + 1]
            think, decisions = think + game.think[seat], decisions + game.decisions[seat]
            summary.faults += sum(faulted == seat for faulted, _ in game.faults)
    summary.by_seat = dict(sorted(summary.by_seat.items()))
    summary.mean_vp = fmean(vp) if vp else None
    summary.think_ms = 1000 * think / decisions if decisions else None
    _rate(summary, [deals for (one, _), deals in scores.items() if one == name])
    return summary


def _count_win(summary: BotSummary, game: PlayedGame, seat: int, before: str) -> None:
    won = (game.ranks[seat] == 1) / game.ranks.count(1)
    summary.wins.count(won)
    summary.by_seat.setdefault(seat, Share()).count(won)
    summary.behind.setdefault(before, Share()).count(won)


def _rate(summary: BotSummary, against: Sequence[_DealScores]) -> None:
    """Set the score against all others; a deal's mean is over all that the bot met in it."""
    together: _DealScores = defaultdict(list)
    for deals in against:
        for deal, scores in deals.items():
            together[deal] += scores
    if together:
        summary.score = _score(together)
        summary.strength = estimates.estimate(list(_deal_means(together).values()))


def _compare(name: str, other: str, deals: _DealScores) -> Comparison:
    games = list(chain.from_iterable(deals.values()))
    scores = list(chain.from_iterable(games))
    means = list(_deal_means(deals).values())
    more = estimates.more_deals_to_tell(means)
    return Comparison(
        name=name,
        other=other,
        tables=len(games),
        meetings=len(scores),
        won=scores.count(1.0),
        shared=scores.count(0.5),
        score=_score(deals),
        strength=estimates.estimate(means),
        games_to_tell=None if more is None else round(more * len(games) / len(deals)),
    )


def _score(deals: _DealScores) -> float:
    return fmean(chain.from_iterable(chain.from_iterable(deals.values())))


@dataclass(frozen=True, slots=True)
class BotFault:
    """A bot's fault in one game."""

    game: int
    bot: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PlayReport:
    """The results of a tournament that has ended or was interrupted."""

    seats: int
    pairing: str
    shared_dice: bool
    games: int
    planned: int
    bots: list[BotSummary]
    """The best bot first."""
    pairs: list[Comparison]
    test: estimates.SprtProgress | None
    """The test of a duel, of the first entrant against the other."""
    entrants: list[str]
    """Labels, in the order of the command line."""
    faults: list[BotFault]
    not_won: dict[str, list[int]]
    """The numbers of the games that each bot has not won."""

    @property
    def unfinished(self) -> bool:
        """True if planned games are missing that are still needed."""
        decided = self.test is not None and self.test.verdict is not estimates.Verdict.OPEN
        return self.games < self.planned and not decided


def report(
    games: Sequence[PlayedGame],
    terms: Terms,
    planned: int,
    test: estimates.SprtProgress | None = None,
) -> PlayReport:
    """Report on the games played out of `planned`; `test` is the state of a duel's test."""
    names = labels(terms.bots)
    return PlayReport(
        seats=terms.seats,
        pairing=terms.pairing.value,
        shared_dice=terms.shared_dice,
        games=len(games),
        planned=planned,
        bots=summaries(games, names),
        pairs=comparisons(games, names),
        test=test,
        entrants=names,
        faults=[
            BotFault(game.planned.number, names[game.planned.entrants[seat]], sentence)
            for game in sorted(games, key=lambda game: game.planned.number)
            for seat, sentence in game.faults
        ],
        not_won=_not_won(games, names),
    )


def _not_won(games: Sequence[PlayedGame], names: Sequence[str]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {name: [] for name in names}
    for game in games:
        sat = {names[entrant] for entrant in game.planned.entrants}
        won = {
            names[entrant]
            for entrant, rank in zip(game.planned.entrants, game.ranks, strict=True)
            if rank == 1
        }
        for name in sat - won:
            numbers[name].append(game.planned.number)
    return {name: sorted(games) for name, games in numbers.items()}


_ENTRANTS: Final = ("first", "other")


class Duel:
    """The test of two bots that play each other until it is over.

    Takes games as they end, and passes whole deals to the test in the order of the plan: which deal
    ends first depends on how long its games take, but the plan's order favours nobody.
    """

    def __init__(self, hypotheses: estimates.Hypotheses, seats: int) -> None:
        self._size = games_of(2, seats, Pairing.DUEL, deals=1)
        self._waiting: dict[int, list[PlayedGame]] = defaultdict(list)
        self._moments = estimates.Moments()
        self.progress = estimates.progress(self._moments, hypotheses)

    @property
    def decided(self) -> bool:
        """True if the test is over: later games change nothing."""
        return self.progress.verdict is not estimates.Verdict.OPEN

    def add(self, game: PlayedGame) -> None:
        """Count a game that has ended."""
        self._waiting[game.planned.deal].append(game)
        while not self.decided and len(self._waiting[self._moments.deals]) == self._size:
            deal = self._waiting.pop(self._moments.deals)
            self._moments = self._moments.and_deal(_mean(deal))
            self.progress = estimates.progress(self._moments, self.progress.hypotheses)


def _mean(deal: list[PlayedGame]) -> float:
    """Return the first entrant's mean score in the games of a deal."""
    return fmean(_deal_means(_pair_scores(deal, _ENTRANTS)[_ENTRANTS]).values())
