"""Matches: their states, who may change them, and how pages read them."""

from ladder.matches.absences import forfeits, withdraw
from ladder.matches.durations import longest
from ladder.matches.forfeiting import forfeit
from ladder.matches.job import MATCHES, Claim, give_back, interrupt, unreachable
from ladder.matches.kinds import Kind
from ladder.matches.listing import page
from ladder.matches.played import of_bot
from ladder.matches.queue import QueueState, queue_state
from ladder.matches.reading import by_ids, match, replay
from ladder.matches.results import Result, SeatResult, finish
from ladder.matches.rows import MatchPage, MatchRow, SeatRow
from ladder.matches.tables import Player

__all__ = [
    "MATCHES",
    "Claim",
    "Kind",
    "MatchPage",
    "MatchRow",
    "Player",
    "QueueState",
    "Result",
    "SeatResult",
    "SeatRow",
    "by_ids",
    "finish",
    "forfeit",
    "forfeits",
    "give_back",
    "interrupt",
    "longest",
    "match",
    "of_bot",
    "page",
    "queue_state",
    "replay",
    "unreachable",
    "withdraw",
]
