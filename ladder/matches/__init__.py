"""Matches: their states, who may change them, and how pages read them."""

from ladder.matches.absences import forfeits, withdraw
from ladder.matches.claims import Claim, PlaysAlone, claim, keep_message, note_lag, renew
from ladder.matches.dispatch import due, waiting
from ladder.matches.durations import longest
from ladder.matches.forfeiting import forfeit
from ladder.matches.kinds import Kind
from ladder.matches.listing import page
from ladder.matches.played import of_bot
from ladder.matches.players import Player
from ladder.matches.queue import QueueState, queue_state
from ladder.matches.reading import by_ids, match, replay
from ladder.matches.results import Result, SeatResult, finish
from ladder.matches.rows import MatchPage, MatchRow, SeatRow
from ladder.matches.setbacks import give_back, interrupt, reap, unreachable
from ladder.matches.states import State

__all__ = [
    "Claim",
    "Kind",
    "MatchPage",
    "MatchRow",
    "Player",
    "PlaysAlone",
    "QueueState",
    "Result",
    "SeatResult",
    "SeatRow",
    "State",
    "by_ids",
    "claim",
    "due",
    "finish",
    "forfeit",
    "forfeits",
    "give_back",
    "interrupt",
    "keep_message",
    "longest",
    "match",
    "note_lag",
    "of_bot",
    "page",
    "queue_state",
    "reap",
    "renew",
    "replay",
    "unreachable",
    "waiting",
    "withdraw",
]
