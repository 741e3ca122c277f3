"""Tournaments: making them, leading them from round to round, and how far they are."""

from ladder.tournaments.creating import GRACE, create
from ladder.tournaments.limits import Format
from ladder.tournaments.reading import (
    Entrant,
    Progress,
    Tournament,
    entries,
    names,
    page,
    progress,
    tournament,
)
from ladder.tournaments.running import cancel, pause, resume, start
from ladder.tournaments.states import State, Step, possible
from ladder.tournaments.tables import Round, RoundTable, round_of

__all__ = [
    "GRACE",
    "Entrant",
    "Format",
    "Progress",
    "Round",
    "RoundTable",
    "State",
    "Step",
    "Tournament",
    "cancel",
    "create",
    "entries",
    "names",
    "page",
    "pause",
    "possible",
    "progress",
    "resume",
    "round_of",
    "start",
    "tournament",
]
