"""A game as a bot's process sees it: the messages of one stream, turned into decisions."""

from collections.abc import Iterator

from referee.bot import Bot, Decision
from referee.errors import InvalidBot, WrongReferee
from referee.messages import dice_of, layout_of
from referee.proof import Meeting, fits, fresh_challenge, same
from referee.rules import RULES_VERSION, Position, move_text
from referee.wire import bot_pb2


def play_game(
    bot: Bot, requests: Iterator[bot_pb2.PlayRequest], secret: str = ""
) -> Iterator[bot_pb2.PlayResponse]:
    """Follows the game by its events and lets the bot choose; yields what goes to the referee.

    `secret`: what the bot shares with the referee, if anything. Raises WrongReferee, and InvalidBot
    where the bot does not choose a legal move; what the bot raises goes through.
    """
    request = next(requests, None)
    if request is None:
        return
    position = begun(request.start)
    accept, due = _acceptance(bot, request.start, secret)
    yield bot_pb2.PlayResponse(accept=accept)
    for request in requests:
        if due and not same(request.proof, due):
            raise WrongReferee("Who calls did not prove to know this bot's secret.")
        due = b""
        follow(position, request)
        if request.HasField("decision"):
            yield _choice(bot, position, request.decision)
        elif request.HasField("fault"):
            raise InvalidBot(f"{bot.name} has faulted: {request.fault.sentence}")
        elif request.HasField("end"):
            return


def _acceptance(bot: Bot, start: bot_pb2.GameStart, secret: str) -> tuple[bot_pb2.Accept, bytes]:
    """What the bot answers, and the proof that the referee then owes it. Raises WrongReferee."""
    accept = bot_pb2.Accept(nonce=bot.nonce())
    if not secret:
        return accept, b""
    if not fits(start.challenge):
        raise WrongReferee(
            "This bot has a secret (SANTIAGO_SECRET) and plays only for an operator who shares it; "
            "who calls does not ask for a proof."
        )
    accept.challenge = fresh_challenge()
    meeting = Meeting(start.challenge, accept.challenge, start.match_id, start.attempt, start.seat)
    accept.proof = meeting.bots_proof(secret)
    return accept, meeting.referees_proof(secret)


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
        if event.HasField("move"):
            position.step(event.move.action)
        elif event.HasField("roll"):
            position.roll(dice_of(event.roll.dice))


def _choice(bot: Bot, position: Position, asked: bot_pb2.Decision) -> bot_pb2.PlayResponse:
    time_left, bank_left = asked.time_left_ms / 1000, asked.bank_left_ms / 1000
    decision = Decision(position.copy(), position.seat, time_left, bank_left)
    move = bot.choose(decision)
    if move not in decision.moves:
        legal = ", ".join(f"{legal} ({move_text(legal)})" for legal in decision.moves[:8])
        raise InvalidBot(f"{bot.name} chose {move!r}, which is not one of decision.moves: {legal}.")
    index = decision.moves.index(move)
    return bot_pb2.PlayResponse(choice=bot_pb2.Choice(decision_id=asked.id, index=index))
