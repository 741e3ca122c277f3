"""Dials bots: how each kind of address is dialled, and the operator's settings for it.

host:port       TLS; plain if the host is this machine, or if the operator allows it
unix:/path      plain, on this machine
gateway:NAME    the bot that has dialled into the operator's gateway under this name; if
                `/VERSION` follows, percent-encoded, the lines that state this version
hosted:SEAT     a seat at a host, that runs uploaded bots (`referee.hosting`)

An address that a stranger gave is dialled by its route, which was checked before.
"""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self, TypeAlias
from urllib.parse import quote, unquote

import grpc.aio

from referee.errors import InvalidSetting
from referee.proof import read_secrets, usable
from referee.service import CHANNEL_OPTIONS, KEEPALIVE, MAX_THROUGH_GATEWAY
from referee.variables import certificates, read, switch, target

ALLOW_PLAIN: Final = "SANTIAGO_ALLOW_PLAIN"
CA_FILE: Final = "SANTIAGO_CA_FILE"
BOT_SECRETS: Final = "SANTIAGO_BOT_SECRETS"
GATEWAY: Final = "SANTIAGO_GATEWAY"
GATEWAY_KEY: Final = "SANTIAGO_GATEWAY_KEY"
GATEWAY_PREFIX: Final = "gateway:"
HOSTED_PREFIX: Final = "hosted:"
"""Before the number of a hosted version, which is its address, and before the name of a seat."""
_BOTS_OPTIONS: Final = tuple(
    (name, MAX_THROUGH_GATEWAY if name == "grpc.max_receive_message_length" else value)
    for name, value in CHANNEL_OPTIONS
)
_ROUTE_OPTIONS: Final = (
    # There is one attempt only: a second one would come too late.
    ("grpc.initial_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.enable_retries", 0),
)
_UNIX_OPTIONS: Final = (
    *CHANNEL_OPTIONS,
    # gRPC would name the path, which is no host: servers in Rust refuse such a request.
    ("grpc.default_authority", "localhost"),
)
Options: TypeAlias = tuple[tuple[str, int | str], ...]
TLS_REASONS: Final = {
    "certificate has expired": "its certificate has expired",
    "Hostname Verification Check failed": "its certificate is for another name",
    "WRONG_VERSION_NUMBER": "it does not speak TLS",
}
"""Why no connection is made over TLS, by what gRPC says; the first that fits."""


@dataclass(frozen=True, slots=True)
class Route:
    """The checked route to an address that a stranger gave."""

    ip: str
    """A checked IP address: its name is not looked up again."""
    port: int
    host: str
    """The host in the address; the certificate must be for this host."""

    @property
    def target(self) -> str:
        """The target that gRPC dials."""
        return f"ipv6:[{self.ip}]:{self.port}" if ":" in self.ip else f"ipv4:{self.ip}:{self.port}"

    @property
    def options(self) -> Options:
        """The options of gRPC's channel."""
        authority = f"[{self.host}]" if ":" in self.host else self.host
        return (
            *(option for option in CHANNEL_OPTIONS if option[0] not in dict(_ROUTE_OPTIONS)),
            *_ROUTE_OPTIONS,
            ("grpc.default_authority", f"{authority}:{self.port}"),
            ("grpc.ssl_target_name_override", self.host),
        )


@cache
def _keep_polling() -> None:
    """Let the thread that serves gRPC's event loops live as long as the process.

    gRPC ends it with the last channel, and the loop then stands still until all calls have left
    their connections: a bot that pours pings on it puts that off for ever.
    """
    grpc.aio.init_grpc_aio()


@dataclass(frozen=True, slots=True)
class Ways:
    """How addresses are dialled, and with which secrets."""

    allow_plain: bool = False
    """True if other machines may be dialled without TLS."""
    ca_file: str = ""
    """A file of certificates (PEM) that are trusted besides the system's."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The secrets that are shared with bots, by address."""
    gateway: str = ""
    """The address of the gateway, as `host:port` or `unix:/path`."""
    gateway_key: str = field(default="", repr=False)
    """The key with which workers prove their identity to the gateway."""
    routes: Mapping[str, Route] = field(default_factory=dict)
    """The routes to addresses that strangers gave."""
    host: str = ""
    """The host with the seats that are dialled as `hosted:SEAT`: `unix:/path` or `host:port`."""
    host_credentials: grpc.ChannelCredentials | None = field(default=None, repr=False)
    """Our certificate for the host, and its authority; None if the host is at a unix socket."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the settings. Raises InvalidSetting."""
        return cls(
            allow_plain=read(environ, ALLOW_PLAIN, switch),
            ca_file=environ.get(CA_FILE, "").strip(),
            secrets=_secrets(environ.get(BOT_SECRETS, "")),
            gateway=read(environ, GATEWAY, target),
            gateway_key=usable(environ.get(GATEWAY_KEY, ""), GATEWAY_KEY),
        )

    def check_ca_file(self) -> None:
        """Raise InvalidSetting unless the file of certificates, if one is named, can be used.

        Not every part that reads the settings can read the file, and not every one needs it.
        """
        read({CA_FILE: self.ca_file}, CA_FILE, certificates)

    def channel(self, address: str) -> grpc.aio.Channel:
        """Return a channel to an address, for an event loop. Raises InvalidSetting."""
        _keep_polling()
        target, options = self._target(address)
        if self._is_plain(address, target):
            return grpc.aio.insecure_channel(target, options=options)
        return grpc.aio.secure_channel(target, self._credentials(address), options=options)

    def blocking_channel(self, address: str) -> grpc.Channel:
        """Return a channel to an address, for threads. Raises InvalidSetting."""
        target, options = self._target(address)
        if self._is_plain(address, target):
            return grpc.insecure_channel(target, options=options)
        return grpc.secure_channel(target, self._credentials(address), options=options)

    def hint(self, address: str) -> str:
        """Return what may be wrong if nobody answers at an address."""
        if bot_behind_gateway(address) is not None:
            return "has it joined the gateway?"
        if hosted_seat(address) is not None:
            return "does it listen on SANTIAGO_ADDRESS?"
        if self._is_plain(address, address):
            return "is it running there?"
        if self.is_strange(address):
            return "is it running there, with TLS, and a certificate that is good for its host?"
        return f"is it running there, with TLS? ({ALLOW_PLAIN}=1 dials it without.)"

    def channel_to_gateway(self, gateway: str) -> grpc.aio.Channel:
        """Return a bot's channel to the gateway at an address. Raises InvalidSetting."""
        options = (*_BOTS_OPTIONS, *KEEPALIVE)
        if self._is_plain(gateway, gateway):
            return grpc.aio.insecure_channel(gateway, options=options)
        return grpc.aio.secure_channel(gateway, _credentials(self.ca_file), options=options)

    def is_strange(self, address: str) -> bool:
        """Return True if a stranger gave the address: it is not dialled again in vain."""
        return address in self.routes

    def _target(self, address: str) -> tuple[str, Options]:
        """Return the target to dial for an address, and the options."""
        if address in self.routes:
            return self.routes[address].target, self.routes[address].options
        if hosted_seat(address) is not None:
            if not self.host:
                raise InvalidSetting(f"The bot {address} plays at a host: only workers dial it.")
            return self.host, (*CHANNEL_OPTIONS, *KEEPALIVE)
        if bot_behind_gateway(address) is None:
            return address, _UNIX_OPTIONS if address.startswith("unix:") else CHANNEL_OPTIONS
        if not self.gateway or not self.gateway_key:
            raise InvalidSetting(
                f"The bot {address} is behind the gateway: set {GATEWAY} to the gateway's address "
                f"and {GATEWAY_KEY} to its key."
            )
        return self.gateway, (*CHANNEL_OPTIONS, *KEEPALIVE)

    def _is_plain(self, address: str, target: str) -> bool:
        """Return True if no TLS is needed. Strangers' bots on the internet always need it."""
        if hosted_seat(address) is not None:
            return self.host_credentials is None
        route = self.routes.get(address)
        allowed = self.allow_plain and (route is None or not ip_address(route.ip).is_global)
        return allowed or is_on_this_machine(target)

    def _credentials(self, address: str) -> grpc.ChannelCredentials:
        """Return what proves us and the other side to each other. Raises InvalidSetting."""
        if hosted_seat(address) is not None and self.host_credentials is not None:
            return self.host_credentials
        return _credentials(self.ca_file)


def _secrets(file: str) -> Mapping[str, str]:
    """Return the secrets in the file that the setting names, if any. Raises InvalidSetting."""
    try:
        return read_secrets(Path(file)) if file else {}
    except InvalidSetting as error:
        raise InvalidSetting(f"{BOT_SECRETS}: {error}") from None


def behind_gateway(bot: str, version: str) -> str:
    """Return `BOT/VERSION`, by which a worker calls one version of a bot through the gateway."""
    return f"{bot}/{quote(version, safe='')}"


def bot_and_version(called: str) -> tuple[str, str | None]:
    """Return the bot and the version that a worker calls; None if any version will do."""
    bot, _, version = called.partition("/")
    return bot, unquote(version) or None


def bot_behind_gateway(address: str) -> str | None:
    """Return what follows in `gateway:NAME` or `gateway:NAME/VERSION`; None for other addresses."""
    return address.removeprefix(GATEWAY_PREFIX) if address.startswith(GATEWAY_PREFIX) else None


def hosted_seat(address: str) -> str | None:
    """Return what follows in `hosted:SEAT`; None for other addresses."""
    return address.removeprefix(HOSTED_PREFIX) if address.startswith(HOSTED_PREFIX) else None


def with_reason(said: str, reasons: Mapping[str, str]) -> str:
    """Return what gRPC said, after the first of these reasons that fits."""
    why = next((why for words, why in reasons.items() if words in said), None)
    return said if why is None else f"{why} ({said})"


def is_on_this_machine(target: str) -> bool:
    """Return True if the way to a target does not leave this machine."""
    if target.startswith("unix:"):
        return True
    host = target.rpartition(":")[0].removeprefix("ipv4:").removeprefix("ipv6:").strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(maxsize=4)
def _credentials(ca_file: str) -> grpc.ChannelCredentials:
    """Return credentials that trust the system's roots and a file's. Raises InvalidSetting."""
    system = ssl.get_default_verify_paths().cafile or ""  # there may be none
    if not ca_file and not system:
        return grpc.ssl_channel_credentials()  # gRPC brings roots of its own
    try:
        roots = [Path(file).read_bytes() for file in (system, ca_file) if file]
    except OSError as error:
        raise InvalidSetting(f"{CA_FILE}: {error}.") from None
    return grpc.ssl_channel_credentials(b"\n".join(roots))
