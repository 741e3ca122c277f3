"""The game as a PettingZoo AEC environment, which PettingZoo's registry knows as `santiago_v1`."""

from operator import index
from random import Random
from typing import Any, Final, SupportsIndex

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import register
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from referee import rules
from referee.rl.actions import ACTIONS, action_mask, rewards
from referee.rl.batch import generator
from referee.rl.observation import SIZE, observe
from referee.rules import Outcome, Position, move_text

NAME: Final = "santiago_v1"

Observation = dict[str, NDArray[Any]]
"""`observation` (float32, see PARTS) and `action_mask` (int8, see ACTIONS)."""


def env(players: int = 4, render_mode: str | None = "ansi") -> Any:
    """Make an environment, in PettingZoo's wrapper that reports calls in the wrong order.

    Args:
        players: 2, 3 or 4.
        render_mode: What `render` does with its line of text: "human" prints it, "ansi" (or
            None) returns it.

    Returns:
        A PettingZoo AEC environment with the agents `player_0`, `player_1` and so on.

    Raises:
        InvalidPosition: There is no game for so many players.
        ValueError: There is no such render mode.

    Example:
        >>> game = env(players=3)
        >>> game.reset(seed=7)
        >>> game.agents
        ['player_0', 'player_1', 'player_2']
    """
    return OrderEnforcingWrapper(SantiagoEnv(players, render_mode))


class SantiagoEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """Santiago de Cuba for the agents `player_0` to `player_3`, seat 0 first.

    An agent is asked only if it has a choice: the environment plays forced moves and rolls the dice
    with its own generator, which `reset(seed=...)` seeds. A game ends by the rules (after turn 300
    at the latest, H7) and is never truncated. `env` makes one in the usual wrapper.

    The attribute `position` is the game as it stands, a `referee.rules.Position`. Another number of
    players than 2, 3 or 4 raises InvalidPosition, a render mode that is not there ValueError.

    >>> game = SantiagoEnv(players=2)
    >>> game.reset(seed=7)
    >>> game.agent_selection, game.position.turn
    ('player_1', 0)
    """

    metadata: Final = {"name": NAME, "render_modes": ["ansi", "human"], "is_parallelizable": False}

    def __init__(self, players: int = 4, render_mode: str | None = "ansi") -> None:
        super().__init__()
        if render_mode not in ("ansi", "human", None):
            raise ValueError(f"The render mode is 'ansi', 'human' or None, not {render_mode!r}.")
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(len(ACTIONS)) for agent in self.possible_agents}
        self._luck = Random()
        self.position = self._new_position()

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations; it is the same for all agents.

        Example:
            >>> SantiagoEnv().observation_space("player_0")["observation"].shape
            (393,)
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions: `Discrete(331)`, the same for all agents.

        Example:
            >>> SantiagoEnv().action_space("player_0")
            Discrete(331)
        """
        return self.action_spaces[agent]

    def reset(
        self,
        seed: SupportsIndex | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> None:
        """Begin a new game on a new layout.

        Args:
            seed: Seeds the generator of layout and dice; None goes on with the generator as it is.
            options: Not used; PettingZoo's interface has it.

        Raises:
            ValueError: The seed is negative.

        Example:
            >>> game = SantiagoEnv()
            >>> game.reset(seed=7)
            >>> game.position.kind
            'demand'
        """
        if seed is not None:
            self._luck = generator(seed)
        self.agents = self.possible_agents[:]
        self.position = self._new_position()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: int | None) -> None:
        """Play an action of the agent in `agent_selection`.

        Args:
            action: An action whose `action_mask` is 1; None after the agent has terminated.

        Raises:
            IllegalMove: The action is not in the agent's mask.
            TypeError: It is not a whole number.

        Example:
            >>> game = SantiagoEnv()
            >>> game.reset(seed=7)
            >>> game.step(ACTIONS.index(rules.parse_move("exclude sugar")))
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        move = None if action is None else _move_of(action)
        if move not in self.position.legal_moves:
            named = f"{action}" if move is None else f"{action} ({move_text(move)})"
            raise rules.IllegalMove(f"Action {named} is not in the action mask of {agent}.")
        self._cumulative_rewards[agent] = 0.0
        self.position.apply(move)
        self._go_on()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, also while others decide: only future dice are hidden.

        Args:
            agent: `player_0` to `player_3`.

        Returns:
            `observation` (float32, see PARTS) and `action_mask` (int8, see ACTIONS).

        Example:
            >>> game = SantiagoEnv()
            >>> game.reset(seed=7)
            >>> int(game.observe("player_1")["action_mask"].sum())  # player_1 can only pass
            1
        """
        seat = self.possible_agents.index(agent)
        return {
            "observation": observe(self.position, seat),
            "action_mask": action_mask(self.position, seat),
        }

    def render(self) -> str | None:
        """Return the position as one line of text, which `santiago show` draws, or print it.

        Example:
            >>> game = SantiagoEnv()
            >>> game.reset(seed=7)
            >>> game.render()[:9]
            'citizens='
        """
        text = str(self.position)
        if self.render_mode != "human":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: the environment holds nothing open."""

    def _new_position(self) -> Position:
        return Position.start(rules.Layout.shuffled(self._luck), len(self.possible_agents))

    def _go_on(self) -> None:
        """Roll the dice until a seat has to decide or the game is over."""
        position = self.position
        while not position.legal_moves and not position.is_over:
            position.roll(rules.roll_dice(self._luck))
        self.agent_selection = self.possible_agents[position.seat]
        outcome = position.outcome()
        if outcome is not None:
            self._end(outcome)

    def _end(self, outcome: Outcome) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, score, reward in zip(self.agents, outcome.scores, rewards(outcome), strict=True):
            self.rewards[agent] = reward
            self.infos[agent] = {"rank": score.rank, "vp": score.vp}


def _observation_space() -> Dict:
    numbers = Box(0, np.inf, (SIZE,), np.float32)
    return Dict({"observation": numbers, "action_mask": Box(0, 1, (len(ACTIONS),), np.int8)})


def _move_of(action: object) -> rules.Move | None:
    """Return the move of an action, or None if there is none. Raises TypeError."""
    if not isinstance(action, SupportsIndex):
        raise TypeError(f"An action is a whole number, such as an int, not {action!r}.")
    number = index(action)
    return ACTIONS[number] if 0 <= number < len(ACTIONS) else None


register("aec", NAME, entry_point=env)
