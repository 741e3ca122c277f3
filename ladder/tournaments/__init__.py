"""Tournaments: making their matches, starting and cancelling them, and how far they are."""

from ladder.tournaments.creating import create
from ladder.tournaments.reading import (
    Progress,
    Tournament,
    TournamentRow,
    page,
    progress,
    tournament,
)
from ladder.tournaments.running import cancel, start

__all__ = [
    "Progress",
    "Tournament",
    "TournamentRow",
    "cancel",
    "create",
    "page",
    "progress",
    "start",
    "tournament",
]
