"""Times that lie too far ahead: the database's clock was set back after they were written."""

from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder.model.base import now
from ladder.model.bots import Version
from ladder.model.engine import execute, write
from ladder.model.jobs import Job, PartRow, Worker
from ladder.model.matches import Tournament
from ladder.model.packages import HostRow

LONGEST_LEASE: Final = timedelta(minutes=10)

_LONGEST_PAUSE: Final = timedelta(minutes=10)
_JUST_NOW: Final = timedelta(seconds=5)  # somebody else may have read the clock a little later
_Times = dict[InstrumentedAttribute[Any], timedelta]

_AHEAD: Final[_Times] = {
    Job.lease_until: LONGEST_LEASE,
    Job.not_before: _LONGEST_PAUSE,
    Job.sent_at: _JUST_NOW,
    Version.probe_at: _LONGEST_PAUSE,
    Version.looked_at: _JUST_NOW,
    Version.offline_since: _JUST_NOW,
    Version.unreached_since: _JUST_NOW,
    Tournament.waiting_since: _JUST_NOW,
    Worker.seen_at: _JUST_NOW,
    PartRow.seen_at: _JUST_NOW,
    HostRow.seen_at: _JUST_NOW,
}
"""How far each time may lie ahead of now; others of the same tables never make anybody wait."""


def draw_in(session: Session) -> int:
    """Set each time that lies further ahead than it may to now; return how many.

    Otherwise jobs, looks for bots, and what follows from a dead worker would wait for as long as
    the clock was set back. A lease becomes the longest: its worker may be alive, and renew it. The
    caller commits.
    """
    at = now(session)
    wrong = {column: column > at + ahead for column, ahead in _AHEAD.items()}
    found = session.execute(
        sa.select(*(sa.exists().where(condition) for condition in wrong.values()))
    ).one()
    if not any(found):
        return 0
    write(session)
    count = 0
    for column, condition in wrong.items():
        until = at + LONGEST_LEASE if column is Job.lease_until else at
        drawn = sa.update(column.class_).where(condition).values({column: until})
        count += execute(session, drawn).rowcount
    return count
