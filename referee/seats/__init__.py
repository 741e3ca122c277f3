"""Seats: what sits behind a seat of the table, a bot over gRPC or a bot in this process."""

from dataclasses import dataclass
from typing import Protocol

from referee.clock import Clock
from referee.game import Game
from referee.rules import Layout, Move
from referee.wire import game_pb2


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a seat is told before it accepts a game."""

    match_id: str
    attempt: int
    seat: int
    players: int
    layout: Layout
    clock: Clock
    dice_commitment: bytes


@dataclass(frozen=True, slots=True)
class Allowance:
    """The time for one decision, in seconds."""

    move: float
    bank: float


class SeatPlayer(Protocol):
    """Whoever plays a seat. One object plays one game."""

    async def accept(self, invitation: Invitation) -> bytes:
        """Accepts the game and returns a nonce for the dice. Raises Unreachable."""

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> Move:
        """One of the legal moves. Raises SeatFault, and TimeoutError when the time is over."""

    async def dismiss(self, game: Game, fault: game_pb2.Fault) -> None:
        """The seat has faulted and plays no more. Never raises."""

    async def end(self, game: Game, end: "GameOver") -> None:
        """The game is over. Never raises."""

    async def leave(self) -> None:
        """Lets go of whatever the seat holds, at any time, more than once. Never raises."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """What every seat learns at the end."""

    result: game_pb2.Result
    dice_seed: bytes
    nonces: tuple[bytes, ...]
