"""The base of all tables, the types of their columns, and the database's clock.

Leases and delays are measured by the database's clock alone: hosts' clocks differ.
"""

from collections.abc import Set
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator


class Timestamp(TypeDecorator[datetime]):
    """An aware datetime in UTC. SQLite stores no zone: it is removed and put back."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, _dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class _Stored(sa.Enum):
    """An enum whose values stand in the SQL of conditions as they are, not as parameters.

    SQLite plans a statement anew each time that it gets a parameter which tells if a partial index
    may be used, as with versions that are active. To plan a large one takes 1 ms.
    """

    class Comparator(sa.Enum.Comparator):
        type: sa.Enum

        def operate(self, op: Any, *other: Any, **options: Any) -> Any:
            return super().operate(op, *map(self._in_words, other), **options)

        def _in_words(self, other: Any) -> Any:
            if isinstance(other, tuple | list | Set):
                return [self._in_words(one) for one in other]
            is_value = isinstance(other, str) and other in self.type.enums
            return sa.literal_column(f"'{other}'") if is_value else other

    comparator_factory = Comparator


def stored(kind: type[StrEnum]) -> sa.Enum:
    """Return the type of a text column that holds the values of an enum, and nothing else."""
    return _Stored(
        kind,
        native_enum=False,
        create_constraint=False,  # each table has its own, under a name of ours
        length=None,
        values_callable=lambda _: [member.value for member in kind],
    )


def sql_list(kind: type[StrEnum]) -> str:
    """Return the values of an enum as SQL's IN wants them."""
    return "(" + ", ".join(f"'{member}'" for member in kind) + ")"


def index_where(
    condition: sa.TextClause, name: str, *columns: str, unique: bool = False
) -> sa.Index:
    """Return an index that holds only the rows that fulfil a condition, on either database."""
    return sa.Index(
        name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )


class Base(DeclarativeBase):
    """The base of every model; constraints get the same names on every database."""

    metadata = sa.MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar = {datetime: Timestamp}


class _Clock(FunctionElement[datetime]):
    """The time at which the database evaluates this part of a statement, in UTC."""

    type = Timestamp()
    inherit_cache = True


@compiles(_Clock, "sqlite")
def _of_sqlite(_element: _Clock, _compiler: Any, **_: Any) -> str:
    return "strftime('%Y-%m-%d %H:%M:%f', 'now')"


@compiles(_Clock, "postgresql")
def _of_postgresql(_element: _Clock, _compiler: Any, **_: Any) -> str:
    return "clock_timestamp()"


CLOCK: Final = _Clock()
"""The clock as a column of a query. Do not store it: SQLite would store too few digits."""
_NOW: Final = sa.select(CLOCK)


def now(session: Session) -> datetime:
    """Return the time by the database's clock, in UTC."""
    at = session.connection().execute(_NOW).scalar_one()
    assert isinstance(at, datetime)
    return at


def below(number: InstrumentedAttribute[int], limit: int | None) -> sa.ColumnElement[bool]:
    """Return the condition that a row's `number` is below a limit; None lets all rows pass."""
    return sa.true() if limit is None else number < limit
