"""Makes a bot a process that the referee can call.

serve(MyBot)                                     # where SANTIAGO_ADDRESS says, else port 50051
python -m referee.serving my_module:MyBot        # the same for any bot that can be imported
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc

from referee.bot import Bot, Decision
from referee.errors import InvalidBot
from referee.messages import dice_of, layout_of
from referee.rules import RULES_VERSION, Position
from referee.service import DESCRIBE, MAX_TO_BOT, PLAY, PROTOCOL_VERSION, SERVICE
from referee.wire import bot_pb2

ADDRESS_VARIABLE: Final = "SANTIAGO_ADDRESS"
DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
_MOST_GAMES: Final = 256  # at once; each has a thread that mostly waits
_GRACE: Final = 1.0  # seconds for games in play when the process is asked to end


def serve(bot_class: type[Bot], address: str | None = None) -> None:
    """Serves games with one bot object each, until the process is asked to end.

    `address` is `host:port` or `unix:/path`. Raises InvalidBot where nothing can listen there.
    """
    address = address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS
    server = start_server(bot_class, address)
    print(f"{bot_class.name} is waiting for games on {address}.", file=sys.stderr, flush=True)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    server.stop(_GRACE).wait()


def start_server(bot_class: type[Bot], address: str) -> grpc.Server:
    """A running server for a bot; the caller stops it. Raises InvalidBot."""
    server = grpc.server(
        ThreadPoolExecutor(_MOST_GAMES, thread_name_prefix="game"),
        options=[("grpc.max_receive_message_length", MAX_TO_BOT), ("grpc.so_reuseport", 0)],
    )
    server.add_generic_rpc_handlers((_handlers(bot_class),))
    try:
        server.add_insecure_port(address)
    except RuntimeError:
        raise InvalidBot(
            f"Nothing can listen on {address}: is another program there? "
            f"Choose another address with {ADDRESS_VARIABLE}."
        ) from None
    server.start()
    return server


def _handlers(bot_class: type[Bot]) -> grpc.GenericRpcHandler:
    def describe(_: bot_pb2.DescribeRequest, __: grpc.ServicerContext) -> bot_pb2.DescribeResponse:
        return bot_pb2.DescribeResponse(
            name=bot_class.name,
            version=bot_class.version,
            author=bot_class.author,
            language=bot_class.language,
            protocol_version=PROTOCOL_VERSION,
        )

    def play(
        requests: Iterator[bot_pb2.PlayRequest], _: grpc.ServicerContext
    ) -> Iterator[bot_pb2.PlayResponse]:
        return play_game(bot_class(), requests)

    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        DESCRIBE.rpartition("/")[2]: grpc.unary_unary_rpc_method_handler(
            describe,
            request_deserializer=bot_pb2.DescribeRequest.FromString,
            response_serializer=bot_pb2.DescribeResponse.SerializeToString,
        ),
        PLAY.rpartition("/")[2]: grpc.stream_stream_rpc_method_handler(
            play,
            request_deserializer=bot_pb2.PlayRequest.FromString,
            response_serializer=bot_pb2.PlayResponse.SerializeToString,
        ),
    }
    return grpc.method_handlers_generic_handler(SERVICE, methods)


def play_game(bot: Bot, requests: Iterator[bot_pb2.PlayRequest]) -> Iterator[bot_pb2.PlayResponse]:
    """One stream: follows the game by its events, and lets the bot choose."""
    start = next(requests).start
    if start.rules_version != RULES_VERSION:
        raise InvalidBot(
            f"The referee plays by rules version {start.rules_version}, this kit knows "
            f"{RULES_VERSION}: install the matching release of santiago-arena."
        )
    position = Position.start(layout_of(start.setup), start.players)
    yield bot_pb2.PlayResponse(accept=bot_pb2.Accept())
    for request in requests:
        _follow(position, request)
        what = request.WhichOneof("message")
        if what == "decision":
            yield _choose(bot, position, request.decision)
        elif what == "fault":
            print(f"{bot.name} has faulted: {request.fault.sentence}", file=sys.stderr, flush=True)
            return
        elif what == "end":
            return


def _follow(position: Position, request: bot_pb2.PlayRequest) -> None:
    for event in request.events:
        what = event.WhichOneof("what")
        if what == "roll":
            position.roll(dice_of(event.roll.dice))
        elif what == "move":
            position.step(event.move.action)


def _choose(bot: Bot, position: Position, asked: bot_pb2.Decision) -> bot_pb2.PlayResponse:
    decision = Decision(
        position.copy(), position.seat, asked.time_left_ms / 1000, asked.bank_left_ms / 1000
    )
    move = bot.choose(decision)
    if move not in position.legal_moves:
        raise InvalidBot(f"{bot.name} chose {move!r}, which is not one of the legal moves.")
    index = position.legal_moves.index(move)
    return bot_pb2.PlayResponse(choice=bot_pb2.Choice(decision_id=asked.id, index=index))


def load(name: str) -> type[Bot]:
    """The bot class that `module:Class` names. Raises InvalidBot."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidBot(f"{name!r} names no bot (module:Class is needed): {error}.") from None
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise InvalidBot(f"{name} is not a class derived from referee.bot.Bot.")
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m referee.serving module:Class")
    try:
        serve(load(sys.argv[1]))
    except InvalidBot as error:
        sys.exit(str(error))
