"""The tables. One file a subject."""

from ladder.database.models.accounts import ApiToken, AuditEntry, Notice, ResetLink, SignIn, User
from ladder.database.models.base import Base, Timestamp
from ladder.database.models.bots import Bot, Version
from ladder.database.models.matches import Match, Replay, Seat
from ladder.database.models.ratings import (
    FairnessReport,
    LadderPlace,
    Ledger,
    Meeting,
    NeighbourTally,
    RatingChange,
    SeatTally,
    Strength,
)
from ladder.database.models.service import Ladder, Worker
from ladder.database.models.tournaments import Deal, Entry, Tournament

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Base",
    "Bot",
    "Deal",
    "Entry",
    "FairnessReport",
    "Ladder",
    "LadderPlace",
    "Ledger",
    "Match",
    "Meeting",
    "NeighbourTally",
    "Notice",
    "RatingChange",
    "Replay",
    "ResetLink",
    "Seat",
    "SeatTally",
    "SignIn",
    "Strength",
    "Timestamp",
    "Tournament",
    "User",
    "Version",
    "Worker",
]
