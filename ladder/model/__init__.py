"""The database: its tables, sessions, transactions, states and clock.

This is the one way in: importers say `from ladder.model import Match, now, write`.
"""

from ladder.model.accounts import ApiToken, AuditEntry, Notice, ResetLink, SignIn, User
from ladder.model.base import CLOCK, Base, Timestamp, now
from ladder.model.bots import Bot, Version, name_given_up, submitted_name
from ladder.model.engine import engine, execute, session_factory, write, writing
from ladder.model.jobs import Holding, Job
from ladder.model.matches import Match, Replay, Seat
from ladder.model.migrate import check_schema, downgrade, upgrade
from ladder.model.ratings import (
    FairnessReport,
    LadderPlace,
    Ledger,
    Meeting,
    NeighbourTally,
    RatingChange,
    SeatTally,
    Strength,
)
from ladder.model.service import Ladder, Worker
from ladder.model.tournaments import Deal, Entry, Tournament

__all__ = [
    "CLOCK",
    "ApiToken",
    "AuditEntry",
    "Base",
    "Bot",
    "Deal",
    "Entry",
    "FairnessReport",
    "Holding",
    "Job",
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
    "check_schema",
    "downgrade",
    "engine",
    "execute",
    "name_given_up",
    "now",
    "session_factory",
    "submitted_name",
    "upgrade",
    "write",
    "writing",
]
