"""What is counted from rated results: meetings of bots, wins by seat and by the bot before.

Each result adds its table once, an annulment takes it away again; all by upserts on the keys of the
rows, so that it costs the same however many results there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from ladder.ratings import elo

TWELFTHS: Final = 12
"""A win in twelfths: a first rank that is shared by two, three or four is a whole number."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one bot did at a table, as far as the ladder counts it.

    `tributes`: how many things its visits to El Zorro took from each seat; empty for none.
    """

    bot_id: int
    version_id: int
    rank: int
    faulted: bool
    tributes: tuple[int, ...] = ()


def count(
    session: Session, table: Sequence[Ranked], pairs: Sequence[elo.Pair], sign: int = 1
) -> None:
    """Add a table by seat, whose `pairs` are those of its ratings; take it away by a sign of -1."""
    meetings = _meetings(table, pairs, sign)
    seats = _seats(table, sign)
    neighbours = _neighbours(table, sign)
    connection = session.connection()
    connection.execute(_ADD_MEETING, meetings)
    connection.execute(_ADD_SEAT, seats)
    connection.execute(_ADD_NEIGHBOUR, neighbours)
    if sign < 0:  # as if it had never been: a rebuild would not find these rows
        connection.execute(_DROP_MEETING, meetings)
        connection.execute(_DROP_SEAT, seats)
        connection.execute(_DROP_NEIGHBOUR, neighbours)


def half_points(rank: int, opponent: int) -> int:
    """Two for the better rank, one for a shared one."""
    return 2 * (rank < opponent) + (rank == opponent)


def expected_milli(pairs: Sequence[elo.Pair]) -> dict[tuple[int, int], int]:
    """What each seat may expect against each other, in thousandths of a point."""
    found = {}
    for strong, weak, expectation in pairs:
        found[strong, weak] = round(1000 * expectation)
        found[weak, strong] = 1000 - found[strong, weak]
    return found


def win_twelfths(ranks: Sequence[int]) -> list[int]:
    """The share of the win by seat: all of it, or a part where the first rank is shared."""
    share = TWELFTHS // max(1, ranks.count(1))
    return [share if rank == 1 else 0 for rank in ranks]


def _meetings(
    table: Sequence[Ranked], pairs: Sequence[elo.Pair], sign: int
) -> list[dict[str, int]]:
    expectations = expected_milli(pairs)
    return [
        {
            "seats": len(table),
            "bot_id": one.bot_id,
            "opponent_id": other.bot_id,
            "games": sign,
            "half_points": sign * half_points(one.rank, other.rank),
            "expected_milli": sign * expectations[seat, opponent],
            "tributes": sign * (one.tributes[opponent] if one.tributes else 0),
            "faults": sign * one.faulted,
        }
        for (seat, one), (opponent, other) in permutations(enumerate(table), 2)
    ]


def _seats(table: Sequence[Ranked], sign: int) -> list[dict[str, int]]:
    wins = win_twelfths([ranked.rank for ranked in table])
    return [
        {
            "seats": len(table),
            "seat": seat,
            "bot_id": ranked.bot_id,
            "games": sign,
            "win_twelfths": sign * win,
        }
        for seat, (ranked, win) in enumerate(zip(table, wins, strict=True))
    ]


def _neighbours(table: Sequence[Ranked], sign: int) -> list[dict[str, int]]:
    wins = win_twelfths([ranked.rank for ranked in table])
    return [
        {
            "seats": len(table),
            "bot_id": ranked.bot_id,
            "before_id": table[seat - 1].bot_id,
            "games": sign,
            "win_twelfths": sign * win,
        }
        for seat, (ranked, win) in enumerate(zip(table, wins, strict=True))
    ]


def _add(name: str, keys: Sequence[str], *sums: str) -> TextClause:
    columns: Any = (*keys, *sums)
    return text(
        f"INSERT INTO {name} ({', '.join(columns)}) "
        f"VALUES ({', '.join(f':{column}' for column in columns)}) "
        f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET "
        + ", ".join(f"{column} = {name}.{column} + excluded.{column}" for column in sums)
    )


def _drop(name: str, keys: Sequence[str]) -> TextClause:
    own = " AND ".join(f"{key} = :{key}" for key in keys)
    return text(f"DELETE FROM {name} WHERE {own} AND games = 0")


_MEETING: Final = ("bot_id", "opponent_id", "seats")
_SEAT: Final = ("seats", "seat", "bot_id")
_NEIGHBOUR: Final = ("seats", "bot_id", "before_id")
_ADD_MEETING: Final = _add(
    "meetings", _MEETING, "games", "half_points", "expected_milli", "tributes", "faults"
)
_ADD_SEAT: Final = _add("seat_tallies", _SEAT, "games", "win_twelfths")
_ADD_NEIGHBOUR: Final = _add("neighbour_tallies", _NEIGHBOUR, "games", "win_twelfths")
_DROP_MEETING: Final = _drop("meetings", _MEETING)
_DROP_SEAT: Final = _drop("seat_tallies", _SEAT)
_DROP_NEIGHBOUR: Final = _drop("neighbour_tallies", _NEIGHBOUR)
