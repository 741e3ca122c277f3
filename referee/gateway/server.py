"""The gateway as a server: where it listens, and until when."""

import asyncio
import signal
import sys
from typing import Any, Final

import grpc
import grpc.aio

from referee.gateway.calls import Calls, Watch
from referee.gateway.credentials import NameOf
from referee.service import (
    CHALLENGE,
    DESCRIBE,
    GATEWAY_SERVICE,
    KEEPALIVE,
    MAX_THROUGH_GATEWAY,
    OFFER,
    PLAY,
    SERVE,
    SERVICE,
    listen,
)
from referee.wire import gateway_pb2

_OPTIONS: Final = (
    *KEEPALIVE,
    # Anybody can dial. A bot has a call for each game, a worker one for each seat; more of them on
    # one connection are refused before they cost anything.
    ("grpc.max_concurrent_streams", 1024),
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.max_receive_message_length", MAX_THROUGH_GATEWAY),
    ("grpc.so_reuseport", 0),
)
_GRACE: Final = 1.0  # seconds for games in play when the process is asked to end


def run_gateway(
    address: str,
    name_of: NameOf,
    key: str,
    credentials: grpc.ServerCredentials | None,
    watch: Watch | None = None,
) -> None:
    """Forwards games until the process is asked to end. Raises InvalidSetting."""
    asyncio.run(_run(address, name_of, key, credentials, watch))


async def _run(
    address: str,
    name_of: NameOf,
    key: str,
    credentials: grpc.ServerCredentials | None,
    watch: Watch | None,
) -> None:
    server = await start_gateway(address, name_of, key, credentials, watch)
    print(f"The gateway is waiting for bots and workers on {address}.", file=sys.stderr, flush=True)
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    await server.stop(_GRACE)


async def start_gateway(
    address: str,
    name_of: NameOf,
    key: str,
    credentials: grpc.ServerCredentials | None = None,
    watch: Watch | None = None,
) -> grpc.aio.Server:
    """A running gateway in this event loop; the caller stops it. Raises InvalidSetting.

    `name_of`: which bot a token belongs to. `key`: what workers share with the gateway.
    `credentials`: for TLS; plain without. `watch`: who wants to know which bots are in.
    """
    server = grpc.aio.server(options=_OPTIONS)
    server.add_generic_rpc_handlers(_handlers(Calls(name_of, key, watch)))
    listen(server, address, credentials, "Choose another address.")
    await server.start()
    return server


def _handlers(calls: Calls) -> tuple[grpc.GenericRpcHandler, ...]:
    bot: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        _name(DESCRIBE): grpc.unary_unary_rpc_method_handler(calls.describe),
        _name(PLAY): grpc.stream_stream_rpc_method_handler(calls.play),
    }
    gateway: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        _name(OFFER): grpc.stream_stream_rpc_method_handler(
            calls.offer,
            request_deserializer=gateway_pb2.OfferRequest.FromString,
            response_serializer=gateway_pb2.OfferResponse.SerializeToString,
        ),
        _name(SERVE): grpc.stream_stream_rpc_method_handler(
            calls.serve,
            request_deserializer=gateway_pb2.ServeRequest.FromString,
            response_serializer=gateway_pb2.ServeResponse.SerializeToString,
        ),
        _name(CHALLENGE): grpc.unary_unary_rpc_method_handler(
            calls.challenge,
            request_deserializer=gateway_pb2.ChallengeRequest.FromString,
            response_serializer=gateway_pb2.ChallengeResponse.SerializeToString,
        ),
    }
    return (
        grpc.method_handlers_generic_handler(SERVICE, bot),
        grpc.method_handlers_generic_handler(GATEWAY_SERVICE, gateway),
    )


def _name(method: str) -> str:
    return method.rpartition("/")[2]
