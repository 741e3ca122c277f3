"""What a bot is sent, built once for each time that it is needed."""

from referee.messages import clock_message, setup_message, view_message
from referee.move_messages import move_message
from referee.rules import RULES_VERSION, Position
from referee.seats import GameOver, Invitation
from referee.wire import bot_pb2


def start_request(
    invitation: Invitation, challenge: bytes = b"", *, resumed: bool
) -> bot_pb2.PlayRequest:
    """The first message on a line, with a challenge where the bot has to prove a secret."""
    return bot_pb2.PlayRequest(
        start=bot_pb2.GameStart(
            match_id=invitation.match_id,
            attempt=invitation.attempt,
            seat=invitation.seat,
            players=invitation.players,
            setup=setup_message(invitation.layout),
            clock=clock_message(invitation.clock),
            dice_commitment=invitation.dice_commitment,
            rules_version=RULES_VERSION,
            resumed=resumed,
            challenge=challenge,
        )
    )


def decision_request(position: Position, decision_id: int) -> bot_pb2.PlayRequest:
    """A question, but for the events before it and the time that is left."""
    return bot_pb2.PlayRequest(
        decision=bot_pb2.Decision(
            id=decision_id,
            kind=position.phase + 1,  # type: ignore[arg-type]  # the wire counts from 1
            view=view_message(position),
            legal=[move_message(move) for move in position.legal_moves],
        )
    )


def end_request(over: GameOver) -> bot_pb2.PlayRequest:
    """The last message to a seat that played to the end."""
    return bot_pb2.PlayRequest(
        end=bot_pb2.GameEnd(result=over.result, dice_seed=over.dice_seed, nonces=over.nonces)
    )
