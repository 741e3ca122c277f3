"""The report on a ladder's fairness: computed by the scheduler, stored, and shown as it is.

To make it takes as long as the ladder is large; to read it, one row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Bot, FairnessReport, User, now, write
from ladder.ratings import fairness
from ladder.ratings.fairness import (
    BotGames,
    NeighbourShare,
    PairRecord,
    QueueWait,
    SeatShare,
    WorkerRecord,
)
from ladder.ratings.ledger import newest

ENDS: Final = 8
"""Of long lists the report has so many from the beginning and the end."""
_PAIRS: Final = 20
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Report:
    """How fair the ladder of one table size was. What stands in it: see `ladder.ratings.fairness`.

    `before` has the bots that it is best, then worst, to move behind; `games` the bots with the
    fewest, then the most games; `bots` counts all that have any. `workers` are those of all table
    sizes together.
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
class Stored:
    """A report and when it was computed."""

    report: Report
    computed_at: datetime


def make(session: Session, seats: int) -> Report:
    """The report as things stand now."""
    games = fairness.games_per_bot(session, seats)
    before = fairness.by_neighbour(session, seats) if seats > 2 else []
    return Report(
        seats=seats,
        by_seat=tuple(fairness.by_seat(session, seats)),
        before=_ends(before),
        games=_ends(games),
        bots=len(games),
        queue_wait=fairness.queue_wait(session, seats),
        workers=tuple(fairness.workers(session)),
        pairs=tuple(fairness.pairs(session, seats, limit=_PAIRS)),
    )


def keep(session: Session, seats: int) -> bool:
    """Compute and store the report; False where no result is new since the last time.

    Reads in one transaction, which it ends, then writes; the caller commits. So the session must be
    one of its own.
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
            report=json.dumps(_kept(report)),
            last_result=last,
            computed_at=now(session),
        )
    )
    session.flush()
    return True


def stored(session: Session, seats: int) -> Stored | None:
    """The newest report; None before the first."""
    row = session.get(FairnessReport, seats, populate_existing=True)
    if row is None:
        return None
    told: dict[str, Any] = json.loads(row.report)
    wait = told["queue_wait"]
    report = Report(
        seats=told["seats"],
        by_seat=_rows(SeatShare, told["by_seat"]),
        before=_rows(NeighbourShare, told["before"]),
        games=_games(session, told["games"]),
        bots=told["bots"],
        queue_wait=QueueWait(**wait) if wait else None,
        workers=_rows(WorkerRecord, told["workers"]),
        pairs=_rows(PairRecord, told["pairs"]),
    )
    return Stored(report, row.computed_at)


def _kept(report: Report) -> dict[str, Any]:
    """Without the names of authors: who leaves is not to be found here either."""
    told = asdict(report)
    for row in told["games"]:
        del row["author"]
    return told


def _games(session: Session, told: list[dict[str, Any]]) -> tuple[BotGames, ...]:
    """With the authors as they are called now."""
    query = select(Bot.id, User.name).join(User, User.id == Bot.user_id)
    named = dict(session.execute(query.where(Bot.id.in_([row["bot_id"] for row in told]))).all())
    return tuple(BotGames(**{**row, "author": named[row["bot_id"]]}) for row in told)


def _rows(kind: type[_Row], told: list[dict[str, Any]]) -> tuple[_Row, ...]:
    return tuple(kind(**row) for row in told)


def _ends(rows: Sequence[_Row]) -> tuple[_Row, ...]:
    """All of a short list, the first and the last of a long one."""
    return tuple(rows) if len(rows) <= 2 * ENDS else (*rows[:ENDS], *rows[-ENDS:])
