"""Which token is which bot's. Only hashes are kept: who reads the file cannot play for a bot."""

import hashlib
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from referee.errors import InvalidSetting
from referee.ways import read_lines

NameOf: TypeAlias = Callable[[str], str | None]
"""The name of the bot that a token belongs to; None where nobody knows it. May take a while."""
NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""What a bot behind the gateway may be called."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is kept of a token: its SHA-256."""
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
