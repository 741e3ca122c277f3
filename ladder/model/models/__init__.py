"""The tables. One file a subject."""

from ladder.model.models.accounts import ApiToken, AuditEntry, Notice, ResetLink, SignIn, User
from ladder.model.models.base import Base, Timestamp
from ladder.model.models.bots import Bot, Version
from ladder.model.models.matches import Match, Replay, Seat
from ladder.model.models.ratings import (
    FairnessReport,
    LadderPlace,
    Ledger,
    Meeting,
    NeighbourTally,
    RatingChange,
    SeatTally,
    Strength,
)
from ladder.model.models.service import Ladder, Worker
from ladder.model.models.tournaments import Deal, Entry, Tournament

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
