"""A seat whose bot lives in this process: for local tournaments of bots that one trusts."""

from time import monotonic

from referee.bot import Bot, Decision
from referee.faults import Fault, FaultCode, SeatFault, too_late
from referee.game import Game
from referee.seats import Allowance, Answer, GameOver, Invitation


class LocalSeat:
    """Calls the bot directly. A bot that takes too long is found out only when it has chosen."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def accept(self, invitation: Invitation) -> bytes:  # noqa: ARG002
        return b""  # who rolls here also owns the bot; the same seed gives the same game

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> Answer:  # noqa: ARG002
        position = game.position.copy()
        decision = Decision(position, position.seat, time.move, time.bank)
        asked_at = monotonic()
        try:
            move = self._bot.choose(decision)
        except Exception as error:
            raise SeatFault(
                FaultCode.CLOSED, f"The bot failed: {type(error).__name__}: {error}"
            ) from error
        think = monotonic() - asked_at
        if move not in game.position.legal_moves:
            raise SeatFault(FaultCode.ILLEGAL_INDEX, f"The bot chose {move!r}, which is not legal.")
        if think > time.move:
            raise too_late(time.move)
        return Answer(move, think)

    def dismiss(self, game: Game, fault: Fault) -> None:
        pass

    def end(self, game: Game, over: GameOver) -> None:
        pass

    async def leave(self) -> None:
        pass
