"""The ladders, and the cross tables of tournaments."""

from ladder.standings.boards import Board, Sort, board
from ladder.standings.cross_table import Cell, CrossTable, Row, cross_table
from ladder.standings.details import SeatWins, trends, wins_by_seat, wins_on_ladders
from ladder.standings.histories import (
    MOST_BOTS,
    Histories,
    History,
    LadderHistories,
    histories,
    on_ladders,
)
from ladder.standings.kept_tables import current_table
from ladder.standings.overview import Overall, Overview, overview
from ladder.standings.places import Place, Standing, standings
from ladder.standings.tie_breaks import TieBreak

__all__ = [
    "MOST_BOTS",
    "Board",
    "Cell",
    "CrossTable",
    "Histories",
    "History",
    "LadderHistories",
    "Overall",
    "Overview",
    "Place",
    "Row",
    "SeatWins",
    "Sort",
    "Standing",
    "TieBreak",
    "board",
    "cross_table",
    "current_table",
    "histories",
    "on_ladders",
    "overview",
    "standings",
    "trends",
    "wins_by_seat",
    "wins_on_ladders",
]
