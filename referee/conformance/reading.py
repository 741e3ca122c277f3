"""What the candidate sends, read strictly."""

from google.protobuf.message import DecodeError

from referee.conformance.check import Failure, Why
from referee.dice import MAX_NONCE_BYTES
from referee.rules import Position
from referee.wire import bot_pb2


def accept_of(data: bytes) -> bot_pb2.Accept:
    """An Accept. Raises Failure."""
    accept = _response(data, "accept").accept
    length = len(accept.nonce)
    if length > MAX_NONCE_BYTES:
        sentence = f"Its nonce has {length} bytes; at most {MAX_NONCE_BYTES} are allowed."
        raise Failure(Why.PROTOCOL, sentence)
    return accept


def move_of(data: bytes, decision_id: int, position: Position, answered: set[int]) -> int:
    """The legal move that a Choice means. Raises Failure."""
    choice = _response(data, "choice").choice
    moves = position.legal_moves
    if choice.decision_id in answered:
        sentence = f"It answered decision {choice.decision_id} a second time."
        raise Failure(Why.SECOND_ANSWER, sentence)
    if choice.decision_id != decision_id:
        sentence = f"It answered decision {choice.decision_id} where {decision_id} stands."
        raise Failure(Why.WRONG_DECISION, sentence)
    if choice.index >= len(moves):
        sentence = f"It chose index {choice.index}; there are {len(moves)} legal moves, from 0."
        raise Failure(Why.ILLEGAL_INDEX, sentence)
    return moves[choice.index]


def _response(data: bytes, due: str) -> bot_pb2.PlayResponse:
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        raise Failure(Why.PROTOCOL, "It sent bytes that are no PlayResponse.") from None
    what = response.WhichOneof("message")
    if what != due:
        sentence = f"It sent {what or 'an empty message'} where {due} was due."
        raise Failure(Why.PROTOCOL, sentence)
    return response
