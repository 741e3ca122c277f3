"""The standings: all ladders side by side, each by itself, and how ratings went over time."""

from web.standings import history, ladder
from web.standings.ladder import blueprint

__all__ = ["blueprint", "history", "ladder"]
