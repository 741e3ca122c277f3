"""Santiago de Cuba for bots that learn (docs/learning.md).

`SantiagoEnv` is one game as a PettingZoo AEC environment; `import referee.rl` enters it into
PettingZoo's registry as `santiago_v1`. `BatchedEnvironment` plays thousands of games at once, for
training. The extra `rl` installs what they need: PettingZoo, Gymnasium and NumPy. Where only NumPy
is installed, as in the sandbox of a ladder's host, all but `env` and `SantiagoEnv` is there.

>>> import numpy as np
>>> from referee.rl import env
>>> game = env(players=4)
>>> game.reset(seed=7)
>>> for agent in game.agent_iter():
...     observation, reward, terminated, truncated, info = game.last()
...     game.step(None if terminated else np.argmax(observation["action_mask"]))
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if find_spec("numpy") is None:
    raise ImportError("referee.rl needs NumPy: install santiago-arena[rl].")

from referee.rl.actions import ACTIONS, action_mask
from referee.rl.batch import Batch, BatchedEnvironment
from referee.rl.observation import PARTS, observe

if TYPE_CHECKING or find_spec("pettingzoo") is not None:
    from referee.rl.environment import SantiagoEnv, env

__all__ = [
    "ACTIONS",
    "PARTS",
    "Batch",
    "BatchedEnvironment",
    "SantiagoEnv",
    "action_mask",
    "env",
    "observe",
]


def __getattr__(name: str) -> object:
    if name in ("SantiagoEnv", "env"):
        raise ImportError(
            f"referee.rl.{name} needs PettingZoo and Gymnasium: install santiago-arena[rl]."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
