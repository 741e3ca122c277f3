"""Read the texts of settings that referee and ladder share: switches, addresses, certificates.

Each function returns what a text means, and raises ValueError with advice for any other text.
"""

import os
import re
import ssl
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from referee.errors import InvalidSetting

MAX_PORT: Final = 65535
_Meaning = TypeVar("_Meaning")
_HOST: Final = r"(?:ipv4:|ipv6:|dns:)?(?:[^\s/@:\[\]]+|\[[\w:.%]+\])"
_HOST_AND_PORT: Final = re.compile(_HOST + r":([0-9]{1,5})")
_SOCKET: Final = re.compile(r"unix:(/\S+)")
LONGEST_PATH: Final = 107
"""Bytes of the path of a socket, at most: the system takes no longer one."""
_SWITCH: Final = {"1": True, "0": False, "": False}


def read(environ: Mapping[str, str], name: str, meaning: Callable[[str], _Meaning]) -> _Meaning:
    """Return what a variable means, "" if it is not set.

    Raises InvalidSetting that names the variable and says what to give.
    """
    text = environ.get(name, "").strip()
    try:
        return meaning(text)
    except ValueError as error:
        raise InvalidSetting(f"{name} is {text!r}: {error}") from None


def switch(text: str) -> bool:
    """Return True for 1; False for 0, or for nothing. Any other text may mean either."""
    try:
        return _SWITCH[text.strip()]
    except KeyError:
        raise ValueError("give 1 to switch it on, or 0 to switch it off") from None


def is_host_and_port(text: str) -> bool:
    """Return True for `host:port`, as `bot.example:443` or `[::1]:443`."""
    found = _HOST_AND_PORT.fullmatch(text)
    return found is not None and text.isprintable() and 0 < int(found[1]) <= MAX_PORT


def is_target(text: str) -> bool:
    """Return True for what gRPC dials on this machine or another: `unix:/path`, `host:port`."""
    found = _SOCKET.fullmatch(text)
    if found is None:
        return is_host_and_port(text)
    return text.isprintable() and len(os.fsencode(found[1])) <= LONGEST_PATH


def check_listens(address: str) -> None:
    """Raise InvalidSetting unless a server can listen on it: `host:port` or `unix:/path`.

    gRPC would take a port above 65535 for another one.
    """
    if not is_target(address):
        raise InvalidSetting(
            f"{address!r} is no address to listen on: give HOST:PORT, with a port of 1 to "
            f"{MAX_PORT}, or unix:/PATH of at most {LONGEST_PATH} bytes."
        )


def target(text: str) -> str:
    """Return an address that can be dialled, or nothing."""
    if text and not is_target(text):
        raise ValueError(f"give HOST:PORT or unix:/PATH (at most {LONGEST_PATH} bytes)")
    return text


def certificates(file: str) -> str:
    """Return the name of a file of certificates (PEM) that can be read, or nothing."""
    if file:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
        except ssl.SSLError:
            raise ValueError("give a file of certificates in PEM, it holds none") from None
        except OSError as error:
            raise ValueError(f"give a file that can be read ({error.strerror})") from None
    return file
