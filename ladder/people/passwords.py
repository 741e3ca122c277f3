"""Passwords: what is good enough, and how they are kept (Argon2id)."""

from __future__ import annotations

from functools import cache
from typing import Final
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ladder.errors import Invalid
from ladder.people import tickets

SHORTEST: Final = 10
LONGEST: Final = 200  # so that nobody makes us work on a book

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""The second of OWASP's equal settings (Password Storage Cheat Sheet: 19 MiB, 2 passes)."""


def check(password: str, name: str) -> None:
    """Raise Invalid unless it is good enough for the account of this name.

    Length alone counts, as NIST SP 800-63B has it; no kinds of characters are asked for.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise Invalid(
            "password",
            "a password has %(least)s to %(most)s characters",
            least=SHORTEST,
            most=LONGEST,
        )
    if not password.isprintable():
        raise Invalid("password", "a password holds no control characters")
    if password.lower() in (name.lower(), 2 * name.lower()) or len(set(password)) < 4:
        raise Invalid("password", "this password is easily guessed: choose another one")


def keep(password: str) -> str:
    """What is kept of it: parameters, salt and hash in one text."""
    return _HASHER.hash(_plain(password))


def right(kept: str | None, password: str) -> bool:
    """Whether it is the password. Takes the same time where there is none to compare with."""
    decoy = _decoy()
    try:
        _HASHER.verify(kept or decoy, _plain(password[:LONGEST]))
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None and len(password) <= LONGEST


def outdated(kept: str) -> bool:
    """Whether it was kept with other parameters than a new one would be."""
    return _HASHER.check_needs_rehash(kept)


@cache
def _decoy() -> str:
    return keep(tickets.draw())


def _plain(password: str) -> str:
    """The same characters, however a keyboard composed them; what is no character becomes `?`."""
    return normalize("NFKC", password.encode("utf-8", "replace").decode())
