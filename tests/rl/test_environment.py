from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from referee.rl import ACTIONS, BatchedEnvironment, SantiagoEnv, env
from referee.rl.actions import ACTION_OF, rewards
from referee.rules import IllegalMove, InvalidPosition, Outcome, Position, Reason, Score, parse_move
from tests.rules.table import player, table

SIZES = pytest.mark.parametrize("players", [2, 3, 4])


def played(game: Any, seed: int) -> dict[str, tuple[float, dict[str, Any]]]:
    """The reward and the info of each agent after a game of random moves."""
    game.reset(seed=seed)
    luck = Random(seed)
    found = {}
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, info = game.last()
        assert not truncated
        if terminated:
            found[agent] = (reward, info)
            game.step(None)
        else:
            assert reward == 0
            game.step(luck.choice(observation["action_mask"].nonzero()[0]))
    return found


def set_up(position: Position) -> SantiagoEnv:
    """The environment, in a position in which seat 0 is to decide."""
    game = SantiagoEnv(position.players)
    game.reset()
    game.position = position
    game.agent_selection = "player_0"
    return game


@SIZES
# PettingZoo knows by name which games observe by a dictionary with a mask: its own.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
def test_pettingzoo_finds_the_interface_right(players: int) -> None:
    api_test(env(players), num_cycles=300)


@SIZES
def test_pettingzoo_finds_the_seed_right(players: int) -> None:
    seed_test(lambda: env(players), num_cycles=300)


def test_pettingzoo_finds_the_rendering_right() -> None:
    render_test(env)
    with pytest.raises(ValueError, match="The render mode is 'ansi', 'human' or None, not 'rgb"):
        env(render_mode="rgb_array")


@SIZES
def test_the_winner_is_rewarded_at_the_end(players: int) -> None:
    for seed in range(3):
        ended = played(env(players), seed)
        assert len(ended) == players
        assert sum(reward for reward, _ in ended.values()) == pytest.approx(0)
        by_rank = sorted(ended.values(), key=lambda one: one[1]["rank"])
        assert by_rank[0][0] > 0 > by_rank[-1][0]
        assert [info["vp"] for _, info in by_rank] == sorted(
            (info["vp"] for _, info in by_rank), reverse=True
        )


def test_rewards_count_whom_one_ranks_above_and_below() -> None:
    def of(*ranks: int) -> list[float]:
        scores = tuple(Score(seat, 0, 0, 0, rank) for seat, rank in enumerate(ranks))
        return rewards(Outcome(Reason.SHIPS, scores))

    assert of(2, 1) == [-1, 1]
    assert of(1, 1) == [0, 0]
    assert of(1, 2, 3) == [1, 0, -1]
    assert of(1, 1, 3) == [0.5, 0.5, -1]
    assert of(4, 2, 2, 1) == [-1, 0, 0, 1]


def test_the_luck_goes_on_without_a_seed() -> None:
    game = env(2)
    positions = []
    for seed in (5, None, 5, None):
        game.reset(seed=seed)
        positions.append(game.render())
    assert positions[0] == positions[2] != positions[1] == positions[3]


def test_a_position_is_rendered_as_its_text() -> None:
    game = env(3)
    game.reset(seed=1)
    assert Position.parse(game.render()) == game.unwrapped.position


def test_an_agent_is_asked_only_where_there_is_a_choice() -> None:
    game = env(4)
    game.reset(seed=2)
    luck = Random(2)
    while not game.unwrapped.position.is_over:
        mask = game.last()[0]["action_mask"]
        assert mask.sum() >= 2
        game.step(luck.choice(mask.nonzero()[0]))
    game.close()


def test_a_move_that_is_not_legal_is_refused() -> None:
    game = set_up(table(player(pesos=0), player(), next_stop="alonso"))
    with pytest.raises(IllegalMove, match=r"Action 9 \(drive 9\) is not in the action mask"):
        game.step(ACTION_OF[parse_move("drive 9")])
    with pytest.raises(IllegalMove, match="Action None is not in the action mask of player_0"):
        game.step(None)
    for wrong in (-1, len(ACTIONS)):
        with pytest.raises(IllegalMove, match=f"Action {wrong} is not in the action mask"):
            game.step(wrong)
    assert game.agents == ["player_0", "player_1"]


@pytest.mark.parametrize("action", [1.0, np.float32(1), "1"])
def test_an_action_that_is_no_whole_number_is_refused(action: Any) -> None:
    game = set_up(table(player(pesos=0), player(), next_stop="alonso"))
    with pytest.raises(TypeError, match=r"^An action is a whole number, such as an int, not .*1"):
        game.step(action)


def test_seeds_may_be_numbers_of_numpy() -> None:
    first, second = SantiagoEnv(), SantiagoEnv()
    first.reset(seed=7)
    second.reset(seed=np.int64(7))
    assert str(first.position) == str(second.position)
    assert BatchedEnvironment(1, seed=np.int64(7)).seeds == BatchedEnvironment(1, seed=7).seeds


@pytest.mark.parametrize("begin", [SantiagoEnv().reset, partial(BatchedEnvironment, 1)])
def test_no_seed_is_negative(begin: Callable[..., object]) -> None:
    """Python's generator plays the games of 7 for -7."""
    with pytest.raises(ValueError, match=r"^A seed is 0 or more, not -7\.$"):
        begin(seed=-7)


def test_two_to_four_play() -> None:
    for players in (1, 5):
        with pytest.raises(InvalidPosition, match=r"^Two to four players can play"):
            env(players)


def test_a_game_that_never_ends_ends_after_turn_300() -> None:
    """H7: it ends by the rules, so the agents are terminated, not truncated."""
    game = set_up(table(player(vp=4), player(), turn=300, silenced="pedro"))
    game.step(ACTION_OF[parse_move("drive 1")])
    assert game.position.outcome() is not None
    assert game.terminations == {"player_0": True, "player_1": True}
    assert game.truncations == {"player_0": False, "player_1": False}
    assert game.rewards == {"player_0": 1, "player_1": -1}


def test_the_spaces_stay_the_same() -> None:
    game = env(4)
    assert game.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert game.action_space("player_3").n == len(ACTIONS)
    assert game.action_space("player_3") is game.action_space("player_3")
    small = SantiagoEnv(2)
    assert small.observation_space("player_0") == game.observation_space("player_0")


@pytest.mark.parametrize("name", ["santiago_v1", "santiago-v1", "santiago"])
def test_the_registry_of_pettingzoo_has_it(name: str) -> None:
    game = pettingzoo.make("aec", name, players=3)
    assert isinstance(game.unwrapped, SantiagoEnv)
    assert game.possible_agents == ["player_0", "player_1", "player_2"]
    assert pettingzoo.spec("aec", name).id == "santiago-v1"
    assert game.metadata["name"] == "santiago_v1"
