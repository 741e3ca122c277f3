"""The interface of a seat, and a seat whose bot runs in this process."""

from dataclasses import dataclass
from time import monotonic
from typing import Final, Protocol

from referee.bot import Bot, Decision, illegal_move
from referee.clock import Clock
from referee.faults import Fault, FaultCode, SeatFault, too_late
from referee.game import Game
from referee.notes import message
from referee.rules import Layout, Move
from referee.wire import game_pb2


@dataclass(frozen=True, slots=True)
class Invitation:
    """The terms of a game, which a seat gets before it accepts the game."""

    match_id: str
    attempt: int
    seat: int
    players: int
    layout: Layout
    clock: Clock
    dice_commitment: bytes
    resumed: bool = False
    """True if the game has begun, on a line that is closed by now."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The time for one decision, in seconds."""

    move: float
    bank: float


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A legal move, and the seconds that the bot's clock ran for it."""

    move: Move
    think: float
    cpu: float = 0.0
    """The CPU seconds that it took; 0 if they were not measured."""
    note: game_pb2.Note | None = None
    """The note of the bot beside it, as it came."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """The result and the secrets of the dice, which every seat gets at the end."""

    result: game_pb2.Result
    dice_seed: bytes
    nonces: tuple[bytes, ...]


class SeatPlayer(Protocol):
    """Plays a seat. One object plays one game."""

    @property
    def waiting(self) -> float:
        """Seconds for which the seat waited on nobody's clock, up to now."""

    async def accept(self, invitation: Invitation) -> bytes:
        """Accept the game and return a nonce for the dice. Raises Unreachable."""

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:
        """Choose a move. Raises SeatFault, also if the time is over, and Interrupted."""

    def dismiss(self, game: Game, fault: Fault) -> None:
        """Tell the bot that its seat has faulted and plays no more; do not wait for the bot."""

    def end(self, game: Game, over: GameOver) -> None:
        """Tell the bot that the game is over; do not wait for the bot."""

    async def leave(self) -> None:
        """Give the bot a moment to read its last message, then release all that the seat holds.

        It may be called at any time, and more than once. It never raises.
        """


class LocalSeat:
    """Calls a bot in this process. A bot that takes too long faults only after it has chosen."""

    waiting: Final = 0.0

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def accept(self, invitation: Invitation) -> bytes:  # noqa: ARG002
        return b""  # no nonce: with the same seed a local game is the same again

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:  # noqa: ARG002
        position = game.position.copy()
        decision = Decision(position, position.seat, time.move, time.bank)
        asked_at = monotonic()
        try:
            move = self._bot.choose(decision)
        except (Exception, SystemExit) as error:  # a bot may call sys.exit()
            raise SeatFault(
                FaultCode.CLOSED, f"The bot failed: {type(error).__name__}: {error}"
            ) from error
        think = monotonic() - asked_at
        legal = game.position.legal_moves
        if move not in legal:
            sentence = f"The bot chose {illegal_move(move, legal)}"
            raise SeatFault(FaultCode.ILLEGAL_INDEX, sentence)
        if think > time.move:
            raise too_late(time.move)
        return TimedMove(move, think, note=message(decision.noted))

    def dismiss(self, game: Game, fault: Fault) -> None:
        pass

    def end(self, game: Game, over: GameOver) -> None:
        pass

    async def leave(self) -> None:
        pass
