"""The application's hub."""

from __future__ import annotations

from typing import Final

from flask import Flask, current_app

from web.database import sessions
from web.live.hub import Hub

EXTENSION: Final = "santiago.live"


def init_app(app: Flask, redis_url: str) -> None:
    """Give the application a hub; it does nothing until somebody watches."""
    app.extensions[EXTENSION] = Hub(redis_url, sessions(app))


def hub() -> Hub:
    """The hub of the application that answers."""
    found: Hub = current_app.extensions[EXTENSION]
    return found
