"""What a bot is sent, built once for each time that it is needed."""

from functools import lru_cache
from typing import Final

from referee.messages import clock_message, setup_message
from referee.move_messages import move_message
from referee.rules import RULES_VERSION, Move, Position
from referee.seats import GameOver, Invitation
from referee.views import encoded_view
from referee.wire import bot_pb2

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
"""The wire types of numbers and messages (protobuf.dev/programming-guides/encoding)."""


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


_ID: Final = _varint(bot_pb2.Decision.ID_FIELD_NUMBER << 3 | _VARINT)
_KIND: Final = _varint(bot_pb2.Decision.KIND_FIELD_NUMBER << 3 | _VARINT)
_VIEW: Final = _varint(bot_pb2.Decision.VIEW_FIELD_NUMBER << 3 | _LENGTH_DELIMITED)
_TIME_LEFT: Final = _varint(bot_pb2.Decision.TIME_LEFT_MS_FIELD_NUMBER << 3 | _VARINT)
_BANK_LEFT: Final = _varint(bot_pb2.Decision.BANK_LEFT_MS_FIELD_NUMBER << 3 | _VARINT)
_DECISION: Final = _varint(bot_pb2.PlayRequest.DECISION_FIELD_NUMBER << 3 | _LENGTH_DELIMITED)


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
            _number(_ID, decision_id),
            _number(_KIND, position.phase + 1),  # from 1 on the wire
            _message(_VIEW, encoded_view(position)),
            _legal(position.legal_moves),
        )
    )


def decision_request(question: bytes, time_left_ms: int, bank_left_ms: int) -> bytes:
    """A PlayRequest that asks a question, encoded, but for the events before it."""
    time_left, bank_left = _number(_TIME_LEFT, time_left_ms), _number(_BANK_LEFT, bank_left_ms)
    return _message(_DECISION, question + time_left + bank_left)


@lru_cache(maxsize=2048)
def _legal(moves: tuple[Move, ...]) -> bytes:
    """The field `legal` of a Decision. The same moves are asked about again and again."""
    legal = bot_pb2.Decision(legal=[move_message(move) for move in moves])
    return legal.SerializeToString()


def _number(tag: bytes, number: int) -> bytes:
    """A field that is a number; none where it is 0, as proto3 has it."""
    return tag + _varint(number) if number else b""


def _message(tag: bytes, message: bytes) -> bytes:
    """A field that is an encoded message."""
    return tag + _varint(len(message)) + message


def end_request(over: GameOver) -> bot_pb2.PlayRequest:
    """The last message to a seat that played to the end."""
    return bot_pb2.PlayRequest(
        end=bot_pb2.GameEnd(result=over.result, dice_seed=over.dice_seed, nonces=over.nonces)
    )
