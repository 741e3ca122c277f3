"""The ladders and the cross table of a tournament, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    `rank` is shared by equal ratings; `rating_milli` is in thousandths of an Elo point.
    """

    rank: int
    bot_id: int
    name: str
    author: str
    version: str
    rating_milli: int
    games: int
    wins: int
    faults: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One bot against one other: a point for each match with the better rank, half for a tie."""

    opponent_id: int
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Row:
    """One bot of a tournament: its points against each other bot and their sum.

    `games` is the number of its matches; with n seats a match brings up to n-1 points. `cells` are
    in the order of the rows, without the bot itself. `rank` is by the share of the points that
    could be had, so that it makes sense before the end.
    """

    rank: int
    bot_id: int
    name: str
    points: float
    games: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """All bots of a tournament, best first."""

    rows: tuple[Row, ...]


def standings(session: Session, seats: int) -> list[Standing]:
    """The ladder of tables with that many seats, best first; only bots with a rated game."""
    raise NotImplementedError


def cross_table(session: Session, tournament_id: int) -> CrossTable:
    """Each bot of the tournament against each other, over the finished matches; raises NotFound."""
    raise NotImplementedError
