"""Many games at once, for training: arrays in, arrays out, and no wait for the slowest game."""

from dataclasses import dataclass
from operator import attrgetter, index
from random import Random
from struct import Struct
from typing import Any, Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from referee.rl.actions import ACTIONS, mask_bytes, rewards
from referee.rl.batch_observation import Observer
from referee.rules import IllegalMove, Layout, Position, move_text
from referee.rules.cells import SEAT
from referee.rules.playouts import play_each, roll_dice

_MOVES: Final = np.array(ACTIONS)
_LEGAL_MOVES: Final = attrgetter("legal_moves")
_SEED_BITS: Final = 64
_ANY_LAYOUT: Final = Layout.shuffled(Random(0))


def generator(seed: SupportsIndex | None) -> Random:
    """Return the generator of a seed, or any for None. Raises ValueError for a negative one."""
    if seed is not None and index(seed) < 0:
        raise ValueError(f"A seed is 0 or more, not {seed}.")  # Random(-7) is Random(7)
    return Random(None if seed is None else index(seed))


@dataclass(frozen=True, slots=True)
class Batch:
    """All games after a step. Each array is new: the next step leaves it as it is.

    >>> batch = BatchedEnvironment(games=1000, players=3, seed=7).batch
    >>> batch.observations.shape, batch.action_mask.shape, batch.rewards.shape
    ((1000, 393), (1000, 331), (1000, 3))
    """

    observations: NDArray[np.float32]
    """The view of the seat that decides in each game, shape (games, 393): see PARTS."""
    action_mask: NDArray[np.int8]
    """Which actions that seat can choose, shape (games, 331), 1 or 0: see ACTIONS."""
    seats: NDArray[np.intp]
    """The seat that decides in each game, from 0, shape (games,)."""
    dones: NDArray[np.bool_]
    """The games that ended by this step, shape (games,); everything above is of the next game."""
    rewards: NDArray[np.float32]
    """The rewards of the games that ended, else 0, by seat: shape (games, players)."""
    vp: NDArray[np.int32]
    """The VP with which a game ended (E1), else 0, by seat: shape (games, players)."""


class BatchedEnvironment:
    """Thousands of games of Santiago de Cuba side by side, faster than `SantiagoEnv` one by one.

    In each game a seat has to decide: forced moves and dice are played by the environment. A game
    that is over is followed by the next one at once, on a new layout. Each game has a generator of
    its own: game `n` is, decision for decision, what `SantiagoEnv` plays after
    `reset(seed=seeds[n])` and, when a game is over, `reset()`.

    It needs NumPy, and neither PettingZoo nor Gymnasium.

    Attributes:
        players: 2, 3 or 4.
        seeds: The seed of each game's generator.
        batch: The games as they stand.
        positions: The same as positions of the rules, for programs that look ahead: copy what you
            want to play on.

    Args:
        games: How many games to play side by side.
        players: 2, 3 or 4.
        seed: Makes the seeds of the games: the same seed and the same actions give the same
            games. Without one they differ each time.

    Raises:
        ValueError: `games` is less than 1, or more than an array can count; or `seed` is negative.
        MemoryError: There is no room for so many games.
        InvalidPosition: Another number of players.

    Example:
        >>> games = BatchedEnvironment(games=1000, players=3, seed=7)
        >>> games.batch.seats[:4]
        array([2, 2, 2, 2])
    """

    def __init__(self, games: int, players: int = 4, seed: SupportsIndex | None = None) -> None:
        if games < 1:
            raise ValueError(f"A batch needs one game or more, not {games}.")
        cells = Position.start(_ANY_LAYOUT, players).cells
        self._format = f"{len(cells)}i"
        self._observer = Observer(games, players)  # early: it fails at once if memory is short
        luck = generator(seed)
        self.players = players
        self.seeds = tuple(luck.getrandbits(_SEED_BITS) for _ in range(games))
        self._lucks = [Random(seed) for seed in self.seeds]
        self.positions = [self._start(game) for game in range(games)]
        self.batch = self._look([])

    def step(self, actions: NDArray[np.integer[Any]]) -> Batch:
        """Play an action in each game, of the seat that decides there.

        Args:
            actions: Whole numbers, shape (games,): each an action whose `action_mask` is 1.

        Returns:
            The games after that, also in the attribute `batch`.

        Raises:
            TypeError: The actions are not whole numbers.
            ValueError: They have another shape.
            IllegalMove: An action is not in the mask of its game; the message names the first
                such game. No game has changed.

        Example:
            >>> games = BatchedEnvironment(games=2, players=3, seed=7)
            >>> batch = games.step(games.batch.action_mask.argmax(axis=1))
            >>> batch.seats, batch.dones
            (array([0, 0]), array([False, False]))
        """
        moves = self._moves(np.asarray(actions))
        self.batch = self._look(play_each(self.positions, moves, self._lucks))
        return self.batch

    def _moves(self, actions: NDArray[Any]) -> list[int]:
        """Return the moves of the actions, all of which are legal."""
        games = len(self.positions)
        if actions.shape != (games,):
            raise ValueError(
                f"{games} games need {games} actions: an array of the shape ({games},), not "
                f"{actions.shape}."
            )
        if not np.issubdtype(actions.dtype, np.integer):
            raise TypeError(f"Actions are whole numbers, such as int64, not {actions.dtype}.")
        valid = (actions >= 0) & (actions < len(ACTIONS))
        chosen = np.where(valid, actions, 0)
        legal = valid & (self._mask[np.arange(games), chosen] == 1)
        if not legal.all():
            raise self._illegal(int(np.argmin(legal)), actions)
        moves: list[int] = _MOVES[chosen].tolist()
        return moves

    def _illegal(self, game: int, actions: NDArray[Any]) -> IllegalMove:
        action, seat = int(actions[game]), int(self.batch.seats[game])
        valid = 0 <= action < len(ACTIONS)
        named = f"{action} ({move_text(ACTIONS[action])})" if valid else f"{action}"
        return IllegalMove(f"Action {named} is not in the action mask of game {game}, seat {seat}.")

    def _start(self, game: int) -> Position:
        """Return the first decision of a new game."""
        luck = self._lucks[game]
        layout = Layout.shuffled(luck)
        self._observer.begin(game, layout)
        position = Position.start(layout, self.players)
        while not position.legal_moves:
            position.roll(roll_dice(luck))
        return position

    def _look(self, ended: list[int]) -> Batch:
        """Return all games; those that have ended give way to the next ones."""
        shape = (len(self.seeds), self.players)
        dones = np.zeros(len(self.seeds), dtype=np.bool_)
        gained, vp = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int32)
        for game in ended:
            outcome = self.positions[game].outcome()
            assert outcome is not None
            gained[game], vp[game] = rewards(outcome), [score.vp for score in outcome.scores]
            dones[game] = True
            self.positions[game] = self._start(game)
        pack = Struct(self._format).pack
        numbers = b"".join([pack(*position.cells) for position in self.positions])
        cells = np.frombuffer(numbers, dtype=np.int32).reshape(len(self.seeds), -1)
        masks = b"".join(map(mask_bytes, map(_LEGAL_MOVES, self.positions)))
        self._mask = np.frombuffer(masks, dtype=np.int8).reshape(len(self.seeds), -1)
        seats = cells[:, SEAT].astype(np.intp)
        return Batch(self._observer.observe(cells), self._mask.copy(), seats, dones, gained, vp)
