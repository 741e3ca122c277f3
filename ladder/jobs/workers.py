"""The workers: which processes do jobs, how many each at once, and which are alive."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.model import SILENT, Upsert, execute, now, write

_FORGOTTEN: Final = timedelta(days=1)
_BEAT: Final = Upsert(model.Worker, replace=("places", "seen_at", "lag_ms"))


def beat(session: Session, name: str, *, places: int, lag_ms: int = 0) -> None:
    """Record a heartbeat; the first one registers the worker. The caller commits, here and below.

    `lag_ms`: the longest that its loop stood still since the last heartbeat.
    """
    write(session)
    at = now(session)
    row = {"name": name, "places": places, "started_at": at, "seen_at": at, "lag_ms": lag_ms}
    _BEAT.put(session, row)


def sign_off(session: Session, name: str) -> None:
    """Record that the worker begins no more jobs."""
    write(session)
    session.execute(update(model.Worker).where(model.Worker.name == name).values(stopping=True))


def living(session: Session) -> Sequence[model.Worker]:
    """Return the workers that do jobs, by name."""
    query = select(model.Worker).where(_living(now(session) - SILENT)).order_by(model.Worker.name)
    return session.scalars(query, execution_options={"populate_existing": True}).all()


def places(session: Session, at: datetime | None = None) -> int:
    """Return how many jobs the living workers can do at once. `at`: now, if the caller knows it."""
    since = (at or now(session)) - SILENT
    return int(execute(session, _PLACES, {"since": since}).scalar_one())


def forget(session: Session) -> None:
    """Delete the rows of workers that have been gone for a day."""
    write(session)
    gone = model.Worker.seen_at < now(session) - _FORGOTTEN
    session.execute(delete(model.Worker).where(gone))


def _living(since: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    return and_(model.Worker.seen_at > since, model.Worker.stopping.is_(False))


_PLACES: Final = select(func.coalesce(func.sum(model.Worker.places), 0)).where(
    _living(bindparam("since", type_=model.Timestamp))
)
"""Built once: every claim of the ladder needs it."""
