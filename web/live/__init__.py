"""Matches while they are played: the stream of one, the lobby of all, and what pages ask for."""

from web.live import lobby, watching
from web.live.house import init_app

__all__ = ["init_app", "parts"]

parts = (lobby, watching)
