"""What a later version of the protocol may send: to be passed over."""

from typing import Final

from google.protobuf.message import Message

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check
from referee.conformance.meeting import Meeting
from referee.wire import bot_pb2, game_pb2

_UNKNOWN_FIELD: Final = bytes([0xFA, 0x3F, 3]) + b"new"
"""Field 1023, a text."""
_DECISIONS: Final = 6
_QUIET: Final = 0.2


def _with_unknown_fields(request: bot_pb2.PlayRequest) -> None:
    """Adds a field that nobody knows to every message of the request, and an event like that."""
    request.events.append(game_pb2.Event())
    _add_unknown_field(request)


def _add_unknown_field(message: Message) -> None:
    message.MergeFromString(_UNKNOWN_FIELD)
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in [value] if isinstance(value, Message) else value:
                _add_unknown_field(inner)


async def _passes_over_fields(candidate: Candidate) -> None:
    async with Meeting(candidate, number=50, alter=_with_unknown_fields) as meeting:
        await meeting.play(_DECISIONS)


async def _passes_over_messages(candidate: Candidate) -> None:
    async with Meeting(candidate, number=51) as meeting:
        await meeting.play(1)
        await meeting.places[0].say(_UNKNOWN_FIELD)
        await meeting.places[0].keep_quiet(_QUIET)
        await meeting.play(_DECISIONS)


TOLERANCE: Final = (
    Check("unknown-fields", "It passes over fields that it does not know.", _passes_over_fields),
    Check(
        "unknown-message", "It passes over messages that it does not know.", _passes_over_messages
    ),
)
