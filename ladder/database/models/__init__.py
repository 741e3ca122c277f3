"""The tables. One file a subject."""

from ladder.database.models.base import Base, Timestamp
from ladder.database.models.bots import Bot, User, Version
from ladder.database.models.matches import Match, Replay, Seat
from ladder.database.models.ratings import LadderPlace, Ledger, Meeting, RatingChange
from ladder.database.models.tournaments import Deal, Tournament

__all__ = [
    "Base",
    "Bot",
    "Deal",
    "LadderPlace",
    "Ledger",
    "Match",
    "Meeting",
    "RatingChange",
    "Replay",
    "Seat",
    "Timestamp",
    "Tournament",
    "User",
    "Version",
]
