"""The site as another process: `ladder` may not import it, but knows how it is started."""

import sys
from http import HTTPStatus
from urllib.request import ProxyHandler, build_opener

_PATIENCE = 30.0  # seconds for an answer


def command() -> list[str]:
    """The command line of the production server."""
    return [sys.executable, "-P", "-m", "web"]


def environment(host: str, port: int) -> dict[str, str]:
    """What to add to the environment so that the site listens there."""
    return {"SANTIAGO_HOST": host, "SANTIAGO_PORT": str(port)}


def answers(url: str) -> bool:
    """Whether it is up, and reaches its database."""
    try:
        with build_opener(ProxyHandler({})).open(f"{url}/healthz", timeout=_PATIENCE) as answer:
            return bool(answer.status == HTTPStatus.OK)
    except OSError:
        return False
