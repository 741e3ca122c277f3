"""Proves that two programs share a secret, without ever sending the secret.

Caller and answerer each draw a challenge, fresh for each stream. A proof is

    HMAC-SHA256(key=secret, direction || referee's challenge || bot's challenge
                            || attempt || seat || match)

with the 12 bytes `bot->referee` or `referee->bot` as direction. A challenge has its length in one
byte before it, attempt and seat have 4 bytes, big-endian, and secret and match are UTF-8. So a
proof is worth nothing on another stream, at another seat, or in the other direction. A worker
proves its identity to the gateway in the same way. See docs/protocol.md.
"""

import hmac
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.errors import InvalidSetting

CHALLENGE_BYTES: Final = 32
"""The length of our own challenges."""
FEWEST_BYTES: Final = 16
"""The shortest challenge that is accepted."""
SHORTEST_SECRET: Final = 16
"""Characters. A caller of a bot gets a proof, with which it could try out short secrets."""
_MOST_CHARACTERS: Final = 16_000_000
"""A file of secrets or tokens has no more; so a device is not read for ever."""
_FROM_BOT: Final = b"bot->referee"
_FROM_REFEREE: Final = b"referee->bot"
_FROM_WORKER: Final = b"worker->gateway"


def fresh_challenge() -> bytes:
    """Return a challenge of 32 bytes from the operating system."""
    return secrets.token_bytes(CHALLENGE_BYTES)


def fits(challenge: bytes) -> bool:
    """Return True if a received challenge has an acceptable length."""
    return FEWEST_BYTES <= len(challenge) <= CHALLENGE_BYTES


def same(proof: bytes, other: bytes) -> bool:
    """Return True if two proofs are equal, in constant time."""
    return hmac.compare_digest(proof, other)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The values that both sides of one stream sign."""

    referee_challenge: bytes
    bot_challenge: bytes
    match_id: str
    attempt: int
    seat: int

    def bots_proof(self, secret: str) -> bytes:
        """Return the bot's proof."""
        return self._proof(secret, _FROM_BOT)

    def referees_proof(self, secret: str) -> bytes:
        """Return the referee's proof."""
        return self._proof(secret, _FROM_REFEREE)

    def _proof(self, secret: str, direction: bytes) -> bytes:
        signed = (
            direction
            + _counted(self.referee_challenge)
            + _counted(self.bot_challenge)
            + self.attempt.to_bytes(4, "big")
            + self.seat.to_bytes(4, "big")
            + self.match_id.encode()
        )
        return hmac.digest(secret.encode(), signed, "sha256")


def workers_proof(key: str, challenge: bytes, bot: str, seat: str) -> bytes:
    """Return the proof of a worker that calls a bot through the gateway; `seat` may be ""."""
    signed = _FROM_WORKER + _counted(challenge) + f"{bot}\n{seat}".encode()
    return hmac.digest(key.encode(), signed, "sha256")


def _counted(text: bytes) -> bytes:
    return bytes([len(text)]) + text


def read_secrets(file: Path) -> dict[str, str]:
    """Read secrets by address, from lines `ADDRESS SECRET`. Raises InvalidSetting."""
    secrets = {}
    for number, words in read_lines(file):
        if len(words) != 2:
            raise InvalidSetting(f"{file}, line {number}: ADDRESS SECRET is needed.")
        secrets[words[0]] = usable(words[1], f"{file}, line {number}: the secret")
    return secrets


def read_lines(file: Path) -> list[tuple[int, list[str]]]:
    """Return number and words of each line of a file, without empty lines and comments (#)."""
    try:
        with file.open() as opened:
            text = opened.read(_MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{file} cannot be read: {error}.") from None
    if len(text) > _MOST_CHARACTERS:
        raise InvalidSetting(f"{file} has more than {_MOST_CHARACTERS:,} characters.")
    lines = ((number, line.split()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, words) for number, words in lines if words and not words[0].startswith("#")]


def usable(secret: str, name: str) -> str:
    """Return the secret, which may be empty. Raises InvalidSetting if it can't be used."""
    is_text = secret.encode(errors="replace").decode() == secret  # not bytes in another encoding
    if secret and not (is_text and len(secret) >= SHORTEST_SECRET):
        raise InvalidSetting(
            f"{name} needs {SHORTEST_SECRET} characters or more, in UTF-8: `openssl rand -hex 32` "
            "makes one."
        )
    return secret
