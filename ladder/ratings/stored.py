"""Read and write the tables that are counted from results, as columns of numbers."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Session

from ladder import model
from ladder.model import EntryKind, Match, MatchState, execute
from ladder.ratings.tallies import SUMS

Numbers = npt.NDArray[np.int64]

KINDS: Final = tuple(EntryKind)
"""Kinds of ledger entries; arrays hold their indexes."""
_PARTITION: Final = 50_000  # rows
_NULLABLE: Final = frozenset({"match_id", "from_version_id"})


def counts_on_ladder(seats: int) -> sa.ColumnElement[bool]:
    """Return the condition that a match is rated on the ladder of a table size."""
    finished = Match.state == MatchState.FINISHED
    return sa.and_(finished, Match.seats == seats, Match.rated, Match.annulled_at.is_(None))


def newest_rated(seats: int, limit: int) -> sa.Subquery:
    """Select the ids of the newest `limit` matches that count on a ladder."""
    newest = sa.select(Match.id).where(counts_on_ladder(seats)).order_by(Match.id.desc())
    return newest.limit(limit).subquery()


def stored_strengths(session: Session, seats: int) -> dict[int, int]:
    """Return the strengths on a ladder, in thousandths of a point, by version."""
    row = model.Strength
    query = sa.select(row.version_id, row.strength_milli).where(row.seats == seats)
    return dict(session.execute(query).all())


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A table that a rebuild computes again: its key columns and its value columns."""

    model: type[DeclarativeBase]
    keys: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """The table's name in the database."""
        return str(self.model.__tablename__)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, the key's first."""
        return self.keys + self.values


def _tally(model: type[DeclarativeBase], *keys: str) -> RatingTable:
    return RatingTable(model, keys, SUMS[model])


CHANGES: Final = RatingTable(
    model.RatingChange,
    ("result_number", "seats", "version_id"),
    (
        "bot_id",
        "kind",
        "match_id",
        "from_version_id",
        "before_milli",
        "after_milli",
        "before_deviation_milli",
        "after_deviation_milli",
    ),
)
PLACES: Final = RatingTable(
    model.LadderPlace,
    ("seats", "version_id"),
    ("bot_id", "rating_milli", "deviation_milli", "games", "wins", "faults"),
)
MEETINGS: Final = _tally(model.MeetingTally, "seats", "bot_id", "opponent_id")
SEAT_TALLIES: Final = _tally(model.SeatTally, "seats", "seat", "bot_id")
NEIGHBOUR_TALLIES: Final = _tally(model.NeighbourTally, "seats", "bot_id", "before_id")


def read(session: Session, table: RatingTable) -> Numbers:
    """Return all rows of a table in no order, as (rows, columns); see `KINDS`; NULL becomes 0."""
    return numbers(session, sa.select(*[_as_number(table, column) for column in table.columns]))


def numbers(session: Session, query: sa.Select[*tuple[Any, ...]]) -> Numbers:
    """Return the rows of a query whose columns all hold whole numbers, as (rows, columns)."""
    width = len(query.selected_columns)
    parts = [
        np.fromiter(chain.from_iterable(part), np.int64, width * len(part))
        for part in partitions(session, query)
    ]
    return np.concatenate(parts or [np.empty(0, np.int64)]).reshape(-1, width)


def partitions(
    session: Session, query: sa.Select[*tuple[Any, ...]]
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield the rows of a query, some ten thousands at a time, as the driver gives them.

    The next rows are fetched while the caller works on these: PostgreSQL then works on another
    processor.
    """
    connection: Any = session.connection().connection
    dialect = session.get_bind().dialect
    statement = str(query.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
    if dialect.name == "postgresql":  # else all rows come at once
        cursor = connection.cursor("partitions", binary=True)
    else:
        cursor = connection.cursor()
    with closing(cursor), ThreadPoolExecutor(1) as fetcher:
        cursor.execute(statement)
        coming = fetcher.submit(cursor.fetchmany, _PARTITION)
        while part := coming.result():
            coming = fetcher.submit(cursor.fetchmany, _PARTITION)
            yield part


def replace(session: Session, table: RatingTable, before: Numbers, after: Numbers) -> None:
    """Replace the rows `before` by `after`, each in the order of its keys.

    If the keys are the same, only columns that differ are set: indexes of others stay.
    """
    width = len(table.keys)
    if np.array_equal(before[:, :width], after[:, :width]):
        _set_values(session, table, np.flatnonzero((before != after).any(axis=0)), after)
        return
    if len(before):
        keys = [dict(zip(_bound(table), row[:width], strict=True)) for row in before.tolist()]
        execute(session, sa.delete(table.model).where(*_own(table)), keys)
    if len(after):
        execute(session, sa.insert(table.model), [_as_stored(table, row) for row in after.tolist()])


def _set_values(session: Session, table: RatingTable, columns: Numbers, rows: Numbers) -> None:
    names = [table.columns[column] for column in columns]
    if not names:
        return
    values = []
    for row in rows.tolist():
        kept = _as_stored(table, row)
        keys = dict(zip(_bound(table), row[: len(table.keys)], strict=True))
        values.append(keys | {name: kept[name] for name in names})
    query = sa.update(table.model.__table__).where(*_own(table))  # type: ignore[arg-type]
    execute(session, query.values({name: sa.bindparam(name) for name in names}), values)


def _own(table: RatingTable) -> list[sa.ColumnElement[bool]]:
    """Return the conditions that a row has a key."""
    columns = table.model.__table__.c
    pairs = zip(table.keys, _bound(table), strict=True)
    return [columns[key] == sa.bindparam(bound) for key, bound in pairs]


def _bound(table: RatingTable) -> list[str]:
    """Return the parameters' names in the conditions that a row has a key."""
    return [f"of_{key}" for key in table.keys]


def _as_number(table: RatingTable, name: str) -> sa.ColumnElement[Any]:
    column = table.model.__table__.c[name]
    if name == "kind":
        return sa.case(*((column == kind, number) for number, kind in enumerate(KINDS)))
    return sa.func.coalesce(column, 0) if name in _NULLABLE else column


def _as_stored(table: RatingTable, row: list[int]) -> dict[str, int | str | None]:
    stored: dict[str, int | str | None] = dict(zip(table.columns, row, strict=True))
    for column in _NULLABLE & stored.keys():
        stored[column] = stored[column] or None
    if "kind" in stored:
        stored["kind"] = KINDS[row[table.columns.index("kind")]]
    return stored
