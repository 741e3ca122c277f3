"""The database's clock: the one clock that leases and delays are measured by."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from ladder.model.models.base import Timestamp


class _Clock(FunctionElement[datetime]):
    """The time at which the database comes to this place of a statement, in UTC."""

    type = Timestamp()
    inherit_cache = True


@compiles(_Clock, "sqlite")
def _of_sqlite(_element: _Clock, _compiler: Any, **_: Any) -> str:
    return "strftime('%Y-%m-%d %H:%M:%f', 'now')"


@compiles(_Clock, "postgresql")
def _of_postgresql(_element: _Clock, _compiler: Any, **_: Any) -> str:
    return "clock_timestamp()"


CLOCK: Final = _Clock()
"""A column of a query. Not a value to write: SQLite would keep it in fewer digits than others."""
_NOW: Final = select(CLOCK)


def now(session: Session) -> datetime:
    """The time by the database's clock, in UTC."""
    at = session.connection().execute(_NOW).scalar_one()
    assert isinstance(at, datetime)
    return at
