"""Say what the text of a setting may be: the types of the fields in `ladder.config`.

A function returns the text as the ladder uses it, and raises ValueError with advice for any other.
"""

import re
from math import inf, nan
from typing import Annotated, Final, TypeAlias
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from referee.variables import MAX_PORT, is_host_and_port, is_target, switch

_SITE_URL: Final = re.compile(
    r"https?://[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*(?::([0-9]{1,5}))?/?", re.IGNORECASE
)
_PAGE_URL: Final = re.compile(r"https?://[^\s\"'<>]+|", re.IGNORECASE)
_DATABASE: Final = re.compile(r"/?[0-9]*")
"""The path in the URL of a Redis: the number of its database."""


def site_url(text: str) -> str:
    """Return the URL of a site, in lower case and without a slash at its end."""
    found = _SITE_URL.fullmatch(text)
    if not found or not 0 < int(found[2] or MAX_PORT) <= MAX_PORT:
        raise ValueError("give a URL without a path, as https://ladder.example")
    return text.rstrip("/").lower()


def at_port(host: str, port: int) -> str:
    """Return `host:port`; an IPv6 address stands in brackets there."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def without_brackets(host: str) -> str:
    """Return the name or address of a host; IPv6 may be given as `[::1]`, too."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def _page_url(text: str) -> str:
    if not _PAGE_URL.fullmatch(text):
        raise ValueError("give a URL, as https://forge.example/santiago")
    return text


def _host_and_port(text: str) -> str:
    if not is_host_and_port(text):
        raise ValueError("give HOST:PORT, as ladder.example:50052")
    return text


def _positive(text: str) -> str:
    try:
        seconds = float(text)
    except ValueError:
        seconds = nan
    if not 0 < seconds < inf:
        raise ValueError("give a number of seconds above 0, as 0.1")
    return text


def _redis_url(text: str) -> str:
    if not _is_redis(text):
        raise ValueError(
            "give redis://HOST:PORT/NUMBER or unix:///PATH, and %2F for a / of a password, "
            "%40 for an @ and so on"
        )
    return text


def _is_redis(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # its sentence may hold a part of the password
        return False
    if not parse_qs(parts.query).get("db", ["0"])[0].isdecimal():
        return False
    if parts.scheme == "unix":
        return bool(parts.path) and parts.hostname is None
    listens = parts.scheme in ("redis", "rediss") and parts.hostname and port != 0
    return bool(listens and _DATABASE.fullmatch(parts.path))


def _switch(given: object) -> object:
    return switch(given) if isinstance(given, str) else given


def _addresses(text: object) -> object:
    if not isinstance(text, str):
        return text
    found = tuple(part.strip() for part in text.split(",") if part.strip() not in ("", "none"))
    for address in found:
        if not is_target(address):
            raise ValueError("give unix:/PATH or HOST:PORT, separated by commas, or none")
    return found


Word: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True)]
Switch: TypeAlias = Annotated[bool, BeforeValidator(_switch)]
SiteUrl: TypeAlias = Annotated[Word, AfterValidator(site_url)]
RedisUrl: TypeAlias = Annotated[Word, AfterValidator(_redis_url)]
Host: TypeAlias = Annotated[Word, AfterValidator(without_brackets)]
PageUrl: TypeAlias = Annotated[Word, AfterValidator(_page_url)]
HostAndPort: TypeAlias = Annotated[Word, AfterValidator(_host_and_port)]
Addresses: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_addresses)]
"""Separated by commas; `none` is none."""
Seconds: TypeAlias = Annotated[Word, AfterValidator(_positive)]
"""A text of seconds for a bot that reads it itself; blank if it is not set."""
Port: TypeAlias = Annotated[int, Field(ge=0, le=MAX_PORT)]
