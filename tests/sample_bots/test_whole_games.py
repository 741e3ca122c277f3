from collections.abc import Callable
from random import Random

import pytest

from referee.bot import Bot
from sample_bots.greedy import GreedyBot
from sample_bots.planner import PlannerBot
from sample_bots.random_bot import RandomBot
from sample_bots.turquino import TurquinoBot
from tests.sample_bots.games import StepClock, play


def planner() -> PlannerBot:
    """Looks five times at each decision."""
    return PlannerBot(seconds=0.005, rng=Random(1), clock=StepClock(0.001))


def turquino() -> TurquinoBot:
    """Looks at each decision until its clock has been read three times."""
    return TurquinoBot(seconds=0.002, rng=Random(1), clock=StepClock(0.001))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    ("bot", "games"), [(RandomBot, 3), (GreedyBot, 3), (planner, 1), (turquino, 1)]
)
def test_every_move_of_whole_games_is_legal(bot: Callable[[], Bot], games: int, seats: int) -> None:
    """The searchers, which think long, play four more games at each table against greedy."""
    for seed in range(games):
        play([bot() for _ in range(seats)], seed)
