"""The messages of the stream `Play`: builds the referee's, validates the bot's.

Each line begins with GameStart and Accept; if a secret is shared, both sides prove there that they
know it. A bot's message outside the protocol is a fault.
"""

from functools import lru_cache
from typing import Final
from urllib.parse import quote

from google.protobuf.message import DecodeError

from referee.faults import FaultCode, SeatFault
from referee.game import MAX_NONCE_BYTES
from referee.messages import clock_message, encoded_view, move_message, setup_message
from referee.notes import without_note
from referee.proof import Meeting, fits, fresh_challenge, same
from referee.rules import RULES_VERSION, Move, Position
from referee.seats.player import GameOver, Invitation
from referee.wire import bot_pb2, game_pb2

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
"""The wire types of numbers and messages (protobuf.dev/programming-guides/encoding)."""


class NotProven(Exception):
    """The peer that accepted the game did not prove that it knows the bot's secret."""


class Guard:
    """Checks on one line that the bot knows the shared secret; admits any bot if there is none."""

    def __init__(self, secret: str, invitation: Invitation) -> None:
        self._secret = secret
        self._invitation = invitation
        self.challenge = fresh_challenge() if secret else b""
        """The challenge in GameStart; empty if no secret is shared."""

    def admit(self, accept: bot_pb2.Accept) -> bytes:
        """Check the bot's proof; return the referee's, for its next message. Raises NotProven."""
        if not self._secret:
            return b""
        if not accept.proof:
            raise NotProven(
                "it did not prove that it knows the secret that the operator shares with it: "
                "was it started with SANTIAGO_SECRET?"
            )
        if not fits(accept.challenge):
            raise NotProven(f"its challenge has {len(accept.challenge)} bytes; 16 to 32 are due.")
        game = self._invitation
        meeting = Meeting(self.challenge, accept.challenge, game.match_id, game.attempt, game.seat)
        if not same(accept.proof, meeting.bots_proof(self._secret)):
            raise NotProven("its proof of the shared secret is wrong: it has another secret.")
        return meeting.referees_proof(self._secret)


def seat_id(invitation: Invitation) -> str:
    """Return a name for the seat that no other has: the gateway admits one stream for each."""
    return f"{quote(invitation.match_id, safe='')}/{invitation.attempt}/{invitation.seat}"


def _varint(number: int) -> bytes:
    """Encode a number in 7 bits a byte, the lowest first; bit 8 says that more follow."""
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
    """Return the first message on a line, with a challenge if a secret is shared."""
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
    """Return an encoded Decision, without the time that is left."""
    return b"".join(
        (
            _number(_ID, decision_id),
            _number(_KIND, position.phase + 1),  # from 1 on the wire
            _message(_VIEW, encoded_view(position)),
            _legal(position.legal_moves),
        )
    )


def decision_request(question: bytes, time_left: float, bank_left: float) -> bytes:
    """Return an encoded PlayRequest with a question, without the events before it."""
    clock = _number(_TIME_LEFT, int(1000 * time_left)) + _number(_BANK_LEFT, int(1000 * bank_left))
    return _message(_DECISION, question + clock)


@lru_cache(maxsize=2048)
def _legal(moves: tuple[Move, ...]) -> bytes:
    """Encode the field `legal` of a Decision; the same moves come again and again."""
    legal = bot_pb2.Decision(legal=[move_message(move) for move in moves])
    return legal.SerializeToString()


def _number(tag: bytes, number: int) -> bytes:
    """Encode a field that is a number; proto3 leaves out 0."""
    return tag + _varint(number) if number else b""


def _message(tag: bytes, message: bytes) -> bytes:
    """Encode a field that is an encoded message."""
    return tag + _varint(len(message)) + message


def end_request(over: GameOver) -> bot_pb2.PlayRequest:
    """Return the last message to a seat that played to the end."""
    return bot_pb2.PlayRequest(
        end=bot_pb2.GameEnd(result=over.result, dice_seed=over.dice_seed, nonces=over.nonces)
    )


def accepted(data: bytes) -> bot_pb2.Accept:
    """Return the Accept in a message. Raises SeatFault."""
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
) -> tuple[Move, game_pb2.Note | None]:
    """Return the move that a Choice means, and its note; `answered` is its last decision.

    Raises SeatFault, but never because of the note.
    """
    choice = _response(data, "choice").choice
    if choice.decision_id != decision_id:
        sent = "sent a second answer to" if choice.decision_id == answered else "answered"
        sentence = f"The bot {sent} decision {choice.decision_id}, but {decision_id} was asked."
        raise SeatFault(FaultCode.WRONG_DECISION, sentence, data)
    index = choice.index
    if index >= len(moves):
        raise SeatFault(
            FaultCode.ILLEGAL_INDEX,
            f"The bot chose index {index}; there are {len(moves)} legal moves, from 0.",
            data,
        )
    return moves[index], choice.note if choice.HasField("note") else None


def _response(data: bytes, due: str) -> bot_pb2.PlayResponse:
    try:
        response = bot_pb2.PlayResponse.FromString(data)
    except DecodeError:
        without = without_note(data)
        if without is None:
            sentence = "The bot sent bytes that are not a PlayResponse."
            raise SeatFault(FaultCode.PROTOCOL, sentence, data) from None
        response = without
    kind = response.WhichOneof("message")
    if kind != due:
        sentence = f"The bot sent {kind or 'an empty message'} instead of {due}."
        raise SeatFault(FaultCode.PROTOCOL, sentence, data)
    return response
