"""Whole games between bots in this process, the same ones at every run."""

from collections.abc import Sequence
from random import Random

from referee.bot import Bot, Decision
from referee.rules import Layout, Position, Score, move_text, roll_dice

MOVE_LIMIT = 10.0
BANK = 60.0


class StepClock:
    """A clock on which one step passes whenever somebody looks at it."""

    def __init__(self, step: float) -> None:
        self.now = 0.0
        self._step = step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


def decision(position: Position, time_left: float = MOVE_LIMIT) -> Decision:
    """What the seat that has to decide is asked."""
    return Decision(position.copy(), position.seat, time_left, BANK)


def choice(bot: Bot, position: Position) -> str:
    """The text of the move that a bot chooses."""
    return move_text(bot.choose(decision(position)))


def play(bots: Sequence[Bot], seed: int) -> tuple[Score, ...]:
    """The scores of a game whose layout and dice follow from the seed. Every move is legal."""
    rng = Random(seed)
    position = Position.start(Layout.shuffled(rng), players=len(bots))
    while (outcome := position.outcome()) is None:
        if position.legal_moves:
            move = bots[position.seat].choose(decision(position))
            assert move in position.legal_moves
            position.apply(move)
        else:
            position.roll(roll_dice(rng))
    return outcome.scores


def pairwise_score(ours: Bot, theirs: Bot, seats: int, games: int) -> float:
    """Of the others at its tables, the part that our bot ended ahead of; a tie counts half."""
    points = []
    for seed in range(games):
        bots = [theirs] * seats
        bots[seed % seats] = ours
        ranks = [score.rank for score in play(bots, seed)]
        rank = ranks.pop(seed % seats)
        points += [(rank < other) + (rank == other) / 2 for other in ranks]
    return sum(points) / len(points)
