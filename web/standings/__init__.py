"""The standings: all ladders side by side, each by itself, ratings over time, fairness."""

from web.standings import fairness, history, ladder
from web.standings.ladder import blueprint

__all__ = ["blueprint", "fairness", "history", "ladder"]
