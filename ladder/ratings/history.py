"""What the ratings follow from: results, inheritances, annulments, and who is pinned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Bot, Match, RatingChange
from ladder.ratings.stored import partitions

_SEATS: Final = """
SELECT m.result_number, m.id, m.seats, s.version_id, s.bot_id, s.rank,
       s.fault IS NOT NULL, s.tributes
FROM matches m JOIN seats s ON s.match_id = m.id
WHERE m.state = 'finished' AND m.rated
ORDER BY m.result_number, s.seat
"""

Seat = tuple[int, int, int, int, int, int, bool, str | None]
"""A seat of a rated result: result number, match, table size, version, bot, rank, whether it
faulted, and its tributes as stored."""

Tables = list[list[Seat]]


class Entry(NamedTuple):
    """An entry of the ledger that is no result. `old` and `new` are versions of an inheritance."""

    number: int
    kind: str
    match_id: int
    bot_id: int
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Others:
    """What orders the fold beside results. `annulled`: the matches that are marked so."""

    entries: tuple[Entry, ...]
    pinned: frozenset[int]
    annulled: frozenset[int]


def results(session: Session) -> Iterator[Tables]:
    """The rated results in the order of their numbers, each as its seats; many at a time."""
    left: list[Seat] = []
    for part in partitions(session, _SEATS):
        rows = [*left, *part]
        tables, start = [], 0
        while start < len(rows) and start + rows[start][2] <= len(rows):
            end = start + rows[start][2]
            tables.append(rows[start:end])
            start = end
        left = rows[start:]
        yield tables


def others(session: Session) -> Others:
    """The entries that are no results, in order; the anchors; the matches marked as annulled."""
    change = RatingChange
    query = (
        select(
            change.result_number,
            change.kind,
            change.match_id,
            change.bot_id,
            change.from_version_id,
            change.version_id,
        )
        .where(change.kind != "result")
        .order_by(change.result_number)
    )
    entries: dict[tuple[int, int], Entry] = {}
    for number, kind, match_id, bot_id, old, new in session.execute(query):
        # One entry has a row for each ladder, and an annulment one for each version.
        once = (number, match_id or bot_id)
        entries[once] = Entry(number, kind, match_id or 0, bot_id, old or 0, new)
    annulled = select(Match.id).where(
        Match.annulled_at.is_not(None), Match.state == "finished", Match.rated
    )
    return Others(
        entries=tuple(entries.values()),
        pinned=frozenset(session.scalars(select(Bot.id).where(Bot.pinned))),
        annulled=frozenset(session.scalars(annulled)),
    )
