"""The ladders, and the cross tables of tournaments."""

from ladder.standings.cross_table import Cell, CrossTable, Row, cross_table
from ladder.standings.places import Place, Places, Standing, on_all_ladders, standings
from ladder.standings.tie_breaks import TieBreak

__all__ = [
    "Cell",
    "CrossTable",
    "Place",
    "Places",
    "Row",
    "Standing",
    "TieBreak",
    "cross_table",
    "on_all_ladders",
    "standings",
]
