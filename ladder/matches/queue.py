"""The queue of matches: which may be played, with which clocks, and how the queue stands."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Exists, and_, case, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.jobs import attempts
from ladder.jobs.kinds import FULL
from ladder.matches import tables
from ladder.matches.states import JOB
from ladder.model import (
    Job,
    Ladder,
    Match,
    MatchKind,
    MatchState,
    Seat,
    Tournament,
    TournamentState,
    Version,
)
from referee.clock import Clock

SEEDS: Final = 2**63
"""The number of seeds that a signed 64-bit column holds."""
_SERIES: Final = (MatchKind.TOURNAMENT, MatchKind.LADDER)
_OWN: Final = aliased(Tournament)
_READY_SINCE: Final = case(
    (_OWN.started_at > Match.created_at, _OWN.started_at), else_=Match.created_at
)


@dataclass(frozen=True, slots=True)
class QueueState:
    """How the queue stands, for the operator.

    `queued` (without matches of tournaments that don't run) and `running` count by kind.
    `oldest_waiting` is how many seconds the match has waited that has waited longest, of those that
    may be played and that no bot owes; 0 if there is none. `failed` counts all matches that were
    ever given up.
    """

    queued: dict[MatchKind, int]
    running: dict[MatchKind, int]
    oldest_waiting: float
    failed: int


def queue_state(session: Session) -> QueueState:
    """Count what waits, runs and has failed."""
    at = model.now(session)
    counted = or_(
        Match.state.in_((MatchState.RUNNING, MatchState.FAILED)),
        and_(Match.state == MatchState.QUEUED, may_be_played()),
    )
    query = select(Match.state, Match.kind, func.count()).group_by(Match.state, Match.kind)
    rows = session.execute(query.where(counted))
    counts = Counter({(state, kind): count for state, kind, count in rows})
    oldest = session.scalar(
        select(func.min(_READY_SINCE))
        .select_from(Match)
        .join(Job, and_(Job.kind == JOB, Job.subject == Match.id))
        .outerjoin(_OWN, _OWN.id == Match.tournament_id)
        .where(
            Match.state == MatchState.QUEUED, or_(Job.not_before.is_(None), Job.not_before <= at)
        )
        .where(may_be_played(), ~exists().where(model.Debt.match_id == Match.id))
    )
    return QueueState(
        queued={kind: counts[MatchState.QUEUED, kind] for kind in MatchKind},
        running={kind: counts[MatchState.RUNNING, kind] for kind in MatchKind},
        oldest_waiting=(at - oldest).total_seconds() if oldest else 0.0,
        failed=sum(counts[MatchState.FAILED, kind] for kind in MatchKind),
    )


def may_be_played(match: type[Match] = Match) -> ColumnElement[bool]:
    """Return the condition that a match is of no tournament, or of one that runs."""
    runs = exists().where(
        Tournament.id == match.tournament_id, Tournament.state == TournamentState.RUNNING
    )
    return or_(match.tournament_id.is_(None), runs)


@cache
def waits_its_turn() -> ColumnElement[bool]:
    """Return the condition that a bot with one slot plays an older match before a challenge.

    Challenges take half of a bot's slots at most. One slot has no half, so there they wait for
    older matches of tournaments and ladders, but only for those that could begin now, with no
    version in FULL at their tables.
    """
    older, waits = _older()
    begins = or_(*(_could_begin(older, kind) for kind in _SERIES))
    return waits.where(begins).correlate(Match)


def _older() -> tuple[type[Match], Exists]:
    """Return another match, and the condition that it waits for its turn.

    It is older, and has a bot with one slot at its table that a match has, too.
    """
    own, its = aliased(Seat), aliased(Seat)
    only, older = aliased(Version), aliased(Match)
    same_bot = exists().where(
        own.match_id == Match.id,
        only.id == own.version_id,
        only.slots == 1,
        its.match_id == older.id,
        its.version_id == own.version_id,
        ~its.absent,
    )
    waits = older.kind.in_(_SERIES), older.state == MatchState.QUEUED, older.id < Match.id
    bots = same_bot.correlate(Match, older)
    return older, exists().where(*waits, bots, may_be_played(older))


def _could_begin(match: type[Match], kind: MatchKind) -> ColumnElement[bool]:
    """Return the condition that a match is of this kind, and its bots could play it now."""
    held_up = or_(Version.id.in_(FULL), ~tables.ready_for(kind), ~tables.can_start())
    return and_(match.kind == kind, ~tables.at_table(~Seat.absent, held_up, match=match))


def queue_unrated(
    session: Session, kind: MatchKind, table: Sequence[tuple[int, int]], asked_by: int | None = None
) -> Match:
    """Queue an unrated match, such as a trial or a challenge, on a layout of its own.

    It gets the clock of the ladder of its size. `table` holds (bot id, version id) by seat;
    `asked_by` is the user who asked for it. The caller has called `write`, and commits.
    """
    clock = clock_of(session.get_one(Ladder, len(table)))
    deal = model.Deal(layout_seed=secrets.randbelow(SEEDS))
    at = model.now(session)
    match = new_match(kind, deal, table, clock, at, rotation=0, rated=False, asked_by=asked_by)
    session.add(match)
    session.flush()
    attempts.enqueue(session, JOB, kind, [match.id])
    return match


def new_match(
    kind: MatchKind,
    deal: model.Deal,
    table: Sequence[tuple[int, int]],
    clock: Clock,
    at: datetime,
    **columns: Any,
) -> Match:
    """Make a queued match outside tournaments; `table` holds (bot id, version id) by seat."""
    return Match(
        deal=deal,
        kind=kind,
        seats=len(table),
        state=MatchState.QUEUED,
        **clock_columns(clock),
        created_at=at,
        table=[
            model.Seat(seat=seat, bot_id=bot_id, version_id=version_id)
            for seat, (bot_id, version_id) in enumerate(table)
        ],
        **columns,
    )


def clock_of(row: Any) -> Clock:
    """Read the clock from the columns of a row of matches, tournaments or ladders."""
    return Clock(
        row.move_limit_ms / 1000,
        row.bank_ms / 1000,
        row.increment_ms / 1000,
        row.start_up_ms / 1000,
    )


def clock_columns(clock: Clock) -> dict[str, int]:
    """Return a clock by column, in whole milliseconds: the inverse of `clock_of`."""
    return {f"{name}_ms": round(1000 * seconds) for name, seconds in asdict(clock).items()}
