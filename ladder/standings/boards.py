"""A page of a ladder: searched, sorted and cut by the database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, func, literal, or_
from sqlalchemy.orm import Session

from ladder.database.models import Bot, LadderPlace, Strength, User
from ladder.standings.places import Standing, of_ladder, standing_of
from ladder.standings.ranks import ranks

LONGEST_SEARCH: Final = 100
"""Characters of a search that count."""


class Sort(StrEnum):
    """What a ladder may be sorted by. Numbers begin with the largest, `RANK` and `BOT` do not."""

    RANK = "rank"
    BOT = "bot"
    STRENGTH = "strength"
    GAMES = "games"
    WINS = "wins"
    FAULTS = "faults"


@dataclass(frozen=True, slots=True)
class Board:
    """One page of a ladder; `found` counts the bots on all its pages."""

    rows: tuple[Standing, ...]
    found: int


def board(
    session: Session,
    seats: int,
    *,
    search: str = "",
    sort: Sort = Sort.RANK,
    reverse: bool = False,
    page: int = 1,
    limit: int = 50,
) -> Board:
    """The page with that number, from 1, of the bots whose name or author contains `search`.

    Ranks are those on the whole ladder. Bots without a strength come last where that sorts.
    """
    found = ranks(session)
    query = of_ladder(seats).add_columns(func.count().over() if search else literal(0))
    query = query.order_by(*_order(sort, reverse=reverse)).limit(limit).offset((page - 1) * limit)
    if search:
        query = query.where(name_contains(search))
    rows = session.execute(query).all()
    fitting = (rows[0][-1] if rows else 0) if search else found.count(seats)
    return Board(tuple(standing_of(row[:-1], found) for row in rows), fitting)


def name_contains(search: str) -> ColumnElement[bool]:
    """Whether the name of a bot, or of its author, contains this."""
    part = "".join(letter if letter.isprintable() else "?" for letter in search.strip())
    shown = part[:LONGEST_SEARCH]  # of what no name contains PostgreSQL would take offence
    return or_(*(name.icontains(shown, autoescape=True) for name in (Bot.name, User.name)))


def _order(sort: Sort, *, reverse: bool) -> tuple[Any, ...]:
    """By the sort, then by rank; what never changes comes last, so that pages fit together."""
    column: dict[Sort, Any] = {
        Sort.RANK: LadderPlace.rating_milli,
        Sort.BOT: func.lower(Bot.name),
        Sort.STRENGTH: Strength.strength_milli,
        Sort.GAMES: LadderPlace.games,
        Sort.WINS: LadderPlace.wins * 1.0 / func.nullif(LadderPlace.games, 0),
        Sort.FAULTS: LadderPlace.faults,
    }
    down = (sort is not Sort.BOT) != reverse
    first = column[sort].desc() if down else column[sort].asc()
    if sort in (Sort.STRENGTH, Sort.WINS):  # elsewhere it would keep an index from being used
        first = first.nulls_last()
    return (first, LadderPlace.rating_milli.desc(), Bot.id)
