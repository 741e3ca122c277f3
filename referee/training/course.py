"""The course of a training: play, learn from all games so far, play better, and so on.

Last come games of players of many kinds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.engine import network
from referee.engine.evaluation import shares
from referee.engine.stored import own
from referee.training.kinds import KindsPlan, play_kinds
from referee.training.learning import NO_FACT, Floats, Games, Learner, loss_of, pair_chances
from referee.training.playing import SIZES, Part, guess, one_move_ahead, play_parts

_BATCH: Final = 3072
"""Seats that are learned from in one step."""
_RATE: Final = 0.003
_LAST_RATE: Final = 0.03
"""The part of the rate with which learning ends."""
_RATE_OF_KINDS: Final = 0.0006
_PASSES_OF_KINDS: Final = 2
"""Few and small steps: the network keeps what it has learned before."""
_HELD_OUT: Final = 20
"""One of so many games is not learned from."""
_FAITH: Final = 0.3
"""How much a moment learns from what is thought of the next one, instead of the game's end."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to train."""

    seed: int
    generations: int
    games: int
    """The games of each number of players in the last generation.

    Each generation before it plays half as many as the next one, and no fewer than two: its
    players are weaker, so there is less to learn from them.
    """
    passes: int
    """How often each moment is learned from."""
    further: bool = False
    """The first games are played by the engine's own weights, not by a plain guess."""

    def games_of(self, generation: int) -> int:
        """Return how many games of each number of players a generation plays."""
        return max(2, self.games >> (self.generations - 1 - generation))


@dataclass(frozen=True, slots=True)
class Progress:
    """A trained network, and how well it judges."""

    title: str
    weights: bytes
    losses: dict[int, float]
    """The log-loss of pairs of seats in games that were held out, by number of players."""


def train(plan: Plan) -> Iterator[Progress]:
    """Train a network; the same plan gives the same weights, byte by byte."""
    learned: list[Games] = []
    weights = own(network.WEIGHTS) if plan.further else None
    for generation in range(plan.generations):
        by_network = partial(_play, weights, str(plan.seed + generation))
        fresh = play_parts(by_network, dict.fromkeys(SIZES, plan.games_of(generation)))
        learned = [*learned[-len(SIZES) :], *(_part(games, False) for games in fresh)]
        learner = Learner(plan.seed)
        learn(learner, learned, plan.passes, plan.seed)
        weights = packed(learner)
        yield Progress(f"generation {generation}", weights, _losses(learner, fresh))


def _play(weights: bytes | None, seed: str, part: Part) -> Games:
    """Play by a network, or by a plain guess; the engine judges by its own network afterwards."""
    if weights is None:
        return part.play(seed, one_move_ahead(guess))
    network.use(weights)
    try:
        return part.play(seed, one_move_ahead(shares))
    finally:
        network.forget()


def train_further(weights: bytes, plan: KindsPlan) -> Progress:
    """Let a network learn from games of many kinds of players.

    As it would forget its own games between two, it learns from such ones, too.
    """
    games = play_kinds(plan)
    own_of_two = play_parts(partial(_play, weights, f"{plan.seed} own"), {2: plan.games})
    learner = Learner(plan.seed, weights)
    known = [_part(part, False) for part in (*games, *own_of_two)]
    learn(learner, known, _PASSES_OF_KINDS, plan.seed, _RATE_OF_KINDS)
    return Progress("other kinds of players", packed(learner), _losses(learner, games))


def _losses(learner: Learner, played: list[Games]) -> dict[int, float]:
    """Return the log-loss of pairs of seats in the games that were held out, by their number."""
    unseen = [_part(games, True) for games in played]
    return {part.players: loss_of(all_chances(learner, part), part.ahead) for part in unseen}


def _part(games: Games, held_out: bool) -> Games:
    chosen = (games.game % _HELD_OUT == 0) == held_out
    return Games(games.facts[chosen], games.ahead[chosen], games.game[chosen])


def learn(
    learner: Learner, games: list[Games], passes: int, seed: int, full_rate: float = _RATE
) -> list[float]:
    """Pass through all moments in random order so many times; return the loss of each pass."""
    rng = np.random.default_rng(seed)
    losses = []
    for number in range(passes):
        aims = games if not number else [smoothed(learner, part) for part in games]
        batches = [(part, batch) for part in aims for batch in _batches(part, rng)]
        found = []
        for done, chosen in enumerate(rng.permutation(len(batches))):
            part, batch = batches[chosen]
            left = 1 - (number + done / len(batches)) / passes
            rate = full_rate * (left + _LAST_RATE)
            found.append(learner.learn(part.facts[batch], part.ahead[batch], rate))
        losses.append(sum(found) / len(found))
    return losses


def _batches(games: Games, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    moments, seats, _ = games.facts.shape
    return np.array_split(rng.permutation(moments), max(1, moments * seats // _BATCH))


def smoothed(learner: Learner, games: Games) -> Games:
    """Return the games with aims in which each moment trusts what is thought of later ones.

    The aim of a moment is a mean of the next one's chances and the next one's aim, so that the luck
    at the end of a game counts less for its beginning (the return of TD(lambda), Sutton 1988).
    """
    chances = all_chances(learner, games)
    aims = games.ahead.copy()
    for moment in range(len(aims) - 2, -1, -1):
        if games.game[moment] == games.game[moment + 1]:
            aims[moment] = _FAITH * chances[moment + 1] + (1 - _FAITH) * aims[moment + 1]
    return replace(games, ahead=aims)


def all_chances(learner: Learner, games: Games) -> Floats:
    """Return the chance of each seat to end ahead of each other: [moment][seat][other]."""
    parts = [games.facts[start : start + _BATCH] for start in range(0, len(games.facts), _BATCH)]
    return np.concatenate([pair_chances(learner.scores(part)) for part in parts])


def packed(learner: Learner) -> bytes:
    """Return the weights as the engine reads them: whole numbers."""
    rows = np.concatenate([learner.rows()[:NO_FACT], learner.first[None, :]])
    whole = np.rint(rows.astype(np.float64) * network.SCALE)
    return network.pack(np.clip(whole, -network.MOST, network.MOST).astype(int).tolist())
