"""Credentials at the gateway: the tokens of bots, and the challenges that workers sign.

Only hashes of tokens are stored: a reader of the file cannot play for a bot.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final, TypeAlias

from referee.errors import InvalidSetting
from referee.proof import read_lines, same, workers_proof

GOOD_FOR: Final = 60.0
"""Seconds within which a challenge may be answered."""
_NONCE_BYTES: Final = 16
_TIME_BYTES: Final = 8
_SEAL_BYTES: Final = 8

NameOf: TypeAlias = Callable[[str], str | None]
"""The name of the bot that a token belongs to; None where nobody knows it. May take a while."""
NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""The names that a bot behind the gateway may have."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token, which is stored in its place."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens_of(file: Path) -> NameOf:
    """The tokens in a file of lines `NAME HASH`. Raises InvalidSetting, now and when asked.

    The file is read each time, so that a new line counts at once.
    """
    read_tokens(file)
    return lambda token: read_tokens(file).get(token_hash(token))


def read_tokens(file: Path) -> dict[str, str]:
    """The names by hash. Raises InvalidSetting."""
    names = {}
    for number, words in read_lines(file):
        if len(words) != 2 or not NAME.fullmatch(words[0]) or not _HASH.fullmatch(words[1]):
            raise InvalidSetting(
                f"{file}, line {number}: NAME HASH is needed, as `santiago bot token NAME` prints."
            )
        names[words[1]] = words[0]
    return names


class WrongProof(Exception):
    """The caller is not a worker of this gateway; the message says why."""


@dataclass
class Challenges:
    """Challenges carry their own date and seal, so that asking for many of them costs nothing.

    Only those are remembered that were answered well, for as long as they would be good.
    """

    key: str = field(repr=False)
    """The secret that gateway and workers share."""
    _own: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _used: dict[bytes, float] = field(default_factory=dict, repr=False)

    def issue(self) -> bytes:
        """A challenge: nonce, milliseconds, seal; 32 bytes."""
        dated = secrets.token_bytes(_NONCE_BYTES) + int(monotonic() * 1000).to_bytes(_TIME_BYTES)
        return dated + self._seal(dated)

    def check(self, challenge: bytes, proof: bytes, bot: str, seat: str) -> None:
        """Admits a worker's call, once. Raises WrongProof."""
        dated, seal = challenge[:-_SEAL_BYTES], challenge[-_SEAL_BYTES:]
        if not same(seal, self._seal(dated)):
            raise WrongProof("The challenge is not one of this gateway's: ask it for a new one.")
        if not same(proof, workers_proof(self.key, challenge, bot, seat)):
            raise WrongProof("The worker's proof is wrong: is SANTIAGO_GATEWAY_KEY the gateway's?")
        made = int.from_bytes(dated[_NONCE_BYTES:]) / 1000
        now = monotonic()
        self._forget(now)
        if now - made > GOOD_FOR or challenge in self._used:
            raise WrongProof("The worker's proof was used before, or is too old.")
        self._used[challenge] = now

    def _seal(self, dated: bytes) -> bytes:
        return hmac.digest(self._own, dated, "sha256")[:_SEAL_BYTES]

    def _forget(self, now: float) -> None:
        while self._used:
            oldest = next(iter(self._used))
            if now - self._used[oldest] <= GOOD_FOR:
                return
            del self._used[oldest]
