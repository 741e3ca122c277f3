"""Santiago de Cuba for learning bots, as a PettingZoo AEC environment (docs/learning.md).

It needs the packages that the extra `rl` installs.

>>> import numpy as np
>>> from referee.rl import env
>>> game = env(players=4)
>>> game.reset(seed=7)
>>> for agent in game.agent_iter():
...     observation, reward, terminated, truncated, info = game.last()
...     game.step(None if terminated else np.argmax(observation["action_mask"]))
"""

from referee.rl.environment import ACTIONS, SantiagoEnv, action_mask, env
from referee.rl.observation import PARTS, observe

__all__ = ["ACTIONS", "PARTS", "SantiagoEnv", "action_mask", "env", "observe"]
