"""A seat whose bot lives in this process: for local tournaments of bots that one trusts."""

from referee.bot import Bot, Decision
from referee.faults import FaultCode, SeatFault
from referee.game import Game
from referee.rules import Move
from referee.seats import Allowance, GameOver, Invitation
from referee.wire import game_pb2


class LocalSeat:
    """Calls the bot directly. A bot that takes too long is found out only when it has chosen."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def accept(self, invitation: Invitation) -> bytes:  # noqa: ARG002
        return b""

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> Move:  # noqa: ARG002
        position = game.position.copy()
        moves = position.legal_moves
        decision = Decision(position, position.seat, time.move, time.bank)
        try:
            move = self._bot.choose(decision)
        except Exception as error:
            raise SeatFault(
                FaultCode.CLOSED, f"The bot failed: {type(error).__name__}: {error}"
            ) from error
        if move not in moves:
            raise SeatFault(FaultCode.ILLEGAL_INDEX, f"The bot chose {move!r}, which is not legal.")
        return move

    async def dismiss(self, game: Game, fault: game_pb2.Fault) -> None:
        pass

    async def end(self, game: Game, end: GameOver) -> None:
        pass

    async def leave(self) -> None:
        pass
