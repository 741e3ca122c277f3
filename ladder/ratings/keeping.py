"""Keeps strengths and reports of all ladders up to date, beside the scheduler's other duties."""

from __future__ import annotations

import logging
from threading import Event
from time import monotonic
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.pairings.tables import TABLE_SIZES
from ladder.ratings import reports
from ladder.ratings.strength import compute

PAUSE: Final = 60.0
"""Seconds between two rounds, at least."""

_SHARE: Final = 9.0  # pauses are so many times as long as the work before them
_log = logging.getLogger(__name__)


def keep_strengths(
    sessions: sessionmaker[Session], stopped: Event, *, pause: float = PAUSE
) -> None:
    """Compute strengths and the report of each ladder again and again, until `stopped` is set.

    For a thread of its own: on a ladder with a million matches a round takes half a minute, and
    leases wait for nobody. A tenth of the time is spent on it at most.
    """
    while True:
        began = monotonic()
        for seats in TABLE_SIZES:
            if stopped.is_set():
                return
            _compute(sessions, seats)
            _report(sessions, seats)
        if stopped.wait(max(pause, _SHARE * (monotonic() - began))):
            return


def _compute(sessions: sessionmaker[Session], seats: int) -> None:
    try:
        with sessions() as session:
            computed = compute(session, seats)
            session.commit()
    except SQLAlchemyError as error:  # the database is away: the next round finds it back
        _log.warning("strengths of tables of %s could not be computed: %s", seats, error)
    else:
        if computed:
            _log.info(
                "strengths of %s versions from %s matches at tables of %s",
                computed.versions,
                computed.matches,
                seats,
            )


def _report(sessions: sessionmaker[Session], seats: int) -> None:
    try:
        with sessions() as session:
            reports.keep(session, seats)
            session.commit()
    except SQLAlchemyError as error:
        _log.warning("the report on tables of %s could not be made: %s", seats, error)
