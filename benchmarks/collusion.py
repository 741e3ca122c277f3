"""Find bots that help each other, accuse no honest ones: `python -m benchmarks collusion`.

By results: simulated leagues of 16 bots with effects of seat, layout and bot before, ties, faults,
and a circle of three bots that beat one another (0.8 logarithms of odds each way: 139 Elo points);
tables are drawn by lot until the pair has met so often. A helper that throws a game ends it last;
one that helps adds 2 logarithms of odds to its friend. A pair is found if its results note it. In
honest leagues decisions are luck, styles and unlike pairs; some of their bots hurt or help whoever
moves next. What is paid agrees with the gifts.

In small fields few pairs tell how much honest ones scatter. So honest leagues of 4, 6 and 8 bots
are simulated, too, with pairs that differ little or much.

`python -m benchmarks.collusion PART ...` runs parts: `honest`, `small` (fields), `results` (with
helpers), `games`.

By real games: at most 1,000 a case, of variants of the sample bots (see `_colluders`). A pair is
found if it is shown; every other pair that is shown would be an honest one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import comb, sqrt
from random import Random
from typing import Final

import numpy as np

from benchmarks import _colluders
from benchmarks._worlds import full_world, play
from benchmarks.marks import interval
from ladder.ratings.collusion.evidence import decision_signs, results_signs
from ladder.ratings.collusion.favours import LED, MEASURES, FavourKind
from ladder.ratings.collusion.verdicts import Verdicts, verdicts
from ladder.ratings.plackett_luce import Floats, Ints, Rankings, strengths
from referee.rules import Layout

HONEST: Final = 300
"""Simulated honest leagues of each kind and table size."""
GUILTY: Final = 200
"""Simulated leagues with a helper, likewise."""
GAMES: Final = 1_000
"""Real games of each case."""

_BOTS: Final = 16
_HELPER: Final = 3  # after the circle of three
_FRIEND: Final = 4
_HELP: Final = 2.0  # logarithms of odds
_HARM: Final = 1.0  # what a harmful style does to the bot that moves next, likewise
_WAYS: Final = (
    ("throws all", 60, 1.0, 0.0),
    ("throws 30 %", 300, 0.3, 0.0),
    ("helps by 2 logits", 300, 0.0, _HELP),
)
"""How a helper helps: games of the pair, the share that it throws, what it adds to its friend."""
_LED: Final = 15  # decisions of a game in which a seat is the first of the others
_UNLIKE: Final = 0.1  # spread of honest pairs' favours, in deviations of one game
_AGREE: Final = 0.8  # the correlation of gifts with what was paid for them; assumed
_SMALL: Final = (4, 6, 8)
_SPREADS: Final = (0.1, 0.3)  # as `_UNLIKE`; 0.3 in 60 games is like 0.1 in 540


def main(parts: Sequence[str] = ("honest", "small", "results", "games")) -> None:
    """Print what is found and what is shown wrongly, with 95 % intervals."""
    for part in parts:
        {"honest": _honest, "small": _small, "results": _results, "games": _games}[part]()


def _honest() -> None:
    print(f"Simulated honest leagues that show a pair, of {HONEST}")
    for seats in (2, 3, 4):
        for name, harmful in (("style circle", False), ("and harmful styles", True)):
            _print_honest(seats, name, harmful=harmful)


def _small() -> None:
    print(f"Simulated honest leagues of small fields that show a pair, of {HONEST} a line")
    for bots in _SMALL:
        shown = []
        for seats, unlike in product((2, 3, 4), _SPREADS):
            leagues = (
                honest_league(seed, seats, harmful=True, bots=bots, unlike=unlike)
                for seed in range(HONEST)
            )
            shown.append(sum(bool(one.shown.any()) for one in leagues))
            line = f"{bots} bots, {seats} seats, pairs differ by {unlike}"
            print(f"  {line}: {_share(shown[-1], HONEST)}", flush=True)
        print(f"  {bots} bots, all of these: {_share(sum(shown), HONEST * len(shown))}", flush=True)


def _results() -> None:
    print(f"Simulated leagues whose pair is found by its results, of {GUILTY}")
    for seats in (2, 3, 4):
        for name, games, thrown, help_ in _WAYS:
            leagues = [guilty_league(seed, seats, games, thrown, help_) for seed in range(GUILTY)]
            found = sum(bool(one.noted[_pair(one, _HELPER, _FRIEND)].any()) for one in leagues)
            chance = np.mean([_by_chance(one) for one in leagues])
            print(
                f"  {seats} seats, {name}, {games} games: {_share(found, GUILTY)}; "
                f"{chance:.1%} of the noted pairs are chance",
                flush=True,
            )


def _games() -> None:
    print(f"Real games, {GAMES} a case: deviations of the pair")
    for seats in (3, 4):
        for name in _colluders.FIELDS:
            print(f"  {seats} seats, {name}: {_told(real_games(name, seats, GAMES))}", flush=True)


def _print_honest(seats: int, name: str, *, harmful: bool) -> None:
    leagues = [honest_league(seed, seats, harmful=harmful) for seed in range(HONEST)]
    shown = sum(bool(one.shown.any()) for one in leagues)
    noted = sum(bool(one.noted.any()) for one in leagues)
    chance = np.mean([_by_chance(one, honest=True) for one in leagues])
    print(
        f"  {seats} seats, {name}: {_share(shown, HONEST)}; results note a pair in "
        f"{noted / HONEST:.0%}; {chance:.1%} of the noted pairs are chance, not the circle",
        flush=True,
    )


def honest_league(
    seed: int,
    seats: int,
    *,
    harmful: bool,
    games: int = 60,
    bots: int = _BOTS,
    unlike: float = _UNLIKE,
) -> Verdicts:
    """Simulate results and decisions of a league without helpers."""
    rng = np.random.default_rng([seed, seats])
    world = full_world(rng, bots, seats)
    if harmful:
        styles = rng.choice([-_HARM, 0.0, _HARM], bots, p=[0.2, 0.6, 0.2])
        world = replace(world, trail=world.trail + styles)
    matches = play(world, rng, _tables(rng, seats, games, bots))
    return _judged(matches, _lucky_favours(rng, matches.players, bots, unlike))


def guilty_league(seed: int, seats: int, games: int, thrown: float, help_: float) -> Verdicts:
    """Simulate a league with a helper that is as strong as its friend; it has no decisions."""
    rng = np.random.default_rng([seed, seats])
    world = full_world(rng, _BOTS, seats)
    world.strength[_FRIEND] = world.strength[_HELPER]
    over = world.over.copy()
    over[_FRIEND, _HELPER] += help_
    matches = play(replace(world, over=over), rng, _tables(rng, seats, games))
    return _judged(_throw(rng, matches, thrown), None)


def real_games(name: str, seats: int, games: int, seed: int = 1) -> Verdicts:
    """Play the bots of a case in tables drawn by lot, and judge all of them."""
    rng = Random(seed)
    bots = _colluders.FIELDS[name]
    players, ranks, deals, favours = [], [], [], []
    for deal in range(-(-games // seats)):
        drawn, layout = rng.sample(range(len(bots)), seats), Layout.shuffled(rng)
        for turn in range(seats):
            table = drawn[turn:] + drawn[:turn]
            friend = table.index(1) if 1 in table else None
            game = _colluders.play([bots[bot] for bot in table], layout, rng, friend)
            players.append(table)
            ranks.append(game.ranks)
            deals.append(deal)
            favours.append(game.favours)
    matches = Rankings(np.array(players), np.array(ranks), np.array(deals), len(bots))
    return _judged(matches, np.array(favours))


def _tables(rng: np.random.Generator, seats: int, games: int, bots: int = _BOTS) -> Ints:
    """Draw the tables of so many deals that each pair meets in so many games."""
    deals = round(games * comb(bots, 2) / comb(seats, 2) / seats)
    return np.array([rng.permutation(bots)[:seats] for _ in range(deals)])


def _throw(rng: np.random.Generator, matches: Rankings, share: float) -> Rankings:
    """Let the helper end so many of its games with its friend at the last place."""
    helper, friend = matches.players == _HELPER, matches.players == _FRIEND
    thrown = helper.any(axis=1) & friend.any(axis=1) & (rng.random(len(helper)) < share)
    last = thrown[:, None] & helper
    own = np.where(last, matches.ranks, 0).sum(axis=1, keepdims=True)
    moved_up = matches.ranks - (thrown[:, None] & (matches.ranks > own))
    return replace(matches, ranks=np.where(last, helper.shape[1], moved_up))


def _lucky_favours(
    rng: np.random.Generator, players: Ints, bots: int = _BOTS, unlike: float = _UNLIKE
) -> Floats:
    """Draw favours with styles of helper and friend, of unlike pairs, and with heavy tails."""
    games, seats = players.shape
    found = np.zeros((games, MEASURES, len(FavourKind), seats, seats))
    for kind in FavourKind:
        found[:, :LED, kind] = _of_kind(rng, players, bots, unlike)
    led = found[:, LED, FavourKind.LEADER]
    led[:] = rng.poisson(_LED, led.shape) * (1 - np.eye(seats))
    found[:, :LED, FavourKind.LEADER] *= (led / _LED)[:, None]
    return found


def _of_kind(rng: np.random.Generator, players: Ints, bots: int, unlike: float) -> Floats:
    """Draw gifts, and what was paid of them, by game, measure, seat that decides and that gains."""
    games, seats = players.shape
    giving, getting = (_agreeing(rng.normal(0, 0.5, (2, bots))) for _ in range(2))
    pairs = _agreeing(rng.normal(0, unlike, (2, bots, bots)))
    luck = _agreeing(rng.standard_t(4, (2, games, seats, seats)))
    helpers, friends = players[:, :, None], players[:, None, :]
    found = luck + giving[:, helpers] + getting[:, friends] + pairs[:, helpers, friends]
    return np.moveaxis(found, 0, 1)


def _agreeing(drawn: Floats) -> Floats:
    """Make of two independent draws two that agree by `_AGREE`."""
    gifts, own = drawn
    return np.stack([gifts, _AGREE * gifts + sqrt(1 - _AGREE**2) * own])


def _judged(matches: Rankings, favours: Floats | None) -> Verdicts:
    theta, bots = strengths(matches).middle, np.arange(matches.count)
    results = results_signs(matches, theta, bots, matches.count)
    if favours is None:
        return verdicts(results, [])
    decisions = decision_signs(matches.deals, matches.players, favours, matches.count)
    return verdicts(results, decisions)


def _pair(found: Verdicts, helper: int, friend: int) -> Ints:
    return np.flatnonzero((found.helpers == helper) & (found.friends == friend))


def _by_chance(found: Verdicts, *, honest: bool = False) -> float:
    """Return the share of the noted pairs that are neither the circle's nor helper and friend."""
    chance = np.maximum(found.helpers, found.friends) >= _HELPER
    if not honest:
        chance[_pair(found, _HELPER, _FRIEND)] = False
    return float((found.noted & chance).sum() / max(1, found.noted.sum()))


def _told(found: Verdicts) -> str:
    """Write the pair's signs, and how many other pairs are shown."""
    (pair,) = _pair(found, 0, 1)
    others = np.arange(len(found.helpers)) != pair
    signs = [np.nanmax(one[pair]) for one in (found.results, found.gifts, found.paid)]
    most = [np.nanmax(one[others]) for one in (found.results, found.gifts, found.paid)]
    return (
        f"results {signs[0]:+.1f}, gifts {signs[1]:+.1f}, paid {signs[2]:+.1f}, "
        f"{'shown' if found.shown[pair] else 'not shown'}; largest of the {others.sum()} honest "
        f"pairs {most[0]:+.1f}, {most[1]:+.1f}, {most[2]:+.1f}, shown {found.shown[others].sum()}"
    )


def _share(part: int, whole: int) -> str:
    """Write a share with its 95 % interval."""
    low, high = interval(part, whole)
    return f"{part / whole:.1%} ({max(0.0, low):.1%} to {min(1.0, high):.1%})"


if __name__ == "__main__":
    main(sys.argv[1:])
