"""What workers have to sign, and whether they did."""

import hmac
import secrets
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from referee.proof import same, workers_proof

GOOD_FOR: Final = 60.0
"""Seconds within which a challenge may be answered."""
_NONCE_BYTES: Final = 16
_TIME_BYTES: Final = 8
_SEAL_BYTES: Final = 8


class WrongProof(Exception):
    """Who calls is no worker of this gateway's; the message says why."""


@dataclass
class Challenges:
    """Challenges carry their own date and seal, so that asking for many of them costs nothing.

    Only those are remembered that were answered well, for as long as they would be good.
    """

    key: str = field(repr=False)
    """What gateway and workers share."""
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
