"""Checks who calls the gateway: tokens of bots, proofs of workers, how many call and how often.

Only hashes of tokens are stored: a reader of the file cannot play for a bot.
"""

import hashlib
import hmac
import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeAlias

from referee.errors import InvalidSetting
from referee.proof import read_lines, same, workers_proof

MOST_WAITING: Final = 256
"""Calls of one host whose first message has not come, or whose token is being looked up. A bot
takes up at most as many games at once, and sends each ticket at once."""
GOOD_FOR: Final = 60.0
"""Seconds within which a challenge may be answered."""
OFFERS_AT_ONCE: Final = 16
"""Lines that may be offered with a token in a row; then one more each second."""
LONGEST_WAIT: Final = 8.0
"""Seconds that an offer may wait for its turn; more offers are refused."""
_NONCE_BYTES: Final = 16
_TIME_BYTES: Final = 8
_SEAL_BYTES: Final = 8

NameOf: TypeAlias = Callable[[str], str | None]
"""Returns the name of the bot to which a token belongs; None if it is unknown. May take a while."""
NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""The names that a bot behind the gateway may have."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token, which is stored in its place."""
    return hashlib.sha256(token.encode()).hexdigest()


def tokens_of(file: Path) -> NameOf:
    """Return a look-up in a file of lines `NAME HASH`, read each time. Raises InvalidSetting."""
    _read_tokens(file)
    return lambda token: _read_tokens(file).get(token_hash(token))


def _read_tokens(file: Path) -> dict[str, str]:
    """Return the names of bots by the hash of their token. Raises InvalidSetting."""
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
    """Issues and checks challenges. Each carries its date and a seal, so none has to be remembered.

    Only those that were answered correctly are remembered, as long as they would be good.
    """

    key: str = field(repr=False)
    """The secret that gateway and workers share."""
    _own: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _used: dict[bytes, float] = field(default_factory=dict, repr=False)
    """Until when each is remembered."""

    def issue(self) -> bytes:
        """Return a challenge of 32 bytes: nonce, milliseconds, seal."""
        dated = secrets.token_bytes(_NONCE_BYTES) + int(monotonic() * 1000).to_bytes(_TIME_BYTES)
        return dated + self._seal(dated)

    def check(self, challenge: bytes, proof: bytes, bot: str, seat: str) -> None:
        """Admit a worker's call, once. Raises WrongProof."""
        dated, seal = challenge[:-_SEAL_BYTES], challenge[-_SEAL_BYTES:]
        if not same(seal, self._seal(dated)):
            raise WrongProof("The challenge is not one of this gateway's: ask it for a new one.")
        if not same(proof, workers_proof(self.key, challenge, bot, seat)):
            raise WrongProof("The worker's proof is wrong: is SANTIAGO_GATEWAY_KEY the gateway's?")
        made = int.from_bytes(dated[_NONCE_BYTES:]) / 1000
        now = monotonic()
        _forget(self._used, now)
        if now - made > GOOD_FOR or challenge in self._used:
            raise WrongProof("The worker's proof was used before, or is too old.")
        self._used[challenge] = now + GOOD_FOR

    def _seal(self, dated: bytes) -> bytes:
        return hmac.digest(self._own, dated, "sha256")[:_SEAL_BYTES]


def _forget(kept: dict[Any, float], now: float) -> None:
    """Drop what is kept no longer: from the oldest on, up to the first whose time is not over."""
    while kept:
        oldest = next(iter(kept))
        if kept[oldest] >= now:
            return
        del kept[oldest]


class Strangers:
    """Counts, by host, the calls that prove nothing yet, so that no host fills the gateway."""

    def __init__(self) -> None:
        self._waiting: Counter[str] = Counter()

    @contextmanager
    def one_more(self, peer: str) -> Iterator[bool]:
        """Count a call of `peer`, as gRPC names it, in the block. Yield False if too many wait."""
        host = peer.rpartition(":")[0]
        self._waiting[host] += 1
        try:
            yield self._waiting[host] <= MOST_WAITING
        finally:
            self._waiting[host] -= 1
            if not self._waiting[host]:
                del self._waiting[host]


class Pace:
    """Spaces the offers of each token: a few at once, then one each second.

    What an offer costs, such as looking its token up, it costs when its turn comes.
    """

    def __init__(self) -> None:
        self._settled: dict[str, float] = {}
        """When each token may offer as many lines at once again as one never seen before."""

    def wait(self, token: str) -> float | None:
        """Return the seconds until it is an offer's turn, or None if too many wait already."""
        now = monotonic()
        _forget(self._settled, now)
        whose = token_hash(token)
        settled = max(now, self._settled.get(whose, now)) + 1
        seconds = settled - now - OFFERS_AT_ONCE
        if seconds > LONGEST_WAIT:
            return None
        self._settled.pop(whose, None)  # the newest stands last
        self._settled[whose] = settled
        return max(0.0, seconds)
