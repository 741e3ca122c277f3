"""Matches: their states, who may change them, and how pages read them."""

from ladder.matches.claims import Claim, Player, claim, renew
from ladder.matches.dispatch import due
from ladder.matches.reading import match, page, replay
from ladder.matches.results import Result, SeatResult, finish
from ladder.matches.rows import MatchPage, MatchRow, SeatRow
from ladder.matches.setbacks import give_back, interrupt, reap, unreachable
from ladder.matches.states import State

__all__ = [
    "Claim",
    "MatchPage",
    "MatchRow",
    "Player",
    "Result",
    "SeatResult",
    "SeatRow",
    "State",
    "claim",
    "due",
    "finish",
    "give_back",
    "interrupt",
    "match",
    "page",
    "reap",
    "renew",
    "replay",
    "unreachable",
]
