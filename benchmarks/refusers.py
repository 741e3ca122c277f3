"""Play bots that refuse matches of the ladder beside honest twins: `python -m benchmarks refusers`.

Three refusers have the code of three twins, but do not accept some of their matches: by opponent,
by seat, by layout, or by what the page of the deal's first match shows. They know the rules: they
give in when the next miss would be a loss; stubborn ones do not. Printed are the shares of matches
against each opponent, and the difference of the mean ratings over the time, with the 95 % interval
that follows from how much refusers and twins differ among themselves. Ends with exit code 1 if a
share differs by more than 5 points, or a difference is not within its interval of zero (of stubborn
ones: above it).
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks._refusing import REFUSERS, STRONG, TWINS, Dislikes, League, league

MATCHES: Final = 300
"""Each refuser plays at least so many; the twins play more in the same time."""
_TABLES: Final = (2,)  # larger ones need more matches for shares as sure as these
_MOST: Final = 0.05  # difference of shares
_WARM: Final = 4  # one part in so many of the time does not count for the ratings
_ROUNDS: Final = 10  # between two looks at what was played
_QUANTILE: Final = 2.776  # Student's, for two groups of three: 4 degrees of freedom


@dataclass(frozen=True, slots=True)
class Way:
    """A way to refuse, in words, and if a bot refuses until it has lost the match."""

    name: str
    dislikes: Dislikes
    stubborn: bool = False


WAYS: Final = (
    Way("by opponent", lambda called: STRONG in called.others),
    Way("by seat", lambda called: called.seat == 0),
    Way("by layout", lambda called: called.luck < 0),
    Way("by live page", lambda called: called.seen and STRONG in called.others),
    Way("stubborn, by opponent", lambda called: STRONG in called.others, stubborn=True),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What refusing did: matches of both, calls refused and matches lost, shares, ratings (Elo)."""

    matches: tuple[int, int]
    refused: int
    lost: int
    shares: dict[str, tuple[float, float]]
    """By opponent: the part of the refuser's matches, and of its twin's."""
    gain: float
    reach: float

    @property
    def worst(self) -> float:
        """The largest difference between two shares."""
        return max(abs(one - other) for one, other in self.shares.values())


def main() -> None:
    """Print the figures of each way to refuse, at tables of two."""
    cases = [(seats, number) for seats in _TABLES for number in range(len(WAYS))]
    wrong = False
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for (seats, number), found in zip(cases, pool.map(_case, cases), strict=True):
            wrong |= not _show(WAYS[number], seats, found)
    if wrong:
        sys.exit(1)


def _case(case: tuple[int, int]) -> Figures:
    seats, number = case
    return figures(WAYS[number], seats, matches=MATCHES, seed=number)


def figures(way: Way, seats: int, *, matches: int, seed: int) -> Figures:
    """Play until each refuser has so many matches."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'ladder.db')}"
        made = league(url, seats, way.dislikes, stubborn=way.stubborn, seed=seed)
        while made.fewest() < matches:
            for _ in range(_ROUNDS):
                made.play_round()
        return _figures(made)


def _figures(made: League) -> Figures:
    own, twin = made.met(REFUSERS), made.met(TWINS)
    means = {name: np.mean(elo[len(elo) // _WARM :]) for name, elo in made.elo.items()}
    ours = np.array([means[name] for name in REFUSERS])
    theirs = np.array([means[name] for name in TWINS])
    spread = np.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
    return Figures(
        matches=(made.played(REFUSERS), made.played(TWINS)),
        refused=made.refused,
        lost=made.lost(),
        shares={name: (own[name], twin[name]) for name in own},
        gain=float(ours.mean() - theirs.mean()),
        reach=float(_QUANTILE * spread),
    )


def _show(way: Way, seats: int, found: Figures) -> bool:
    """Print the figures; return True if refusing did not pay."""
    gained = found.gain if way.stubborn else abs(found.gain)
    good = found.worst <= _MOST and gained <= found.reach
    own, twin = found.matches
    shares = ", ".join(
        f"{opponent} {one:.1%} ({other:.1%})" for opponent, (one, other) in found.shares.items()
    )
    print(
        f"tables of {seats}, {way.name}: {own:,} matches, {found.refused:,} calls refused, "
        f"{found.lost:,} lost; twins {twin:,} matches\n"
        f"  share against each opponent (the twins'): {shares}; "
        f"at most {100 * found.worst:.1f} points apart\n"
        f"  rating: {found.gain:+.0f} +- {found.reach:.0f} Elo against the twins"
        f"{'' if good else '   <-- refusing changes something'}",
        flush=True,
    )
    return good
