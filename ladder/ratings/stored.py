"""Read and write the tables that are counted from results, as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import text
from sqlalchemy.orm import Session

Numbers = npt.NDArray[np.int64]

KINDS: Final = ("result", "inheritance", "annulment", "pin")
"""Kinds of ledger entries; arrays hold their indexes."""
_KIND: Final = (
    "CASE kind "
    + " ".join(f"WHEN '{kind}' THEN {number}" for number, kind in enumerate(KINDS))
    + " END"
)
_PARTITION: Final = 50_000  # rows
_NULLABLE: Final = frozenset({"match_id", "from_version_id"})


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A table that a rebuild computes again: its key columns and its value columns."""

    name: str
    keys: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, the key's first."""
        return self.keys + self.values


CHANGES: Final = RatingTable(
    "rating_changes",
    ("result_number", "seats", "version_id"),
    ("bot_id", "kind", "match_id", "from_version_id", "before_milli", "after_milli"),
)
PLACES: Final = RatingTable(
    "ladder_places",
    ("seats", "version_id"),
    ("bot_id", "rating_milli", "games", "wins", "faults"),
)
MEETINGS: Final = RatingTable(
    "meetings",
    ("seats", "bot_id", "opponent_id"),
    ("games", "half_points", "expected_milli", "tributes", "faults"),
)
SEAT_TALLIES: Final = RatingTable(
    "seat_tallies", ("seats", "seat", "bot_id"), ("games", "win_twelfths")
)
NEIGHBOUR_TALLIES: Final = RatingTable(
    "neighbour_tallies", ("seats", "bot_id", "before_id"), ("games", "win_twelfths")
)


def read(session: Session, table: RatingTable) -> Numbers:
    """All rows of a table, (rows, columns), in no order; a kind is its number, NULL is 0."""
    wanted = ", ".join(map(_as_number, table.columns))
    return numbers(session, f"SELECT {wanted} FROM {table.name}", len(table.columns))


def numbers(session: Session, query: str, columns: int) -> Numbers:
    """(rows, columns): the rows of a query that has whole numbers in all its columns."""
    parts = [
        np.fromiter(chain.from_iterable(part), np.int64, columns * len(part))
        for part in partitions(session, query)
    ]
    return np.concatenate(parts or [np.empty(0, np.int64)]).reshape(-1, columns)


def partitions(session: Session, query: str) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a query, some ten thousands at a time, as the driver gives them.

    The next ones are fetched while these are worked on: PostgreSQL then works on another processor.
    """
    connection: Any = session.connection().connection
    named = session.get_bind().dialect.name == "postgresql"  # else all rows come at once
    made = connection.cursor("partitions", binary=True) if named else connection.cursor()
    with closing(made) as cursor:
        cursor.execute(query)
        if not named:  # SQLite's connections are for one thread
            while part := cursor.fetchmany(_PARTITION):
                yield part
            return
        with ThreadPoolExecutor(1) as fetcher:
            coming = fetcher.submit(cursor.fetchmany, _PARTITION)
            while part := coming.result():
                coming = fetcher.submit(cursor.fetchmany, _PARTITION)
                yield part


def write(session: Session, table: RatingTable, keys: list[tuple[int, ...]], rows: Numbers) -> None:
    """Replace the rows with these keys by `rows`."""
    connection = session.connection()
    own = " AND ".join(f"{key} = :{key}" for key in table.keys)
    columns = ", ".join(table.columns)
    values = ", ".join(f":{column}" for column in table.columns)
    if keys:
        gone = [dict(zip(table.keys, key, strict=True)) for key in keys]
        connection.execute(text(f"DELETE FROM {table.name} WHERE {own}"), gone)
    if len(rows):
        new = [_as_stored(table, row) for row in rows.tolist()]
        connection.execute(text(f"INSERT INTO {table.name} ({columns}) VALUES ({values})"), new)


def _as_number(column: str) -> str:
    if column == "kind":
        return _KIND
    return f"COALESCE({column}, 0)" if column in _NULLABLE else column


def _as_stored(table: RatingTable, row: list[int]) -> dict[str, int | str | None]:
    stored: dict[str, int | str | None] = dict(zip(table.columns, row, strict=True))
    for column in _NULLABLE & stored.keys():
        stored[column] = stored[column] or None
    if "kind" in stored:
        stored["kind"] = KINDS[row[table.columns.index("kind")]]
    return stored
