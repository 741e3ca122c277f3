"""The match as a job: what an attempt at one needs, and what becomes of one that came to nothing.

An interruption is no failure: the match goes back into the queue. How a match is won stands in
`results`.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, bindparam, exists, or_, select, update
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Parties, Queue, Wanted
from ladder.jobs.kinds import Kind as JobKind
from ladder.matches import tables
from ladder.matches.durations import clock_of
from ladder.matches.follow_ups import follow_ups
from ladder.matches.forfeiting import forfeit, waited_out
from ladder.matches.kinds import Kind
from ladder.matches.settling import settle
from ladder.matches.states import JOB, match_move, move_match, state_of_match
from ladder.matches.tables import Player
from ladder.model import (
    Bot,
    Deal,
    Job,
    Match,
    MatchState,
    Seat,
    Timestamp,
    Tournament,
    TournamentState,
    execute,
    now,
)
from ladder.ratings import ledger
from referee import metrics
from referee.clock import Clock

_log = logging.getLogger(__name__)

ALONE_FROM: Final = 2
"""A match that was interrupted so often is played with nothing beside it in its process."""
INTERRUPTIONS: Final = 5
"""A match that was interrupted so often, while nothing else was played in its process, is given up.

Before that it may have suffered from what was played beside it."""

_DELAYS: Final = (5, 10, 20, 40, 60)
"""Seconds until a tournament's match, which could not begin, may be tried again."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at a match: the right to play it, and all that is needed to do so.

    `players` are by seat. The dice are no part of it: the worker draws them, and they stay in its
    memory.
    """

    held: Attempt
    layout_seed: int
    clock: Clock
    players: tuple[Player, ...]

    @property
    def match_id(self) -> int:
        """The match that is played."""
        return self.held.subject

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1."""
        return self.held.number


class Matches(JobKind[Claim]):
    """Matches, in a queue for each kind of them.

    What goes before tournaments takes but a part of the places: else it could hold them up.
    """

    name = JOB
    queues = (
        Queue(Kind.VALIDATION, part=10),
        Queue(Kind.CHALLENGE, part=4),
        Queue(Kind.TOURNAMENT),
        Queue(Kind.LADDER, shared=True),
    )

    def waits(self, queue: Queue) -> ColumnElement[bool]:  # noqa: ARG002
        return _queued(goes_on())

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:
        busy = exists().where(Seat.match_id == Match.id, Seat.bot_id.in_(full))
        return _queued(goes_on(), ~busy, ~tables.absent(Kind(queue.name)))

    def parties(self, session: Session, queue: Queue, subjects: Sequence[int]) -> Parties:
        found = tables.guests(session, Kind(queue.name), subjects)
        return {match_id: tables.parties(table) for match_id, table in found.items()}

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:
        return dict(session.execute(select(Bot.id, Bot.slots).where(Bot.id.in_(parties))).all())

    def wanted(self, session: Session, subject: int) -> Wanted[Claim] | None:
        row = execute(session, _WANTED, {"match_id": subject}).one_or_none()
        if row is None:
            return None
        table = tables.seated(session, subject, Kind(row.kind))
        players = tuple(player for player, _ in table)
        return Wanted(
            longest=clock_of(row).longest_match(len(players)),
            begin=partial(_begin, session, row, players),
            parties=tables.parties([guest for _, guest in table]),
            alone=row.interruptions >= ALONE_FROM,
        )

    def give_back(self, session: Session, claim: Claim) -> None:
        give_back(session, claim)

    def fail(self, session: Session, claim: Claim, why: str) -> None:
        metrics.INTERRUPTIONS.labels("failure").inc()
        interrupt(session, claim, why)

    def note_lag(self, session: Session, claim: Claim, lag_ms: int) -> None:
        attempt = {"of_match": claim.match_id, "of_attempt": claim.attempt, "lag_ms": lag_ms}
        execute(session, _NOTE_LAG, attempt)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:
        _interrupted(session, attempt, f"worker {worker} gave no more sign of life")

    def lock(self, session: Session) -> None:
        ledger.lock(session)


MATCHES: Final = Matches()


def give_back(session: Session, claim: Claim) -> None:
    """Put the match back, to be played at once: its worker stops in good order. Raises Stale."""
    ledger.lock(session)
    _again(session, claim.held)


def interrupt(session: Session, claim: Claim, why: str) -> MatchState:
    """The platform failed during the attempt: the match is played again, or given up.

    Returns the new state; raises Stale. Must have its transaction for itself.
    """
    ledger.lock(session)
    return _interrupted(session, claim.held, why)


def unreachable(session: Session, claim: Claim, seat: int, why: str) -> MatchState:
    """A bot could not be reached before it accepted: it is offline, and nothing was played.

    In a tournament the match waits for it until the grace time has passed; else it is cancelled.
    Returns the new state; raises Stale. Must have its transaction for itself.
    """
    match = locked(session, claim.held)
    player = claim.players[seat]
    since = follow_ups().missed(session, player, why)
    at = now(session)
    tournament = match.tournament
    if tournament is None:
        _tell_author(session, match.id, seat, why)
        sentence = f"{player.name} {player.version} could not be reached"
        return _end(
            session, match.id, MatchState.CANCELLED, sentence, unreached=match.unreached + 1
        )
    delay = _DELAYS[min(match.unreached, len(_DELAYS) - 1)]
    later = at + timedelta(seconds=delay)
    _again(session, claim.held, not_before=later, unreached=match.unreached + 1)
    runs = tournament.state == TournamentState.RUNNING  # while it is paused nobody's time passes
    if runs and waited_out(since, tournament.waiting_since, tournament.grace_ms, at):
        forfeit(session, match.id, [seat])
    return state_of_match(session, match.id)


def goes_on() -> ColumnElement[bool]:
    """Whether a match is of no tournament, or of one that runs."""
    runs = exists().where(
        Tournament.id == Match.tournament_id, Tournament.state == TournamentState.RUNNING
    )
    return or_(Match.tournament_id.is_(None), runs)


def locked(session: Session, attempt: Attempt) -> Match:
    """The match, with all locks that giving it up needs; raises Stale."""
    ledger.lock(session)
    attempts.confirm(session, attempt)
    return session.get_one(Match, attempt.subject, with_for_update=True, populate_existing=True)


def _begin(
    session: Session,
    row: Row[Any],
    players: tuple[Player, ...],
    attempt: Attempt,
    worker: str,
    at: datetime,
) -> Claim:
    taken = {"of_match": row.id, "number": attempt.number, "worker": worker, "at": at}
    execute(session, _TAKE, taken)
    return Claim(attempt, row.layout_seed, clock_of(row), players)


def _queued(*where: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether the match of a job waits, and fulfils `where`."""
    return exists().where(
        Job.kind == JOB, Match.id == Job.subject, Match.state == MatchState.QUEUED, *where
    )


def _tell_author(session: Session, match_id: int, seat: int, why: str) -> None:
    """For the log of the bot alone: what everybody reads holds no address."""
    session.execute(
        update(Seat).where(Seat.match_id == match_id, Seat.seat == seat).values(fault_sentence=why),
        execution_options={"synchronize_session": False},
    )


def _interrupted(session: Session, attempt: Attempt, why: str) -> MatchState:
    match = locked(session, attempt)
    times = match.interruptions + 1
    alone = match.interruptions_alone + attempt.alone
    counted: dict[str, Any] = {"interruptions": times, "interruptions_alone": alone}
    if alone < INTERRUPTIONS:
        return _again(session, attempt, **counted)
    sentence = f"interrupted {times} times, {alone} times alone; the last time because {why}"
    _log.error("match %d is given up: %s", match.id, sentence)
    return _end(session, match.id, MatchState.FAILED, sentence, **counted)


def _again(
    session: Session, attempt: Attempt, *, not_before: datetime | None = None, **values: Any
) -> MatchState:
    move_match(
        session, MatchState.RUNNING, MatchState.QUEUED, Match.id == attempt.subject, **values
    )
    attempts.release(session, attempt, not_before=not_before)
    return MatchState.QUEUED


def _end(
    session: Session, match_id: int, state: MatchState, reason: str, **values: Any
) -> MatchState:
    at = now(session)
    own = Match.id == match_id
    move_match(session, MatchState.RUNNING, state, own, reason=reason, finished_at=at, **values)
    settle(session, match_id, finished=False, at=at)
    return state


# Built once: to build a statement takes longer than to execute it.
_COLUMNS: Final[tuple[Any, ...]] = (
    Match.id,
    Match.kind,
    Match.interruptions,
    Match.move_limit_ms,
    Match.bank_ms,
    Match.increment_ms,
    Match.start_up_ms,
    Deal.layout_seed,
)
_WANTED: Final = (
    select(*_COLUMNS)
    .join(Deal, Deal.id == Match.deal_id)
    .where(Match.id == bindparam("match_id"), Match.state == MatchState.QUEUED, goes_on())
    .with_for_update(of=Match)
)
"""The match, locked, if it may be played now."""
_TAKE: Final = match_move(
    MatchState.QUEUED,
    MatchState.RUNNING,
    Match.id == bindparam("of_match"),
    attempt=bindparam("number"),
    claimed_by=bindparam("worker"),
    started_at=bindparam("at", type_=Timestamp),
)
_NOTE_LAG: Final = (
    update(Match.__table__)  # type: ignore[arg-type]
    .where(Match.id == bindparam("of_match"), Match.attempt == bindparam("of_attempt"))
    .values(lag_ms=bindparam("lag_ms"))
)
