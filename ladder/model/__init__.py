"""The database: its tables, sessions, transactions, states and clock.

This is the one way in: importers say `from ladder.model import Match, now, write`.
"""

from ladder.model.accounts import ApiToken, AuditEntry, Notice, ResetLink, SignIn, User
from ladder.model.base import CLOCK, Base, Timestamp, now
from ladder.model.bots import (
    Bot,
    Version,
    change_bots,
    move_bot,
    move_version,
    name_given_up,
    submitted_name,
)
from ladder.model.engine import Upsert, engine, execute, session_factory, write, writing
from ladder.model.jobs import Holding, Job, Worker
from ladder.model.matches import Deal, Debt, Entry, Match, Replay, Seat, Tournament, move_tournament
from ladder.model.migrate import check_schema, downgrade, upgrade
from ladder.model.ratings import (
    EntryKind,
    FairnessReport,
    Ladder,
    LadderPlace,
    Ledger,
    MeetingTally,
    NeighbourTally,
    RatingChange,
    SeatTally,
    Strength,
)
from ladder.model.states import (
    MATCH_MOVES,
    MATCH_OVER,
    UNDER_VALIDATION,
    BotState,
    MatchKind,
    MatchState,
    TournamentState,
    TournamentStep,
    VersionState,
    possible_steps,
)

__all__ = [
    "CLOCK",
    "MATCH_MOVES",
    "MATCH_OVER",
    "UNDER_VALIDATION",
    "ApiToken",
    "AuditEntry",
    "Base",
    "Bot",
    "BotState",
    "Deal",
    "Debt",
    "Entry",
    "EntryKind",
    "FairnessReport",
    "Holding",
    "Job",
    "Ladder",
    "LadderPlace",
    "Ledger",
    "Match",
    "MatchKind",
    "MatchState",
    "MeetingTally",
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
    "TournamentState",
    "TournamentStep",
    "Upsert",
    "User",
    "Version",
    "VersionState",
    "Worker",
    "change_bots",
    "check_schema",
    "downgrade",
    "engine",
    "execute",
    "move_bot",
    "move_tournament",
    "move_version",
    "name_given_up",
    "now",
    "possible_steps",
    "session_factory",
    "submitted_name",
    "upgrade",
    "write",
    "writing",
]
