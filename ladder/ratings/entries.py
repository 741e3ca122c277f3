"""Read what a ledger is folded from: its results, and its other entries, by number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from ladder.model import Bot, EntryKind, Match, MatchState, RatingChange, Seat
from ladder.ratings.stored import partitions

_TABLES: Final = (
    select(
        Match.result_number,
        Match.id,
        Match.seats,
        Seat.version_id,
        Seat.bot_id,
        Seat.rank,
        Seat.fault.is_not(None),
        Seat.tributes,
    )
    .join(Seat, Seat.match_id == Match.id)
    .where(Match.state == MatchState.FINISHED)
    .order_by(Match.result_number, Seat.seat)
)
_WAS_MISSED: Final = and_(~Match.rated, Match.reason == EntryKind.MISSED)

SeatRow = tuple[int, int, int, int, int, int, bool, str | None]
"""A seat of a rated result: result number, match, table size, version, bot, rank, True if it
faulted, and its tributes as stored."""


class LedgerEntry(NamedTuple):
    """A ledger entry other than a result; an inheritance is from version `old` to `new`.

    A missed match is one of the bot's version `new`.
    """

    number: int
    kind: EntryKind
    match_id: int
    bot_id: int
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class OtherEntries:
    """The entries other than results, the ids of pinned bots, and those of annulled matches.

    `missed` are the tables of missed matches, by match: only the bot that missed it has a rank.
    """

    entries: tuple[LedgerEntry, ...]
    pinned: frozenset[int]
    annulled: frozenset[int]
    missed: Mapping[int, Sequence[SeatRow]] = field(default_factory=dict)

    def continues(self, known: OtherEntries) -> bool:
        """Return True if a fold of those that were `known` can go on with these.

        It can't if an annulment came, which needs what is kept of its match, or a pin.
        """
        return self.entries[: len(known.entries)] == known.entries and (
            self.pinned,
            self.annulled,
        ) == (known.pinned, known.annulled)


def results(session: Session, *, after: int = 0) -> Iterator[list[list[SeatRow]]]:
    """Read the rated results by number, those above `after`, each a list of its seats.

    Yields many at a time.
    """
    left: list[SeatRow] = []
    for part in partitions(session, _TABLES.where(Match.rated, Match.result_number > after)):
        rows = [*left, *part]
        tables, start = [], 0
        while start < len(rows) and start + rows[start][2] <= len(rows):
            end = start + rows[start][2]
            tables.append(rows[start:end])
            start = end
        left = rows[start:]
        yield tables


def other_entries(session: Session) -> OtherEntries:
    """Read the entries other than results, the pinned bots, annulled and missed matches.

    What was missed follows from the matches, as the results do.
    """
    missed = _missed(session)
    change = RatingChange
    query = select(
        change.result_number,
        change.kind,
        change.match_id,
        change.bot_id,
        change.from_version_id,
        change.version_id,
    ).where(change.kind.not_in((EntryKind.RESULT, EntryKind.MISSED)))
    # An entry has a row for each ladder, an annulment also for each version: all say the same.
    entries = {_entry_of_row(*row) for row in session.execute(query)}
    annulled = select(Match.id).where(
        Match.annulled_at.is_not(None),
        Match.state == MatchState.FINISHED,
        or_(Match.rated, _WAS_MISSED),
    )
    every = sorted((*entries, *map(_entry_of, missed.values())))
    return OtherEntries(
        entries=tuple(every),
        pinned=frozenset(session.scalars(select(Bot.id).where(Bot.pinned))),
        annulled=frozenset(session.scalars(annulled)),
        missed=missed,
    )


def _entry_of_row(
    number: int, kind: EntryKind, match_id: int | None, bot_id: int, old: int | None, new: int
) -> LedgerEntry:
    """Return the entry of a row: an annulment is of no bot, and only an inheritance of versions."""
    if kind is EntryKind.ANNULMENT:
        return LedgerEntry(number, kind, match_id or 0, 0, 0, 0)
    if kind is EntryKind.PIN:
        return LedgerEntry(number, kind, 0, bot_id, 0, 0)
    return LedgerEntry(number, kind, match_id or 0, bot_id, old or 0, new)


def _missed(session: Session) -> dict[int, list[SeatRow]]:
    """Read the tables of missed matches, by match."""
    found: defaultdict[int, list[SeatRow]] = defaultdict(list)
    rows: Iterable[Any] = session.execute(_TABLES.where(_WAS_MISSED))
    for row in rows:
        found[row.id].append(tuple(row))
    return dict(found)


def _entry_of(table: Sequence[SeatRow]) -> LedgerEntry:
    """Return the entry of a missed match: that of the only seat with a rank."""
    number, match_id, _, version, bot_id, *_ = next(row for row in table if row[5])
    return LedgerEntry(number, EntryKind.MISSED, match_id, bot_id, 0, version)
