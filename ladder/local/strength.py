"""How strong bots are by the games that they played: pairwise scores, Elo, intervals.

At a table each bot has played every other one: the better rank scores 1, a shared rank one half.
Games of one deal share a layout, so a deal's mean score is the unit that is independent of others:
the interval is the mean of the deals' scores plus and minus 1.96 standard errors, and both ends
are turned into Elo, 400 log10(s / (1 - s)). To be of use also where one bot has won everything, the
interval counts one drawn deal more than was played.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import inf, log10, sqrt
from statistics import fmean, variance
from typing import Final

from ladder.local.tournament import PlayedGame

_TWO_SIDED_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class BotSummary:
    """One bot over all its games."""

    name: str
    seats: int
    """How often it sat at a table: more than once a game where it was named more than once."""
    wins: float
    """Shared first ranks count as their share."""
    mean_vp: float | None
    """Over the games that have a score; None where all ended by forfeit."""
    score: float
    """The mean pairwise score against other bots, 0 to 1."""
    faults: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two bots by their results against each other."""

    name: str
    other: str
    pairs: int
    score: float
    elo: float
    """The Elo by which the first is stronger; infinite where it won, or lost, every time."""
    low: float
    high: float
    """The ends of the 95 % interval, in Elo; infinite where there are too few deals to tell."""


def summaries(games: Sequence[PlayedGame], names: Sequence[str]) -> list[BotSummary]:
    """Every bot that took part, the best pairwise score first. `names` by entrant; entrants of
    one name are one bot."""
    return sorted(
        (_summary(name, games, names) for name in dict.fromkeys(names)),
        key=lambda summary: -summary.score,
    )


def comparisons(games: Sequence[PlayedGame], names: Sequence[str]) -> list[Comparison]:
    """Every pair of bots, the stronger one first."""
    by_pair: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        for name, other, score in _pair_scores(game, names):
            by_pair[name, other][game.planned.deal].append(score)
    found = [_compare(name, other, deals) for (name, other), deals in by_pair.items()]
    return sorted(
        (c for c in found if c.score > 0.5 or (c.score == 0.5 and c.name < c.other)),
        key=lambda c: -c.score,
    )


def elo(score: float) -> float:
    """The difference in Elo at which a score (0 to 1) is the expected one."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return 400 * log10(score / (1 - score))


def _pair_scores(game: PlayedGame, names: Sequence[str]) -> Iterable[tuple[str, str, float]]:
    seats = [names[entrant] for entrant in game.planned.entrants]
    for one, other in permutations(range(len(seats)), 2):
        if seats[one] != seats[other]:
            better, worse = game.ranks[one] < game.ranks[other], game.ranks[one] > game.ranks[other]
            yield seats[one], seats[other], 1.0 if better else 0.0 if worse else 0.5


def _summary(name: str, games: Sequence[PlayedGame], names: Sequence[str]) -> BotSummary:
    wins, vp, scores, faults, played = 0.0, [], [], 0, 0
    for game in games:
        own = [s for s, entrant in enumerate(game.planned.entrants) if names[entrant] == name]
        played += len(own)
        wins += sum(game.ranks[seat] == 1 for seat in own) / game.ranks.count(1)
        vp += [game.vp[seat] for seat in own if game.vp]
        faults += sum(seat in own for seat, _ in game.faults)
        scores += [score for one, _, score in _pair_scores(game, names) if one == name]
    return BotSummary(
        name, played, wins, fmean(vp) if vp else None, fmean(scores) if scores else 0.5, faults
    )


def _compare(name: str, other: str, deals: dict[int, list[float]]) -> Comparison:
    means = [fmean(scores) for scores in deals.values()]
    pairs = sum(len(scores) for scores in deals.values())
    score = sum(sum(scores) for scores in deals.values()) / pairs
    if len(means) < 2:
        return Comparison(name, other, pairs, score, elo(score), -inf, inf)
    means.append(0.5)
    middle, margin = fmean(means), _TWO_SIDED_95 * sqrt(variance(means) / len(means))
    return Comparison(
        name, other, pairs, score, elo(score), elo(middle - margin), elo(middle + margin)
    )
