"""Luck that nobody can choose: from a seed that was committed to, and a nonce of each seat.

Roll r (from 0) of an attempt takes the bytes of

    HMAC-SHA256(key=seed, salt || r || block)      block = 0, 1, 2, ...
    salt = attempt || for each seat: length of its nonce || nonce

where attempt, r and block have 4 bytes, big-endian, and a length has one. Bytes of 252 and above
are skipped; the next five, each modulo 6, are the faces (from 0) of the sugar, citrus, tobacco,
rum and cigars dice in the order of S5. Move k (from 0) of the caretaker is number

    HMAC-SHA256(key=seed, salt || "caretaker" || k)      the first 8 bytes, modulo their count

of the legal moves in the order of their action numbers. See docs/dice.md.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Final

from referee.rules import Move
from referee.rules.pieces import DICE

SEED_BYTES: Final = 32
MAX_NONCE_BYTES: Final = 32
_FACES: Final = 6
_FAIR_BYTES: Final = 252  # the largest multiple of six that a byte can hold


def fresh_seed() -> bytes:
    """A seed of 32 bytes from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> bytes:
    """Return the SHA-256 of the seed, which is published before the game."""
    return hashlib.sha256(seed).digest()


class Luck:
    """All that chance decides in one attempt, in order."""

    def __init__(self, seed: bytes, attempt: int, nonces: Sequence[bytes]) -> None:
        self._seed = seed
        self._salt = _four(attempt) + b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
        self._rolls = count()
        self._choices = count()

    def roll(self) -> tuple[int, ...]:
        """The next five dice, by plain good."""
        indices = islice(self._fair_bytes(next(self._rolls)), len(DICE))
        return tuple(faces[i % _FACES] for faces, i in zip(DICE, indices, strict=True))

    def choose(self, moves: Sequence[Move]) -> Move:
        """The caretaker's next move, one of `moves`."""
        digest = self._digest(b"caretaker" + _four(next(self._choices)))
        return sorted(moves)[int.from_bytes(digest[:8], "big") % len(moves)]

    def _fair_bytes(self, roll: int) -> Iterator[int]:
        for block in count():
            digest = self._digest(_four(roll) + _four(block))
            yield from (byte for byte in digest if byte < _FAIR_BYTES)

    def _digest(self, text: bytes) -> bytes:
        return hmac.digest(self._seed, self._salt + text, "sha256")


def _four(number: int) -> bytes:
    return number.to_bytes(4, "big")
