"""What a bot sends, checked: whatever is not the protocol's is a fault."""

from google.protobuf.message import DecodeError

from referee.dice import MAX_NONCE_BYTES
from referee.faults import FaultCode, SeatFault
from referee.rules import Move
from referee.wire import bot_pb2


def accepted(data: bytes) -> bot_pb2.Accept:
    """An Accept. Raises SeatFault."""
    accept = _response(data, "accept").accept
    nonce = accept.nonce
    if len(nonce) > MAX_NONCE_BYTES:
        raise SeatFault(
            FaultCode.PROTOCOL,
            f"The nonce has {len(nonce)} bytes; at most {MAX_NONCE_BYTES} are allowed.",
            data,
        )
    return accept


def chosen(
    data: bytes, decision_id: int, moves: tuple[Move, ...], answered: int | None = None
) -> Move:
    """The legal move that a Choice means. `answered`: the one before. Raises SeatFault."""
    choice = _response(data, "choice").choice
    if choice.decision_id != decision_id:
        sent = "sent a second answer to" if choice.decision_id == answered else "answered"
        sentence = f"The bot {sent} decision {choice.decision_id} where {decision_id} stands."
        raise SeatFault(FaultCode.WRONG_DECISION, sentence, data)
    index = choice.index
    if index >= len(moves):
        raise SeatFault(
            FaultCode.ILLEGAL_INDEX,
            f"The bot chose index {index}; there are {len(moves)} legal moves, from 0.",
            data,
        )
    return moves[index]


def _response(data: bytes, due: str) -> bot_pb2.PlayResponse:
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        sentence = "The bot sent bytes that are no PlayResponse."
        raise SeatFault(FaultCode.PROTOCOL, sentence, data) from None
    what = response.WhichOneof("message")
    if what != due:
        sentence = f"The bot sent {what or 'an empty message'} where {due} was due."
        raise SeatFault(FaultCode.PROTOCOL, sentence, data)
    return response
