"""A game as a bot's process sees it: the messages of one stream, turned into decisions."""

from collections.abc import Iterator

from referee.bot import Bot, Decision
from referee.errors import InvalidBot
from referee.messages import dice_of, layout_of
from referee.rules import RULES_VERSION, Position, move_text
from referee.wire import bot_pb2


def play_game(bot: Bot, requests: Iterator[bot_pb2.PlayRequest]) -> Iterator[bot_pb2.PlayResponse]:
    """Follows the game by its events and lets the bot choose; yields what goes to the referee.

    Raises InvalidBot where the bot does not choose a legal move; what the bot raises goes through.
    """
    request = next(requests, None)
    if request is None:
        return
    position = begun(request.start)
    yield bot_pb2.PlayResponse(accept=bot_pb2.Accept(nonce=bot.nonce()))
    for request in requests:
        follow(position, request)
        if request.HasField("decision"):
            yield _choice(bot, position, request.decision)
        elif request.HasField("fault"):
            raise InvalidBot(f"{bot.name} has faulted: {request.fault.sentence}")
        elif request.HasField("end"):
            return


def begun(start: bot_pb2.GameStart) -> Position:
    """The first position of a game. Raises InvalidBot where the rules are of another version."""
    if start.rules_version != RULES_VERSION:
        raise InvalidBot(
            f"The referee plays by rules version {start.rules_version}, this kit knows "
            f"{RULES_VERSION}: install the matching release of santiago-arena."
        )
    return Position.start(layout_of(start.setup), start.players)


def follow(position: Position, request: bot_pb2.PlayRequest) -> None:
    """Plays what has happened at the table."""
    for event in request.events:
        if event.HasField("roll"):
            position.roll(dice_of(event.roll.dice))
        elif event.HasField("move"):
            position.step(event.move.action)


def _choice(bot: Bot, position: Position, asked: bot_pb2.Decision) -> bot_pb2.PlayResponse:
    time_left, bank_left = asked.time_left_ms / 1000, asked.bank_left_ms / 1000
    decision = Decision(position.copy(), position.seat, time_left, bank_left)
    move = bot.choose(decision)
    if move not in decision.moves:
        legal = ", ".join(map(move_text, decision.moves[:8]))
        raise InvalidBot(f"{bot.name} chose {move!r}, which is not one of decision.moves: {legal}.")
    index = decision.moves.index(move)
    return bot_pb2.PlayResponse(choice=bot_pb2.Choice(decision_id=asked.id, index=index))
