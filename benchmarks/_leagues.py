"""Simulate leagues for `benchmarks.ratings`: worlds that change, grow, tie and go round in circles.

Who meets whom follows from the true strengths, not from any rating that is compared: most tables
are among bots near in strength, one in five is not. One of them is the anchor of the ladder,
most often the weakest. A quarter of the bots join when half of the games are played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks._worlds import World, full_world, plain_world, play, together
from ladder.ratings.elo import POINTS
from ladder.ratings.plackett_luce import Floats, Ints, strengths

ELO: Final = POINTS / 1000
"""Elo points in one natural logarithm of odds."""
BOTS: Final = 16
GAMES: Final = 720
ANCHOR: Final = 3  # the number of the pinned bot; the three before it go round in a circle
_ANCHOR: Final = (-4.5, -1.5)  # its strength: 260 to 780 points below the mean of the others
_NEAR: Final = 100 / ELO
_NEW: Final = 350 / ELO  # doubt about a bot that has not played; bots in doubt meet all others
_WIDE: Final = 350 / ELO  # spread of strengths in wide worlds
_ANY_STRENGTH: Final = 0.2
_BLOCK: Final = 5  # deals between two changes of strength
_REPLAYS: Final = 20
WALK: Final = 4 / ELO
"""What a bot's strength changes from game to game in worlds that walk, standard deviation."""


@dataclass(frozen=True, slots=True)
class League:
    """The matches of a league in their order: players and ranks (matches, seats).

    `truth` has each bot's strength at each match (matches, bots), in natural logarithms of odds;
    `late` are the bots that joined later, `anchor` is the pinned one.
    """

    players: Ints
    ranks: Ints
    truth: Floats
    late: Ints
    anchor: int | None = ANCHOR


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of world. `crowded`: bots join all the time, and sit at most tables."""

    draw: Callable[[np.random.Generator, int], World]
    walk: float = 0.0
    improve: float = 0.0
    """How many points a quarter of the bots gain from each of their games, at most."""
    crowded: bool = False


def _plain(rng: np.random.Generator, size: int) -> World:
    return plain_world(rng, BOTS, size)


def _wide(rng: np.random.Generator, size: int) -> World:
    strength = rng.normal(0, _WIDE, BOTS)
    return replace(plain_world(rng, BOTS, size), strength=strength)


def _full(rng: np.random.Generator, size: int) -> World:
    return full_world(rng, BOTS, size)


def _circle(rng: np.random.Generator, size: int) -> World:
    full = full_world(rng, BOTS, size)
    return replace(plain_world(rng, BOTS, size), strength=full.strength, over=full.over)


def _ties_and_faults(rng: np.random.Generator, size: int) -> World:
    return replace(plain_world(rng, BOTS, size), grid=1.0, fault=rng.uniform(0, 0.1, BOTS))


KINDS: Final = {
    "plain": Kind(_plain),
    "walking": Kind(_plain, walk=WALK),
    "improving": Kind(_plain, improve=3.0),
    "crowded": Kind(_plain, walk=WALK, crowded=True),
    "wide": Kind(_wide, walk=WALK),
    "ties and faults": Kind(_ties_and_faults),
    "circle": Kind(_circle),
    "everything": Kind(_full),
}
"""The model describes `walking` and `crowded`: nothing but strength, luck and slow change. """


def play_league(kind: Kind, size: int, seed: int, games: int = GAMES) -> League:
    """Play a league of one kind of world."""
    rng = np.random.default_rng([seed, size])
    world = kind.draw(rng, size)
    world.strength[ANCHOR] = rng.uniform(*_ANCHOR)
    gains = np.where(np.arange(BOTS) % 4 == 1, rng.uniform(0, kind.improve, BOTS), 0.0) / ELO
    deals, met = games // size, np.zeros(BOTS)
    played, truth = [], []
    for start in range(0, deals, _BLOCK):
        present = _present(kind, start / deals)
        tables = np.array(
            [_table(rng, kind, world.strength, met, present, size) for _ in range(_BLOCK)]
        )[: deals - start]
        found = play(world, rng, tables)
        order = np.argsort(found.deals, kind="stable")
        played.append((found.players[order], found.ranks[order]))
        truth.append(np.tile(world.strength, (len(order), 1)))
        often = np.bincount(tables.ravel(), minlength=BOTS) * size
        met += often
        often[ANCHOR] = 0  # the anchor never changes
        change = gains * often + kind.walk * np.sqrt(often) * rng.normal(size=BOTS)
        world = replace(world, strength=world.strength + change)
    players = np.concatenate([one for one, _ in played])
    ranks = np.concatenate([one for _, one in played])
    late = np.arange(BOTS)[_first(kind, BOTS) :]
    return League(players, ranks, _truth(world, rng, players, np.concatenate(truth), size), late)


def _first(kind: Kind, bots: int) -> int:
    return bots // 4 if kind.crowded else bots - bots // 4


def _present(kind: Kind, time: float) -> int:
    """Return how many bots are there; those with higher numbers join later."""
    first = _first(kind, BOTS)
    if kind.crowded:
        return min(BOTS, first + 2 + int(time * (BOTS - first)))
    return BOTS if time >= 0.5 else first


def _table(
    rng: np.random.Generator, kind: Kind, strength: Floats, met: Floats, present: int, size: int
) -> Ints:
    """Draw a table: a random first bot (in crowds one of the newest), others near it."""
    first = rng.integers(present - 4 if kind.crowded and rng.random() < 0.75 else 0, present)
    lead = strength[:present] - strength[first]
    doubt = _NEW**2 / (1 + met[:present] / 4)
    weight = -(lead**2) / (2 * (_NEAR**2 + doubt + doubt[first]))
    if rng.random() < _ANY_STRENGTH:
        weight = np.zeros(present)
    if kind.crowded:
        weight[-4:] += 1.0
    weight = weight + rng.gumbel(size=present)
    weight[first] = np.inf
    return np.asarray(rng.permutation(np.argsort(-weight)[:size]))


def _truth(
    world: World, rng: np.random.Generator, players: Ints, truth: Floats, size: int
) -> Floats:
    """Return the strengths that a perfect fit would come to.

    If more than strength decides, that is what the model finds when all deals are played again and
    again on other layouts.
    """
    plain = not (world.layout or world.over.any() or world.trail.any() or world.fault.any())
    if plain and not world.grid:
        return truth
    tables = players[::size]
    again = [play(world, rng, tables) for _ in range(_REPLAYS)]
    middle = strengths(together(again)).middle
    return np.tile(middle, (len(players), 1))
