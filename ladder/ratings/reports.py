"""Compute strengths and fairness reports in the background, and read the stored reports.

Making a report takes longer the more matches a ladder has; reading it takes one row.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from threading import Event
from time import monotonic
from typing import Any, Final, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.model import Bot, FairnessReport, User, now, write
from ladder.ratings import collusion, fairness, strength
from ladder.ratings.collusion import PairRecord
from ladder.ratings.elo import TABLE_SIZES
from ladder.ratings.fairness import BotGames, NeighbourShare, QueueWait, SeatShare, WorkerRecord
from ladder.ratings.ledger import newest

ENDS: Final = 8
"""Rows that a report takes from the start and from the end of a long list."""
PAUSE: Final = 60.0
"""Least seconds between two rounds of computing."""

_PAUSE_RATIO: Final = 9.0  # a pause lasts at least this many times as long as the round before it
_PAIRS: Final = 20
_log = logging.getLogger(__name__)
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class LadderReport:
    """How fair the ladder of one table size was; `ladder.ratings.fairness` explains the fields.

    `before` lists the bots that are best, then those that are worst to move behind; `games` the
    bots with the fewest, then those with the most games; `bots` counts all with any game. `workers`
    are those of all table sizes together.
    """

    seats: int
    by_seat: tuple[SeatShare, ...]
    before: tuple[NeighbourShare, ...]
    games: tuple[BotGames, ...]
    bots: int
    queue_wait: QueueWait | None
    workers: tuple[WorkerRecord, ...]
    pairs: tuple[PairRecord, ...]


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report and the time when it was computed."""

    report: LadderReport
    computed_at: datetime


def keep_current(sessions: sessionmaker[Session], stopped: Event, *, pause: float = PAUSE) -> None:
    """Compute the strengths and the report of each ladder again and again, until `stopped` is set.

    Runs in a thread of its own: with a million matches a round takes half a minute, longer than a
    lease lasts. At most a tenth of the time goes into computing. An error is logged and ends only
    the step in which it occurred; the next round tries again.
    """
    while True:
        began = monotonic()
        for seats in TABLE_SIZES:
            for name, step in (("strengths", _compute), ("report", refresh)):
                if stopped.is_set():
                    return
                _attempt(name, step, sessions, seats)
        if stopped.wait(max(pause, _PAUSE_RATIO * (monotonic() - began))):
            return


def make(session: Session, seats: int) -> LadderReport:
    """Compute the report on the ladder as it is now."""
    games = fairness.games_per_bot(session, seats)
    before = fairness.by_neighbour(session, seats) if seats > 2 else []
    return LadderReport(
        seats=seats,
        by_seat=tuple(fairness.by_seat(session, seats)),
        before=_ends(before),
        games=_ends(games),
        bots=len(games),
        queue_wait=fairness.queue_wait(session, seats),
        workers=tuple(fairness.workers(session)),
        pairs=tuple(collusion.pairs(session, seats, limit=_PAIRS)),
    )


def refresh(session: Session, seats: int) -> bool:
    """Compute and store the report; return False if there is no new result since the last one.

    Reads in one transaction, which it ends, then writes; the caller commits. So it needs a session
    of its own.
    """
    last = newest(session)
    known = session.scalar(select(FairnessReport.last_result).where(FairnessReport.seats == seats))
    report = None if last == (known or 0) else make(session, seats)
    session.rollback()
    if report is None:
        return False
    write(session)
    session.merge(
        FairnessReport(
            seats=seats,
            report=json.dumps(_without_authors(report)),
            last_result=last,
            computed_at=now(session),
        )
    )
    session.flush()
    return True


def newest_report(session: Session, seats: int) -> StoredReport | None:
    """Read the newest report; None if there is none yet."""
    row = session.get(FairnessReport, seats, populate_existing=True)
    if row is None:
        return None
    fields: dict[str, Any] = json.loads(row.report)
    wait = fields["queue_wait"]
    report = LadderReport(
        seats=fields["seats"],
        by_seat=_rows(SeatShare, fields["by_seat"]),
        before=_rows(NeighbourShare, fields["before"]),
        games=_games(session, fields["games"]),
        bots=fields["bots"],
        queue_wait=QueueWait(**wait) if wait else None,
        workers=_rows(WorkerRecord, fields["workers"]),
        pairs=_rows(PairRecord, fields["pairs"]),
    )
    return StoredReport(report, row.computed_at)


def _without_authors(report: LadderReport) -> dict[str, Any]:
    """Drop the names of authors: people who leave must not be found here either."""
    fields = asdict(report)
    for row in fields["games"]:
        del row["author"]
    return fields


def _games(session: Session, rows: list[dict[str, Any]]) -> tuple[BotGames, ...]:
    """Add the current names of the authors."""
    query = select(Bot.id, User.name).join(User, User.id == Bot.user_id)
    named = dict(session.execute(query.where(Bot.id.in_([row["bot_id"] for row in rows]))).all())
    return tuple(BotGames(**{**row, "author": named[row["bot_id"]]}) for row in rows)


def _rows(kind: type[_Row], rows: list[dict[str, Any]]) -> tuple[_Row, ...]:
    return tuple(kind(**row) for row in rows)


def _ends(rows: Sequence[_Row]) -> tuple[_Row, ...]:
    """Return all of a short list, the first and last ENDS of a long one."""
    return tuple(rows) if len(rows) <= 2 * ENDS else (*rows[:ENDS], *rows[-ENDS:])


def _compute(session: Session, seats: int) -> None:
    if computed := strength.compute(session, seats):
        _log.info(
            "computed strengths of %s versions from %s matches at tables of %s",
            computed.versions,
            computed.matches,
            seats,
        )


def _attempt(
    name: str,
    step: Callable[[Session, int], object],
    sessions: sessionmaker[Session],
    seats: int,
) -> None:
    try:
        with sessions() as session:
            step(session, seats)
            session.commit()
    except SQLAlchemyError as error:  # usually the database is down
        _log.warning("could not compute the %s for tables of %s: %s", name, seats, error)
    except Exception:  # the thread must outlive it: nobody starts another one
        _log.exception("could not compute the %s for tables of %s", name, seats)
