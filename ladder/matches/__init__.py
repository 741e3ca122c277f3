"""Matches: their states, who may change them, and how pages read them."""

from ladder.matches.reading import match, page, replay
from ladder.matches.rows import MatchPage, MatchRow, SeatRow

__all__ = ["MatchPage", "MatchRow", "SeatRow", "match", "page", "replay"]
