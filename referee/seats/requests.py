"""What a bot is sent, built once for each time that it is needed."""

from functools import lru_cache
from typing import Final

from referee.messages import clock_message, setup_message
from referee.move_messages import move_message
from referee.rules import RULES_VERSION, Move, Position
from referee.seats import GameOver, Invitation
from referee.views import encoded_view
from referee.wire import bot_pb2

_LENGTH_DELIMITED: Final = 2
"""The wire type of fields that are messages (protobuf.dev/programming-guides/encoding)."""


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


def question(position: Position, decision_id: int) -> bytes:
    """A Decision, encoded, but for the time that is left."""
    return b"".join(
        (
            _number(bot_pb2.Decision.ID_FIELD_NUMBER, decision_id),
            _number(bot_pb2.Decision.KIND_FIELD_NUMBER, position.phase + 1),  # from 1 on the wire
            _message(bot_pb2.Decision.VIEW_FIELD_NUMBER, encoded_view(position)),
            _legal(position.legal_moves),
        )
    )


def decision_request(question: bytes, time_left_ms: int, bank_left_ms: int) -> bytes:
    """A PlayRequest that asks a question, encoded, but for the events before it."""
    time_left = _number(bot_pb2.Decision.TIME_LEFT_MS_FIELD_NUMBER, time_left_ms)
    bank_left = _number(bot_pb2.Decision.BANK_LEFT_MS_FIELD_NUMBER, bank_left_ms)
    return _message(bot_pb2.PlayRequest.DECISION_FIELD_NUMBER, question + time_left + bank_left)


@lru_cache(maxsize=2048)
def _legal(moves: tuple[Move, ...]) -> bytes:
    """The field `legal` of a Decision. The same moves are asked about again and again."""
    legal = bot_pb2.Decision(legal=[move_message(move) for move in moves])
    return legal.SerializeToString()


def _number(field: int, number: int) -> bytes:
    """A field that is a number; none where it is 0, as proto3 has it."""
    return _varint(field << 3) + _varint(number) if number else b""


def _message(field: int, message: bytes) -> bytes:
    """A field that is an encoded message."""
    return _varint(field << 3 | _LENGTH_DELIMITED) + _varint(len(message)) + message


@lru_cache(maxsize=4096)
def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def end_request(over: GameOver) -> bot_pb2.PlayRequest:
    """The last message to a seat that played to the end."""
    return bot_pb2.PlayRequest(
        end=bot_pb2.GameEnd(result=over.result, dice_seed=over.dice_seed, nonces=over.nonces)
    )
