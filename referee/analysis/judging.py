"""Judge a decision: the value of each legal move, and the mark of the one that was played."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from referee.engine.collector import garbage_collector_rests
from referee.engine.search import MoveValue, Search
from referee.rules import Move, Position

BIG: Final = 0.3
CLEAR: Final = 0.16
SMALL: Final = 0.08
"""From which cost on a decision is a big, clear or small loss, in share of the points."""
ONLY: Final = 0.2
"""The least by which an only move is better than all others."""
FIND: Final = 0.08
"""The least by which a find is better than all others."""
OVERLOOKED: Final = 0.04
"""The least by which a first glance prefers another move to a find."""
GLANCE: Final = 50
"""The looks of a first glance, whatever the depth."""
_PARTS: Final = (0.42, 1.6, 7.3)
"""A decision gets these parts of the looks, one after the other, as long as its mark is in doubt.

That is about the looks for each decision, on average (`python -m benchmarks marks`).
"""
_DOUBT: Final = 0.4
"""A number is near a threshold if it differs from it by no more than this part."""
_DOUBT_ABOVE: Final = 0.8
"""The same for the gap of an only move, which may shrink by much if one looks further."""
LONGEST_LINE: Final = 12
"""Moves of a line that are kept: what is further ahead was hardly looked at."""
DIGITS: Final = 3
"""Chances and shares are rounded to so many digits after the point."""


class Mark(StrEnum):
    """A remark about a decision."""

    ONLY = "only"
    """The only good move, by far."""
    FIND = "find"
    """The best move, though a first glance shows another one."""
    SMALL = "small"
    CLEAR = "clear"
    BIG = "big"
    """A loss of a small, clear or big share of the points."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The value of each legal move, the best line, and the mark of the move that was played."""

    shares: dict[Move, float]
    """The share of the points that the seat may expect after each move, the best one first."""
    line: tuple[Move, ...]
    """The best move, and what may follow it."""
    mark: Mark | None
    looks: int


def judge(
    position: Position, played: Move, looks: int, rng: Random, faulted: tuple[int, ...] = ()
) -> Judgement:
    """Search a position with two or more legal moves, and judge the move that was played there.

    Half of the looks go to what promises most, half to all moves alike: a search alone hardly looks
    at a move that seems bad at first, so it would charge too much for it. `looks` is what a
    decision gets on average: less if its mark is clear, more if it is in doubt.
    The seats of bots that `faulted` end below all others.
    """
    with garbage_collector_rests():  # until the tree is gone: it would be visited at each stage
        return _judge(position, played, looks, rng, faulted)


def _judge(
    position: Position, played: Move, looks: int, rng: Random, faulted: tuple[int, ...]
) -> Judgement:
    search = Search(position, rng, faulted)
    halves = [max(1, round(part * looks / 2)) for part in _PARTS]
    search.think(min(GLANCE, halves[0]))
    glance = _shares(search.moves(), position.seat)
    overlooked = max(glance.values()) - glance[played] >= OVERLOOKED
    for half in halves:
        search.think(half - search.looks)
        search.think_of_each(half // len(glance))
        values = search.moves()
        shares = _shares(values, position.seat)
        if not _in_doubt(shares, played, overlooked=overlooked):
            break
    line = (values[0].move, *values[0].line)[:LONGEST_LINE]
    done = sum(value.looks for value in values)
    return Judgement(shares, line, _mark(shares, played, overlooked=overlooked), done)


def _shares(values: list[MoveValue], seat: int) -> dict[Move, float]:
    """Return the share after each move, in the order of the values: the best one first."""
    return {value.move: round(value.shares[seat], DIGITS) for value in values}


def _mark(shares: dict[Move, float], played: Move, *, overlooked: bool) -> Mark | None:
    cost, gap = _cost_and_gap(shares, played)
    if cost:
        losses = ((BIG, Mark.BIG), (CLEAR, Mark.CLEAR), (SMALL, Mark.SMALL))
        return next((mark for least, mark in losses if cost >= least), None)
    if gap >= ONLY:
        return Mark.ONLY
    return Mark.FIND if overlooked and gap >= FIND else None


def _in_doubt(shares: dict[Move, float], played: Move, *, overlooked: bool) -> bool:
    """Return True if the numbers are so near a threshold that the mark may change."""
    cost, gap = _cost_and_gap(shares, played)
    if cost:
        return any(_is_near(cost, threshold) for threshold in (SMALL, CLEAR, BIG))
    return _is_near(gap, ONLY, _DOUBT_ABOVE) or (overlooked and _is_near(gap, FIND))


def _is_near(number: float, threshold: float, above: float = _DOUBT) -> bool:
    return threshold * (1 - _DOUBT) <= number <= threshold * (1 + above)


def _cost_and_gap(shares: dict[Move, float], played: Move) -> tuple[float, float]:
    """Return what the move cost, and by how much the best move is better than the second best."""
    best, second = list(shares.values())[:2]
    return round(best - shares[played], DIGITS), round(best - second, DIGITS)
