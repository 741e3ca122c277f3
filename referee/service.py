"""The gRPC services: their methods, their limits, and the options of channels and servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from referee.errors import InvalidSetting

if TYPE_CHECKING:
    import grpc
    import grpc.aio

DESCRIBE: Final = "/santiago.v1.Bot/Describe"
PLAY: Final = "/santiago.v1.Bot/Play"
SERVICE: Final = "santiago.v1.Bot"
PROTOCOL_VERSION: Final = 1

GATEWAY_SERVICE: Final = "santiago.v1.Gateway"
OFFER: Final = "/santiago.v1.Gateway/Offer"
SERVE: Final = "/santiago.v1.Gateway/Serve"
CHALLENGE: Final = "/santiago.v1.Gateway/Challenge"
# The metadata with which a worker calls a bot through the gateway.
BOT_KEY: Final = "santiago-bot"
SEAT_KEY: Final = "santiago-seat"
CHALLENGE_KEY: Final = "santiago-challenge-bin"
PROOF_KEY: Final = "santiago-proof-bin"
EARLY_KEY: Final = "santiago-early"
"""Metadata of the gateway's refusal while the bot may not have had the time to dial it again."""
LIMIT_KEY: Final = "santiago-limit"
"""Metadata of a host's refusal if a limit of the sandbox has ended the bot."""

MAX_FROM_BOT: Final = 64 * 1024
"""Bytes of the longest message that a bot may send; it needs about 100."""
MAX_TO_BOT: Final = 4 * 1024 * 1024
"""Bytes of the longest message of the referee: a whole game's events after a lost line."""

MAX_THROUGH_GATEWAY: Final = MAX_TO_BOT + 1024
"""Bytes of the longest message with what the gateway adds to it."""

CHANNEL_OPTIONS: Final = (
    # A bot's process takes a moment to listen: try again at once, not after gRPC's usual second.
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 50),
    # In spite of its name, this is how long each attempt may take: a bot may be far, or busy.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_receive_message_length", MAX_FROM_BOT),
    # An address is dialled as it is: without proxy, without configuration from its name server.
    ("grpc.enable_http_proxy", 0),
    ("grpc.address_http_proxy_enabled_addresses", ""),  # else GRPC_ADDRESS_HTTP_PROXY holds
    ("grpc.service_config_disable_resolution", 1),
    # Channels do not share connections, so that closing one closes its line.
    ("grpc.use_local_subchannel_pool", 1),
)

KEEPALIVE: Final = (
    # A peer that is gone is noticed within 6 seconds, less than a move may take. This is between
    # gateway, workers and bots only: other servers end a connection with unexpected pings.
    ("grpc.keepalive_time_ms", 3_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.http2.ping_timeout_ms", 3_000),  # without it gRPC waits a minute, whatever stands above
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)


def listen(
    server: grpc.Server | grpc.aio.Server,
    address: str,
    credentials: grpc.ServerCredentials | None,
    advice: str,
) -> None:
    """Open a server's port, plain if without `credentials`. Raises InvalidSetting with `advice`."""
    try:
        if credentials is None:
            server.add_insecure_port(address)
        else:
            server.add_secure_port(address, credentials)
    except RuntimeError:
        raise InvalidSetting(
            f"Nothing can listen on {address}: is another program there, or is it no address of "
            f"this machine? {advice}"
        ) from None
