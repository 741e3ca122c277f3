"""What a hostile bot says: bytes, not only messages, so that it can say anything."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import grpc

from referee.service import PROTOCOL_VERSION
from referee.wire import bot_pb2

Request: TypeAlias = bot_pb2.PlayRequest
Context: TypeAlias = grpc.ServicerContext
Spoil: TypeAlias = Callable[[Request, Context], Iterator[bytes]]
"""What is sent in place of an honest answer to a request."""

ACCEPT: Final = bot_pb2.PlayResponse(accept=bot_pb2.Accept()).SerializeToString()
DESCRIPTION: Final = bot_pb2.DescribeResponse(
    name="hostile", version="1", protocol_version=PROTOCOL_VERSION
).SerializeToString()
LONG: Final = 120.0  # seconds after which a bot that waits for the referee gives up
_SPOILT_FROM: Final = 9


def choice(decision_id: int, index: int) -> bytes:
    """A Choice, as bytes."""
    chosen = bot_pb2.Choice(decision_id=decision_id, index=index)
    return bot_pb2.PlayResponse(choice=chosen).SerializeToString()


def honest(request: Request, _: Context | None = None) -> Iterator[bytes]:
    """An answer as it should be; the choice is the same in every run."""
    asked = request.decision
    if request.HasField("start"):
        yield ACCEPT
    elif request.HasField("decision"):
        yield choice(asked.id, asked.id % len(asked.legal))


def is_spoilt(request: Request) -> bool:
    """Whether the game is under way, and a decision asked for. Also after a lost line."""
    return request.decision.id >= _SPOILT_FROM


def in_mid_game(spoil: Spoil) -> Spoil:
    """Honest at first, then spoils each decision."""

    def play(request: Request, context: Context) -> Iterator[bytes]:
        yield from (spoil if is_spoilt(request) else honest)(request, context)

    return play
