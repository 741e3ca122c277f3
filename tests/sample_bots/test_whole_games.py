from collections.abc import Callable

import pytest

from referee.bot import Bot
from sample_bots.greedy import GreedyBot
from sample_bots.random_bot import RandomBot
from tests.sample_bots.games import play


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("bot", [RandomBot, GreedyBot])
def test_every_move_of_whole_games_is_legal(bot: Callable[[], Bot], seats: int) -> None:
    """The searchers, which think long, play theirs against greedy in tests of their own."""
    for seed in range(2):
        play([bot() for _ in range(seats)], seed)
