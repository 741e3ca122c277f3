"""Judge a decision: the value of each legal move, and the mark of the one that was played."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from referee.engine.search import MoveValue, Search
from referee.rules import Move, Position

BIG: Final = 0.15
CLEAR: Final = 0.08
SMALL: Final = 0.04
"""From which cost on a decision is a big, clear or small loss, in share of the points."""
ONLY: Final = 0.12
"""By how much an only move is better than all others."""
FIND: Final = 0.03
"""By how much a find is better than all others, and than the first glance made it out to be."""
DIGITS: Final = 3
"""Chances and shares are rounded to so many digits after the point."""
_GLANCE: Final = 8
"""A first glance has one in so many of the looks."""


class Mark(StrEnum):
    """What is remarkable about a decision."""

    ONLY = "only"
    """It was the only good move, by far."""
    FIND = "find"
    """It was the best move, and a first glance shows another one."""
    SMALL = "small"
    CLEAR = "clear"
    BIG = "big"
    """It lost a small, clear or big share of the points."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The value of each legal move, the best line, and the mark of the move that was played."""

    shares: dict[Move, float]
    """The share of the points that the seat may expect after each move, the best one first."""
    line: tuple[Move, ...]
    """The best move, and what may follow it."""
    mark: Mark | None
    looks: int


def judge(position: Position, played: Move, looks: int, rng: Random) -> Judgement:
    """Search a position with two or more legal moves, and judge the move that was played there."""
    search = Search(position, rng)
    glance = max(1, looks // _GLANCE)
    search.think(glance)
    first = _shares(search.moves(), position.seat)
    search.think(looks - glance)
    values = search.moves()
    shares = _shares(values, position.seat)
    line = (values[0].move, *values[0].line)
    return Judgement(shares, line, _mark(shares, first, played), looks)


def _shares(values: list[MoveValue], seat: int) -> dict[Move, float]:
    """Return the share after each move; none is above that of the move that the engine prefers."""
    most = values[0].shares[seat]
    found = {value.move: round(min(most, value.shares[seat]), DIGITS) for value in values}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _mark(shares: dict[Move, float], first: dict[Move, float], played: Move) -> Mark | None:
    """Return the mark of a move by the shares after a search, and after the first glance."""
    best, second = list(shares.values())[:2]
    cost = round(best - shares[played], DIGITS)
    if cost:
        losses = ((BIG, Mark.BIG), (CLEAR, Mark.CLEAR), (SMALL, Mark.SMALL))
        return next((mark for least, mark in losses if cost >= least), None)
    if best - second >= ONLY:
        return Mark.ONLY
    overlooked = max(first.values()) - first[played] >= FIND
    return Mark.FIND if overlooked and best - second >= FIND else None
