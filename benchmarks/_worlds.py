"""Simulate leagues with known strengths: bots, what decides results, and who meets whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Final

import numpy as np

from ladder.contests.choosing import ReadyBot, pair, table
from ladder.ratings.elo import POINTS, Skill
from ladder.ratings.plackett_luce import Floats, Ints, Rankings, Strengths, strengths

_ELO: Final = POINTS / 1000  # Elo points in one natural logarithm of odds
_SPREAD: Final = 1.15  # of strengths: 200 Elo points
_SEATS: Final = np.array([0.1, 0.1, 0.0, -0.2])
_TRAIL: Final = 0.2  # what a bot does to the one behind it, standard deviation over bots
_LAYOUT: Final = 0.5  # what a layout does to a bot, over layouts
_GRID: Final = 0.2  # results that come so close are ties
_FAULTS: Final = 0.04  # the most that a bot faults, as a share of its matches
_CYCLE: Final = 0.8  # what the bots of the cycle have over their victims
_NEW: Final = 350.0  # deviation of a bot that has not played, in points
_LATELY: Final = 300  # deals in which repeats are counted, as the matchmaker does
_BATCH: Final = 20  # deals that are drawn before strengths are known anew


@dataclass(frozen=True, slots=True)
class World:
    """The effects that decide results, in natural logarithms of odds, by bot unless stated."""

    strength: Floats
    seat: Floats
    """The effect of each seat."""
    trail: Floats
    """The effect of the bot on the one that moves after it."""
    layout: float
    fault: Floats
    over: Floats
    """The advantage of one bot over another beyond strength (a cycle of three): (bots, bots)."""
    grid: float


def plain_world(rng: np.random.Generator, bots: int, size: int) -> World:
    """Plackett and Luce's own world: only strength and luck."""
    nothing = np.zeros(bots)
    return World(
        strength=rng.normal(0, _SPREAD, bots),
        seat=np.zeros(size),
        trail=nothing,
        layout=0.0,
        fault=nothing,
        over=np.zeros((bots, bots)),
        grid=0.0,
    )


def full_world(rng: np.random.Generator, bots: int, size: int) -> World:
    """A world with effects of seat, bot before and layout; ties, faults, a cycle of three bots."""
    over = np.zeros((bots, bots))
    for one, other in ((0, 1), (1, 2), (2, 0)):
        over[one, other], over[other, one] = _CYCLE, -_CYCLE
    strength = rng.normal(0, _SPREAD, bots)
    strength[:3] = strength[0]  # so that they meet, and none of them is the best
    return World(
        strength=strength,
        seat=_SEATS[4 - size :],
        trail=rng.normal(0, _TRAIL, bots),
        layout=_LAYOUT,
        fault=rng.uniform(0, _FAULTS, bots),
        over=over,
        grid=_GRID,
    )


def play(world: World, rng: np.random.Generator, tables: Ints) -> Rankings:
    """Play each table (deals, seats) in every rotation, on a layout of its own."""
    deals, size = tables.shape
    layout = rng.normal(0, world.layout, tables.shape) if world.layout else np.zeros(tables.shape)
    players = np.concatenate([np.roll(tables, turn, axis=1) for turn in range(size)])
    luck = rng.gumbel(size=players.shape)
    score = world.strength[players] + world.seat + world.trail[np.roll(players, 1, axis=1)] + luck
    score += np.concatenate([np.roll(layout, turn, axis=1) for turn in range(size)])
    score += world.over[players[:, :, None], players[:, None, :]].sum(axis=2)
    if world.grid:
        score = np.round(score / world.grid)
    faulted = rng.random(players.shape) < world.fault[players]
    score = np.where(faulted, -1e6 + rng.random(players.shape), score)  # later ones above earlier
    ranks = 1 + (score[:, None, :] > score[:, :, None]).sum(axis=2)
    return Rankings(players, ranks, np.tile(np.arange(deals), size), len(world.strength))


@dataclass(frozen=True, slots=True)
class League:
    """The tables of all deals in order, and their results."""

    tables: Ints
    matches: Rankings


def play_league(world: World, seed: int, deals: int) -> League:
    """Play deals whose tables our matchmaker draws; a quarter of the bots join later."""
    rng, luck = np.random.default_rng(seed), Random(seed)
    bots, size = len(world.strength), len(world.seat)
    drawn: list[tuple[int, ...]] = []
    played: list[Rankings] = []
    known: Strengths | None = None
    for start in range(0, deals, _BATCH):
        present = bots if start >= deals // 2 else bots - bots // 4
        for _ in range(min(_BATCH, deals - start)):
            drawn.append(_table(drawn, size, present, known, luck))
        played.append(play(world, rng, np.array(drawn[start:])))
        known = strengths(together(played))
    return League(np.array(drawn), together(played))


def together(played: list[Rankings]) -> Rankings:
    """Join the matches of several turns; each turn's deals stay separate deals."""
    starts = np.cumsum([0, *(one.deals.max() + 1 for one in played)])
    return Rankings(
        np.concatenate([one.players for one in played]),
        np.concatenate([one.ranks for one in played]),
        np.concatenate([one.deals + start for one, start in zip(played, starts, strict=False)]),
        played[0].count,
    )


def _table(
    drawn: list[tuple[int, ...]], size: int, present: int, known: Strengths | None, luck: Random
) -> tuple[int, ...]:
    games = Counter(bot for one in drawn for bot in one)
    last = {bot: number for number, one in enumerate(drawn) for bot in one}
    met = Counter(pair(*two) for one in drawn[-_LATELY:] for two in combinations(one, 2))
    candidates = [
        ReadyBot(
            bot_id=bot,
            owner=bot,
            house=False,
            skill=Skill(
                0 if known is None else round(1000 * _ELO * float(known.middle[bot])),
                round(1000 * _deviation(bot, games[bot] * size, known)),
            ),
            waited=float(len(drawn) - last.get(bot, -1)),
        )
        for bot in range(present)
    ]
    chosen = table(candidates, size, met=met, one_owner=False, rng=luck)
    assert chosen is not None
    return tuple(luck.sample(chosen, size))


def _deviation(bot: int, games: int, known: Strengths | None) -> float:
    if known is not None and games:
        return _ELO * float(known.reach[bot]) / 1.96
    return float(_NEW / (1 + games / 4) ** 0.5)
