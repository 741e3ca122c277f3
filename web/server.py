"""How another process starts the site: the command line and what its environment has to say."""

import sys


def command() -> list[str]:
    """The command line of the production server."""
    return [sys.executable, "-m", "gunicorn", "-c", "python:web.gunicorn", "web:create_app()"]


def environment(host: str, port: int) -> dict[str, str]:
    """What to add to the environment so that the site listens there."""
    return {"SANTIAGO_HOST": host, "SANTIAGO_PORT": str(port)}
