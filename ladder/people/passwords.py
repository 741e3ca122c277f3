"""Passwords: which are strong enough, and their hashes (Argon2id).

A hash takes much memory for some time, on purpose. A process makes only a few at once, so that
many people who sign in at the same moment wait for their turns instead of filling the machine. They
are made by threads of their own, because the C library keeps freed memory for each thread.
"""

import secrets
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ladder.errors import Invalid

MIN_LENGTH: Final = 10
MAX_LENGTH: Final = 200  # bounds the work that a request can ask for
AT_ONCE: Final = 4
"""Hashes that a process makes at the same time, of 19 MiB each."""

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""The second of OWASP's equal settings (Password Storage Cheat Sheet: 19 MiB, 2 passes)."""
_TURNS: Final = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")


def check(password: str, name: str) -> None:
    """Raise Invalid if the password is too weak for the account of this name.

    Only length counts, as in NIST SP 800-63B; no kinds of characters are required.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise Invalid(
            "password",
            "a password has %(least)s to %(most)s characters",
            least=MIN_LENGTH,
            most=MAX_LENGTH,
        )
    if not password.isprintable():
        raise Invalid("password", "a password can't contain control characters")
    if password.lower() in (name.lower(), 2 * name.lower()) or len(set(password)) < 4:
        raise Invalid("password", "this password is easy to guess: choose another one")


def hash_password(password: str) -> str:
    """Return the text to store: parameters, salt and hash."""
    return _TURNS.submit(_HASHER.hash, _plain(password)).result()


def verify(stored: str | None, password: str) -> bool:
    """Return True if `stored` is a hash of the password.

    It may wait for its turn. It takes as long if `stored` is None, so that the time does not show
    which users exist.
    """
    decoy = _decoy()
    try:
        _TURNS.submit(_HASHER.verify, stored or decoy, _plain(password[:MAX_LENGTH])).result()
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None and len(password) <= MAX_LENGTH


def needs_rehash(stored: str) -> bool:
    """Return True if `stored` was hashed with other parameters than today's."""
    return _HASHER.check_needs_rehash(stored)


@cache
def _decoy() -> str:
    return hash_password(secrets.token_urlsafe())


def _plain(password: str) -> str:
    """Return one composition of the characters; invalid ones become `?`.

    Keyboards compose the same letter differently.
    """
    return normalize("NFKC", password.encode("utf-8", "replace").decode())
