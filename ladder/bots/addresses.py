"""The addresses that users give for their bots, and the safe ways to dial them.

A user gives `host:port` and nothing else: no scheme by which gRPC would look elsewhere. For each
match the host is looked up anew. If one answer is not an address of the open internet, none is
dialled; the address that was checked is dialled as it stands, so that a name which changes its
answer between the check and the dial gains nothing. IANA's registries of special addresses say what
is global (RFC 6890, as Python's ipaddress knows them), without the ranges in which an IPv4 address
is hidden (RFC 4291, 6052, 8215, 3056, 4380) and those of carriers' translation (RFC 6598).
"""

import asyncio
import os
import re
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from ladder.config import ALLOW_PRIVATE, Environment
from ladder.errors import Invalid, LadderError, Phrase
from ladder.secrets import SecretBox
from ladder.variables import at_port
from referee.ways import Route, Ways, bot_behind_gateway, is_on_this_machine

IpAddress: TypeAlias = IPv4Address | IPv6Address
Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, best first; raises OSError."""

_LOOK_UP_WITHIN: Final = 5.0  # seconds
_LOOKING_UP: Final = ThreadPoolExecutor(64, thread_name_prefix="look-up")
"""Threads that only look up, started as needed: a name server that does not answer holds one
until the system's resolver gives up, and asyncio's few would soon be taken."""
_LONGEST_NAME: Final = 253
_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_FORM: Final = Phrase(
    "give HOST:PORT, such as bot.example.org:443, 203.0.113.7:443 or "
    "[2001:db8::7]:443; a bot without a public address can use the gateway"
)
_SCHEMES: Final = frozenset(
    (
        *("dns", "gateway", "google-c2p", "http", "https", "ipv4", "ipv6", "passthrough"),
        *("unix", "unix-abstract", "vsock", "xds"),
    )
)
"""Hosts of these names would read as another kind of address."""
_OPEN_IPV6: Final = IPv6Network("2000::/3")  # all global unicast addresses that there are
_REFUSED: Final = tuple(
    ip_network(text)
    for text in (
        "100.64.0.0/10",  # carriers' translation
        "192.0.0.0/24",  # protocols' own
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # Teredo, ORCHID, benchmarks
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)
_CLOUDS_OWN: Final = frozenset(
    ip_address(text)
    for text in (
        "168.63.129.16",  # Azure: a public address, but each machine's own host answers
        "fd00:ec2::254",  # AWS
        "fd20:ce::254",  # Google
        "100.100.100.200",  # Alibaba
    )
)
"""Addresses at which clouds tell their machines secrets; most use a link-local one."""


class OutOfBounds(LadderError):
    """A host may not be dialled, or has no address; the message is for its author."""


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a user's bot."""

    host: str
    """A name in lower case, or an IP address."""
    port: int

    def __str__(self) -> str:
        return at_port(self.host, self.port)


def parse(text: str) -> Address:
    """Read `host:port`; raises Invalid for all else."""
    scheme, (host, colon, port) = text.strip().partition(":")[0], text.strip().rpartition(":")
    if scheme.lower() in _SCHEMES:
        raise Invalid(
            "address",
            "an address begins with a host, not with %(scheme)s: %(hint)s",
            scheme=scheme,
            hint=_FORM,
        )
    if not colon or not re.fullmatch(r"[0-9]{1,5}", port):
        raise Invalid("address", "the address has no port: %(hint)s", hint=_FORM)
    if not 1 <= int(port) <= 65535:
        raise Invalid("address", "the port is a number from 1 to 65535")
    if host.startswith("[") and host.endswith("]"):
        return Address(_ipv6(host[1:-1]), int(port))
    if ":" in host or "/" in host:
        raise Invalid("address", "%(host)s is not a host: %(hint)s", host=_shown(host), hint=_FORM)
    return Address(_name_or_ipv4(host), int(port))


def private_allowed(environ: Mapping[str, str] = os.environ) -> bool:
    """Return True if the operator lets bots be dialled on private addresses, too."""
    return bool(Environment.from_environment(environ).allow_private)


def private_while_alone(host: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the setting that allows private addresses if nobody else can send a bot.

    A service that listens on loopback allows them, unless a proxy lets others in there or the
    operator has set it: a bot from elsewhere must not reach what only this machine can.
    """
    environment = Environment.from_environment(environ)
    alone = is_on_this_machine(f"{host}:0") and not environment.proxies
    return {ALLOW_PRIVATE: "1"} if alone and environment.allow_private is None else {}


async def look_up(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver; the addresses come in the system's order."""
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    answers = await asyncio.get_running_loop().run_in_executor(_LOOKING_UP, ask)
    return [str(answer[4][0]) for answer in answers]


async def route(
    address: Address, *, allow_private: bool = False, resolver: Resolver = look_up
) -> Route:
    """Look up the host, and return the route to dial now. Raises OutOfBounds."""
    try:
        async with asyncio.timeout(_LOOK_UP_WITHIN):
            answers = await resolver(address.host, address.port)
    except TimeoutError:
        raise OutOfBounds(
            "%(host)s was not found within %(seconds)s s",
            host=address.host,
            seconds=f"{_LOOK_UP_WITHIN:g}",
        ) from None
    except (OSError, UnicodeError):
        answers = []
    ips = [ip_address(answer) for answer in answers]
    if not ips:
        raise OutOfBounds("%(host)s was not found: it has no address", host=address.host)
    for ip in ips:
        refuse(ip, allow_private=allow_private)
    return Route(str(ips[0]), address.port, address.host)


def refuse(ip: IpAddress, *, allow_private: bool) -> None:
    """Raise OutOfBounds if an IP address may not be dialled."""
    if _is_open(ip) or (allow_private and _is_private(ip)):
        return
    if not _is_private(ip):
        raise OutOfBounds(
            "%(address)s is not a public internet address, so it is not dialled", address=ip
        )
    raise OutOfBounds(
        "%(address)s is not a public internet address, so it is not dialled (the "
        "operator can allow it with %(setting)s=1)",
        address=ip,
        setting=ALLOW_PRIVATE,
    )


def refuse_private_literal(address: Address) -> None:
    """Raise Invalid if the host is an IP address that no match would dial."""
    try:
        one = ip_address(address.host)
    except ValueError:
        return  # a name: it is looked up for each match
    try:
        refuse(one, allow_private=private_allowed())
    except OutOfBounds as error:
        raise Invalid("address", error.template, **error.fields) from None


def _is_open(ip: IpAddress) -> bool:
    if not ip.is_global or ip.is_multicast or ip.is_reserved or ip in _CLOUDS_OWN:
        return False
    if isinstance(ip, IPv6Address) and ip not in _OPEN_IPV6:
        return False
    return not any(ip in network for network in _REFUSED if network.version == ip.version)


def _is_private(ip: IpAddress) -> bool:
    """Return True for loopback and private networks, except where clouds keep secrets."""
    if ip in _CLOUDS_OWN:
        return False
    if isinstance(ip, IPv6Address):
        return ip.is_loopback or ip in ip_network("fc00::/7")
    own = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
    return ip.is_loopback or any(ip in ip_network(text) for text in own)


def _ipv6(text: str) -> str:
    try:
        ip = IPv6Address(text)
    except ValueError:
        raise Invalid(
            "address", "%(host)s is not an IPv6 address: %(hint)s", host=_shown(text), hint=_FORM
        ) from None
    if ip.scope_id is not None:
        raise Invalid("address", "an address with a zone (%) is valid on one machine only")
    return str(ip)


def _name_or_ipv4(host: str) -> str:
    """Read a name, or an IPv4 address in its one usual form: not octal, hexadecimal or short."""
    labels = host.removesuffix(".").split(".")
    last = labels[-1]
    if last.isdigit() or re.fullmatch(r"0[xX][0-9a-fA-F]*", last):
        try:
            return str(IPv4Address(host))
        except ValueError:
            raise Invalid(
                "address",
                "%(host)s is not an IPv4 address: %(hint)s",
                host=_shown(host),
                hint=_FORM,
            ) from None
    if len(host) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise Invalid(
            "address",
            "%(host)s is not a host name: %(hint)s; write names in other alphabets in their "
            "xn-- form",
            host=_shown(host),
            hint=_FORM,
        )
    return host.lower()


def _shown(text: str) -> str:
    """Quote a stranger's text, cut and printable."""
    cut = text if len(text) <= 60 else f"{text[:60]}…"
    return "“" + "".join(c if c.isprintable() else "?" for c in cut) + "”"


async def ways_to(
    address: str,
    secret: bytes | None,
    ways: Ways,
    *,
    house: bool = False,
    resolver: Resolver = look_up,
) -> Ways:
    """Return the ways to one bot, for one match: its host is checked anew.

    `secret`: sealed; without one those of `ways` hold. A house bot is dialled wherever it is, and
    nobody but the operator registers a bot at `unix:`. Raises OutOfBounds if the host may not be
    dialled, SettingsError if the secret can't be opened.
    """
    if secret is not None:
        ways = replace(ways, secrets={address: SecretBox.from_environment().open(secret)})
    if house or address.startswith("unix:") or bot_behind_gateway(address) is not None:
        return ways
    try:
        parsed = parse(address)
    except Invalid as error:
        raise OutOfBounds(str(error)) from None
    checked = await route(parsed, allow_private=private_allowed(), resolver=resolver)
    return replace(ways, routes={address: checked})
