"""The match as a job: what an attempt needs, and what follows if it ends without a result.

An interruption is no failure: the match goes back into the queue. See `results` for an attempt that
succeeds, and `misses` for bots that are away. What settles an attempt must have its transaction
for itself.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, bindparam, exists, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.jobs import attempts
from ladder.jobs.kinds import ALONE_FROM, FULL, Attempt, Kind, Needs, Parties, Queue
from ladder.matches import debts, lanes, tables
from ladder.matches.queue import clock_of, may_be_played, waits_its_turn
from ladder.matches.states import JOB, match_move, move_match, settle
from ladder.model import Deal, Entry, Job, Match, MatchKind, MatchState, Seat, Timestamp, Version
from ladder.ratings import ledger
from referee import metrics
from referee.clock import LONGEST_WAIT, Clock

_log = logging.getLogger(__name__)

_PAUSES: Final = (5, 10, 20, 40, 60)
"""Seconds until a match may be tried again, by the tries so far that came to nothing."""
INTERRUPTIONS: Final = 5
"""After this many interruptions while it was played alone a match is given up.

Other interruptions don't count: it may have suffered from what was played beside it."""
_LOST_HOSTS: Final = 6
"""After this many interruptions a match is played alone, though it was its host that was lost.

A worker that plays alone keeps all others waiting, and is no safer from that."""


@dataclass(frozen=True, slots=True)
class MatchClaim:
    """The right to make one attempt at a match, and all that is needed to play it.

    `players` are by seat. The dice are not in it: the worker draws them and keeps them in memory.
    """

    held: Attempt
    layout_seed: int
    clock: Clock
    players: tuple[tables.Player, ...]
    absent: frozenset[int] = frozenset()
    """The seats that a caretaker plays from the start."""

    @property
    def match_id(self) -> int:
        """The match that is played."""
        return self.held.subject

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1."""
        return self.held.number


class Matches(Kind[MatchClaim]):
    """Matches as jobs, in a queue for each kind of match.

    Those that go before tournaments take only a part of the places, so as not to hold them up.
    """

    name = JOB
    queues = (
        Queue(MatchKind.VALIDATION, part=10),
        Queue(MatchKind.CHALLENGE, part=4),
        Queue(MatchKind.TOURNAMENT),
        Queue(MatchKind.LADDER, shared=True),
    )

    def waits(self) -> ColumnElement[bool]:
        return _queued(may_be_played())

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:
        kind = MatchKind(queue.name)
        return _fits(kind, has_lane=lanes.has_lane(full, kind))

    def parties(self, session: Session, queue: Queue, subjects: Sequence[int]) -> Parties:
        kind = MatchKind(queue.name)
        seated = tables.guests(session, kind, subjects)
        hosted = any(guest.hosted for table in seated.values() for guest in table)
        hosts = lanes.of_match(session, kind) if hosted else ()
        return {match_id: tables.parties(table, hosts, kind) for match_id, table in seated.items()}

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:
        found = model.execute(session, _SLOTS, {"versions": parties})
        return dict(found.all()) | lanes.slots(session)

    def needs(self, session: Session, subject: int) -> Needs[MatchClaim] | None:
        row = model.execute(session, _WANTED, {"match_id": subject}).one_or_none()
        if row is None:
            return None
        kind = MatchKind(row.kind)
        table = tables.seated(session, subject, kind)
        players = tuple(player for player, _ in table)
        absent = frozenset(seat for seat, (_, guest) in enumerate(table) if guest.absent)
        hosted = any(guest.hosted for _, guest in table)
        hosts = lanes.of_match(session, kind, lock=True) if hosted else ()
        return Needs(
            longest=_longest(clock_of(row), len(players), hosted=hosted),
            begin=partial(_begin, session, row, players, absent),
            parties=tables.parties([guest for _, guest in table], hosts, kind),
        )

    def give_back(self, session: Session, claim: MatchClaim) -> None:
        ledger.lock(session)
        _play_again(session, claim.held)

    def fail(self, session: Session, claim: MatchClaim, why: str) -> None:
        metrics.INTERRUPTIONS.labels("failure").inc()
        interrupt(session, claim, why)

    def lapse(self, session: Session, attempt: Attempt) -> None:
        _log.warning("match %d: worker %s sent no more heartbeats", attempt.subject, attempt.worker)
        _interrupted(session, attempt, "its worker sent no more heartbeats")

    def lock(self, session: Session) -> None:
        ledger.lock(session)


MATCHES: Final = Matches()


def _longest(clock: Clock, seats: int, *, hosted: bool) -> float:
    """Return the seconds that an attempt at a match may take at most.

    Hosted bots share processors. While one waits for its turn no clock runs, and the referee gives
    the match that much longer, up to LONGEST_WAIT. A lease that ended before would take a sound
    match from its worker; one whose worker has died ends without its heartbeats all the same.
    """
    return clock.longest_match(seats) + (LONGEST_WAIT if hosted else 0.0)


def interrupt(
    session: Session, claim: MatchClaim, why: str, *, lost_host: bool = False
) -> MatchState:
    """Queue the match of a failed attempt again, or give it up; return its state. Raises Stale.

    `lost_host`: the attempt failed since its host was lost.
    """
    return _interrupted(session, claim.held, why, lost_host=lost_host)


def put_off(session: Session, claim: MatchClaim) -> None:
    """Put a match back that found no host; nobody is to blame. Raises Stale.

    The pauses grow, and what is put off is counted, so that an operator sees hosts that are full.
    """
    metrics.INTERRUPTIONS.labels("no host").inc()
    ledger.lock(session)
    _play_again(session, claim.held, not_before=_later(session, claim.attempt - 1))


def locked(session: Session, attempt: Attempt) -> Match:
    """Return the match of the attempt, with all locks that giving it up needs. Raises Stale."""
    ledger.lock(session)
    attempts.confirm(session, attempt)
    return session.get_one(Match, attempt.subject, with_for_update=True, populate_existing=True)


def _play_again(
    session: Session,
    attempt: Attempt,
    *,
    not_before: datetime | None = None,
    alone: bool = False,
    **values: Any,
) -> MatchState:
    """Put the match of an attempt back into the queue; return its state. Raises Stale.

    It is played `alone` next, as it also is if it was. `values` are further columns to set. The
    ledger must be locked. A match is void and cancelled if a bot at its table has withdrawn from
    the tournament meanwhile.
    """
    if is_void(session, attempt.subject):
        attempts.confirm(session, attempt)
        reason = "A bot of it withdrew from the tournament"
        return end_without_result(session, attempt.subject, MatchState.CANCELLED, reason, **values)
    move_match(
        session, MatchState.RUNNING, MatchState.QUEUED, Match.id == attempt.subject, **values
    )
    attempts.release(session, attempt, not_before=not_before, alone=alone or attempt.alone)
    return MatchState.QUEUED


def call_later(session: Session, attempt: Attempt, match: Match) -> MatchState:
    """Put a match back whose bot did not accept it; the pauses until the next call grow.

    Returns its state. `match` must be locked, and the ledger too. Raises Stale.
    """
    later = _later(session, match.unreached)
    return _play_again(session, attempt, not_before=later, unreached=match.unreached + 1)


def _later(session: Session, tries: int) -> datetime:
    """Return when a match may be tried again after this number of tries before the last one."""
    pause = _PAUSES[min(tries, len(_PAUSES) - 1)]
    return model.now(session) + timedelta(seconds=pause)


def is_void(session: Session, match_id: int) -> bool:
    """Return True if a bot at the table of a match has withdrawn from its tournament."""
    return bool(model.execute(session, _IS_VOID, {"match_id": match_id}).scalar())


def end_without_result(
    session: Session, match_id: int, state: MatchState, reason: str, **values: Any
) -> MatchState:
    """Move a running match to this final state, without a result; return the state.

    `reason` is a sentence. The ledger must be locked.
    """
    at = model.now(session)
    own = Match.id == match_id
    move_match(session, MatchState.RUNNING, state, own, reason=reason, finished_at=at, **values)
    settle(session, match_id, finished=False)
    return state


def _begin(
    session: Session,
    row: Row[Any],
    players: tuple[tables.Player, ...],
    absent: frozenset[int],
    attempt: Attempt,
) -> MatchClaim:
    taken = {
        "of_match": row.id,
        "number": attempt.number,
        "worker": attempt.worker,
        "at": attempt.began,
    }
    model.execute(session, _TAKE, taken)
    return MatchClaim(attempt, row.layout_seed, clock_of(row), players, absent)


def _queued(*where: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that the match of a job waits and fulfils `where`.

    With the offset PostgreSQL looks at one match after the other, until enough are found; else it
    would join the seats of all matches that there are.
    """
    waits = Job.kind == JOB, Match.id == Job.subject, Match.state == MatchState.QUEUED
    return select(Match.id).where(*waits, *where).correlate(Job).offset(0).exists()


@cache
def _fits(kind: MatchKind, *, has_lane: bool) -> ColumnElement[bool]:
    """Return the condition that a match may be played now without the parties FULL."""
    busy = exists().where(Seat.match_id == Match.id, Seat.version_id.in_(FULL), ~Seat.absent)
    own = [~debts.held_back()] if kind is MatchKind.LADDER else []
    own += [~waits_its_turn()] if kind is MatchKind.CHALLENGE else []
    late = ~tables.can_start() if has_lane else tables.needs_host()
    ours = ~tables.at_table(~Seat.absent, late)
    own += ours, tables.at_one_host()
    return _queued(may_be_played(), ~busy, ~tables.absent(kind), *own)


def _interrupted(
    session: Session, attempt: Attempt, why: str, *, lost_host: bool = False
) -> MatchState:
    match = locked(session, attempt)
    times = match.interruptions + 1
    alone = match.interruptions_alone + attempt.alone
    counted: dict[str, Any] = {"interruptions": times, "interruptions_alone": alone}
    if alone < INTERRUPTIONS:
        next_alone = times >= (_LOST_HOSTS if lost_host else ALONE_FROM)
        return _play_again(session, attempt, alone=next_alone, **counted)
    sentence = f"interrupted {times} times, {alone} times alone; the last time because {why}"
    _log.error("match %d is given up: %s", match.id, sentence)
    return end_without_result(session, match.id, MatchState.FAILED, sentence, **counted)


# Built once: to build a statement takes longer than to execute it.
_COLUMNS: Final[tuple[Any, ...]] = (
    Match.id,
    Match.kind,
    Match.move_limit_ms,
    Match.bank_ms,
    Match.increment_ms,
    Match.start_up_ms,
    Deal.layout_seed,
)
_WANTED: Final = (
    select(*_COLUMNS)
    .join(Deal, Deal.id == Match.deal_id)
    .where(Match.id == bindparam("match_id"), Match.state == MatchState.QUEUED, may_be_played())
    .where(or_(Match.kind != MatchKind.LADDER, ~debts.held_back()))
    .with_for_update(of=Match)
)
"""The match, locked, if it may be played now."""
_SLOTS: Final = select(Version.id, Version.slots).where(
    Version.id.in_(bindparam("versions", expanding=True))
)
_IS_VOID: Final = select(
    exists().where(
        Match.id == bindparam("match_id"),
        Seat.match_id == Match.id,
        Entry.tournament_id == Match.tournament_id,
        Entry.bot_id == Seat.bot_id,
        Entry.state == model.EntryState.WITHDRAWN,
    )
)
_TAKE: Final = match_move(
    MatchState.QUEUED,
    MatchState.RUNNING,
    Match.id == bindparam("of_match"),
    attempt=bindparam("number"),
    claimed_by=bindparam("worker"),
    started_at=bindparam("at", type_=Timestamp),
)
