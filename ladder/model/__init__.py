"""The database: its tables, sessions, transactions, states and clock.

This is the one way in. Importers that need few names say `from ladder.model import Match, write`;
those that need many name so what they use most, and say `model.write` for the rest.
"""

from ladder.model.accounts import ApiToken, AuditEntry, Notice, NoticeTone, ResetLink, SignIn, User
from ladder.model.ahead import draw_in
from ladder.model.analyses import (
    Analysis,
    AnalysisColumns,
    AnalysisSeat,
    CasualAnalysis,
    Puzzle,
    PuzzleState,
)
from ladder.model.base import CLOCK, Base, Timestamp, below, now
from ladder.model.bots import (
    Bot,
    Joined,
    Version,
    change_rows,
    move_bot,
    move_conduct,
    move_version,
    name_given_up,
    shown_state,
    submitted_name,
)
from ladder.model.casual import CasualGame, CasualOutput, CasualSeat, move_casual
from ladder.model.engine import (
    DAMAGED,
    OUT_OF_REACH,
    Upsert,
    engine,
    execute,
    integers,
    is_damaged,
    is_postgresql,
    lacks_room,
    own_words,
    session_factory,
    sqlite_url,
    take_your_time,
    write,
    writing,
)
from ladder.model.jobs import SILENT, Holding, Job, PartRow, Worker
from ladder.model.matches import (
    LADDER_DEAL,
    Deal,
    Debt,
    Entry,
    Match,
    Replay,
    Seat,
    Tournament,
    move_entry,
    move_tournament,
)
from ladder.model.migrate import REVISION, check_schema, downgrade, other_release, upgrade
from ladder.model.packages import CHUNK, Blob, BlobChunk, BlobKind, BuildLine, HostRow, SeatOutput
from ladder.model.ratings import (
    EntryKind,
    FairnessReport,
    Favours,
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
    CASUAL_UNDER_WAY,
    MATCH_MOVES,
    MATCH_OVER,
    MATCH_UNDER_WAY,
    TOURNAMENT_OVER,
    TOURNAMENT_UNDER_WAY,
    UNDER_VALIDATION,
    BotState,
    CasualPace,
    CasualState,
    Conduct,
    EntryState,
    MatchKind,
    MatchState,
    TournamentState,
    TournamentStep,
    VersionState,
    possible_steps,
)
