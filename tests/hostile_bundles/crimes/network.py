"""Calls everybody: the host's own ports, its metadata service, the world, the kernel."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

_FAR = (("169.254.169.254", 80), ("1.1.1.1", 53), ("10.0.0.1", 22), ("255.255.255.255", 67))
_AF_NETLINK, _AF_PACKET, _AF_ALG, _AF_VSOCK, _AF_BLUETOOTH, _AF_XDP = 16, 17, 38, 40, 31, 44


def commit(targets: Mapping[str, Any]) -> Iterator[str]:
    """Yield whom it could reach; `targets` has ports and sockets at which the host listens."""
    near = [("127.0.0.1", port) for port in targets["ports"]]
    for address in (*near, *_FAR):
        with suppress(OSError), socket.socket(socket.AF_INET) as caller:
            caller.settimeout(0.5)
            caller.connect(address)
            yield f"{address}"
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as caller:
            caller.sendto(b"hello", address)  # who listens there will know
    with suppress(OSError), socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as caller:
        caller.settimeout(0.5)
        caller.connect(("2606:4700:4700::1111", 53))
        yield "IPv6"
    for name in targets["abstract"]:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as caller:
            caller.connect(f"\0{name}")
            yield f"the abstract socket {name}"
    yield from _kernel_sockets()
    with suppress(OSError):
        socket.getaddrinfo("example.com", 80)
        yield "a name server"


def _kernel_sockets() -> Iterator[str]:
    families = (_AF_NETLINK, _AF_PACKET, _AF_ALG, _AF_VSOCK, _AF_BLUETOOTH, _AF_XDP)
    for family in families:
        for kind in (socket.SOCK_RAW, socket.SOCK_DGRAM, socket.SOCK_STREAM, 5):
            with suppress(OSError):
                socket.socket(family, kind).close()
                yield f"a socket of the family {family}"
    with suppress(OSError):
        socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()
        yield "a raw socket"
