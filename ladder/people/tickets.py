"""Tickets: long random words that are shown once and kept as their SHA-256.

Cookies, API tokens and reset links are tickets. They are drawn from 256 bits, so a fast hash keeps
them as safe as a slow one keeps passwords, and the database finds them by it.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

_BYTES: Final = 32


def draw(prefix: str = "") -> str:
    """A new ticket: letters, digits, `-` and `_`."""
    return prefix + secrets.token_urlsafe(_BYTES)


def digest(ticket: str) -> str:
    """What is kept of it, in hexadecimal digits. Any text has a digest."""
    return sha256(ticket.encode("utf-8", "surrogatepass")).hexdigest()
