"""Luck that nobody can choose: dice from a seed that was committed to, and a nonce of each seat.

Roll r (from 0) of an attempt takes the bytes of

    HMAC-SHA256(key=seed, attempt || nonces || r || block)      block = 0, 1, 2, ...

where attempt, r and block are 4 bytes, big-endian, and each seat's nonce is preceded by its length
in one byte. Bytes of 252 and above are skipped; the next five, each modulo 6, are the faces of the
sugar, citrus, tobacco, rum and cigars dice in the order of S5. See docs/dice.md.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Final

from referee.rules.pieces import DICE

SEED_BYTES: Final = 32
MAX_NONCE_BYTES: Final = 32
_FACES: Final = 6
_FAIR_BYTES: Final = 252  # the largest multiple of six that a byte can hold


def fresh_seed() -> bytes:
    """A seed of 32 bytes from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> bytes:
    """What is told of the seed before the game: its SHA-256."""
    return hashlib.sha256(seed).digest()


class Dice:
    """All rolls of one attempt, in order."""

    def __init__(self, seed: bytes, attempt: int, nonces: Sequence[bytes]) -> None:
        self._seed = seed
        self._salt = attempt.to_bytes(4, "big") + b"".join(
            len(nonce).to_bytes(1, "big") + nonce for nonce in nonces
        )
        self._rolls = 0

    def roll(self) -> tuple[int, ...]:
        """The next five dice, by plain good."""
        indices = islice(self._fair_bytes(self._rolls), len(DICE))
        self._rolls += 1
        return tuple(faces[i % _FACES] for faces, i in zip(DICE, indices, strict=True))

    def _fair_bytes(self, roll: int) -> Iterator[int]:
        for block in count():
            text = self._salt + roll.to_bytes(4, "big") + block.to_bytes(4, "big")
            digest = hmac.digest(self._seed, text, "sha256")
            yield from (byte for byte in digest if byte < _FAIR_BYTES)
