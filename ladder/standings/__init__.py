"""The ladders, and the cross tables of tournaments."""

from ladder.standings.cross_table import Cell, CrossTable, Row, cross_table
from ladder.standings.places import Standing, standings

__all__ = ["Cell", "CrossTable", "Row", "Standing", "cross_table", "standings"]
