"""Write the result of a match: once, in one transaction, with all that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Row, bindparam, insert, select, update
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.jobs import attempts
from ladder.matches import tables
from ladder.matches.job import MatchClaim
from ladder.matches.reading import WITHOUT_GAME
from ladder.matches.states import follow_ups, match_move, settle
from ladder.model import Bot, Match, MatchState, Replay, Seat, Upsert, Version, execute
from ladder.ratings import ledger, tallies


@dataclass(frozen=True, slots=True)
class Written:
    """The stdout and stderr of the bot in a seat, its memory in bytes and CPU time in microseconds.

    None stands for what is not known, since the bot did not start.
    """

    seat: int
    output: bytes = field(repr=False)
    errors: bytes = field(repr=False, default=b"")
    peak_memory: int | None = None
    cpu_us: int | None = None


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat: rank from 1, ties shared; no `vp` after a forfeit; code of a fault.

    The rest is for the bot's author: what the referee said of the fault, what it had received, and
    how long the bot thought, by the referee's clock.
    """

    rank: int
    vp: int | None
    fault: str | None = None
    fault_sentence: str | None = None
    received: str | None = None
    decisions: int | None = None
    think_ms: int | None = None
    longest_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a played match: its seats in order, why it ended, and the replay file.

    `tributes` are (seat of the taker, seat of the giver, how many things El Zorro took).
    """

    seats: tuple[SeatResult, ...]
    reason: str
    replay: bytes = field(repr=False)
    tributes: tuple[tuple[int, int, int], ...] = ()
    written: tuple[Written, ...] = ()
    """The output of hosted bots."""

    def taken_by(self, seat: int) -> tuple[int, ...]:
        """Return how many things a seat took from each seat by El Zorro; empty if none."""
        taken = [0] * len(self.seats)
        for taker, giver, number in self.tributes:
            taken[giver] += number if taker == seat else 0
        return tuple(taken) if any(taken) else ()


def finish(session: Session, claim: MatchClaim, result: Result) -> int:
    """Write result, replay, ratings and counts; return the result's number in gap-free order.

    Reported again by the same attempt, it changes nothing and returns the same number; any other
    attempt is refused. Raises Stale. Must have its transaction for itself; the caller commits.
    """
    if len(result.seats) != len(claim.players):
        raise ValueError(f"{len(result.seats)} results for {len(claim.players)} seats")
    number = ledger.next_number(session)
    rows = execute(session, _TABLE, {"of_match": claim.match_id}).all()
    values = {
        "of_match": claim.match_id,
        "of_attempt": claim.attempt,
        "number": number,
        "why": result.reason,
        "at": rows[0].at,
        "lag_ms": claim.held.lag.milliseconds,
    }
    if not execute(session, _FINISH, values).rowcount:
        ledger.drop_number(session)
        return _written_before(session, claim)
    attempts.end(session, claim.held)
    _write_seats(session, claim.match_id, result)
    if claim.absent:
        execute(session, _UNRATE, {"of_match": claim.match_id})
    elif rows[0].rated:
        _rate(session, claim.match_id, number, sorted(rows, key=itemgetter(0)), result)
    if rows[0].tournament_id is not None:
        settle(session, claim.match_id, finished=True)
    _note_bots(session, claim, result, [row.version_id for row in rows if row.unreached_since])
    return number


def keep_written(session: Session, match_id: int, written: Iterable[Written]) -> None:
    """Keep what was written in the newest attempt at a match. The caller commits."""
    rows = [
        {
            "match_id": match_id,
            "seat": one.seat,
            "output": one.output,
            "errors": one.errors,
            "peak_memory": one.peak_memory,
            "cpu_ms": in_ms(one.cpu_us),
        }
        for one in written
    ]
    _KEEP.put(session, rows)


def in_ms(cpu_us: int | None) -> int | None:
    """Return a CPU time in milliseconds."""
    return None if cpu_us is None else round(cpu_us / 1000)


def annul(session: Session, match: Match, by: int | None, reason: str) -> None:
    """Take the result of a finished match out of all counts, by an entry of its own in the ledger.

    `by` is a user's id, None the operator; everybody can read the `reason`. The ledger must be
    locked, and the match not annulled before.
    """
    match.annulled_at, match.annulled_by, match.annul_reason = model.now(session), by, reason
    ledger.take_back(session, match.id)
    session.flush()


def _written_before(session: Session, claim: MatchClaim) -> int:
    query = select(Match.result_number).where(
        Match.id == claim.match_id,
        Match.attempt == claim.attempt,
        Match.reason.not_in(WITHOUT_GAME),
    )
    number = session.scalar(query)
    if number is None:
        raise claim.held.stale
    return number


def _write_seats(session: Session, match_id: int, result: Result) -> None:
    seats = [
        {
            "of_match": match_id,
            "at_seat": seat,
            "tributes": " ".join(map(str, result.taken_by(seat))) or None,
            **{name: getattr(done, name) for name in _KEPT},
        }
        for seat, done in enumerate(result.seats)
    ]
    execute(session, _WRITE_SEAT, seats)
    execute(session, _WRITE_REPLAY, {"match_id": match_id, "data": result.replay})


def _rate(
    session: Session, match_id: int, number: int, rows: Sequence[Row[Any]], result: Result
) -> None:
    table = [
        tallies.Ranked(
            row.bot_id, row.version_id, done.rank, done.fault is not None, result.taken_by(row.seat)
        )
        for row, done in zip(rows, result.seats, strict=True)
    ]
    pinned = {row.bot_id for row in rows if row.pinned}
    ledger.record(session, match_id, number, table, pinned)
    if any(one.faulted for one in table) or any(row.faulted_in_a_row for row in rows):
        follow_ups().rated(session, [(one.bot_id, one.version_id, one.faulted) for one in table])


def _note_bots(session: Session, claim: MatchClaim, result: Result, missed: Sequence[int]) -> None:
    """Record that the bots played a game to its end. `missed`: versions that were out of reach."""
    if missed:
        there = {p.version_id for seat, p in enumerate(claim.players) if seat not in claim.absent}
        back = sorted(there.intersection(missed))
        follow_ups().reached(session, back)
        execute(session, _EXPECT, {"of_match": claim.match_id, "versions": back})
    bot_ids = (player.bot_id for player in claim.players)
    thought = (seat.think_ms for seat in result.seats)
    tables.note_thinking(session, zip(bot_ids, thought, strict=True))


# Built once, and of tables: objects would take longer than the database.
_KEPT: Final = tuple(field.name for field in fields(SeatResult))
_WRITE_SEAT: Final = update(Seat.__table__).where(  # type: ignore[arg-type]
    Seat.match_id == bindparam("of_match"), Seat.seat == bindparam("at_seat")
)
"""Sets the columns that are given."""
_WRITE_REPLAY: Final = insert(Replay.__table__)  # type: ignore[arg-type]
_TABLE: Final = (
    select(
        Seat.seat,
        Seat.bot_id,
        Seat.version_id,
        Match.rated,
        Match.tournament_id,
        Bot.pinned,
        Version.faulted_in_a_row,
        Version.unreached_since,
        model.CLOCK.label("at"),
    )
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Version, Version.id == Seat.version_id)
    .join(Match, Match.id == Seat.match_id)
    .where(Match.id == bindparam("of_match"))
    .order_by(Bot.id)
    .with_for_update(key_share=True, of=Bot)
)
"""The bots at the table, and the time. Locks them, by id as claims do, before anything changes
them."""
_UNRATE: Final = (
    update(Match.__table__)  # type: ignore[arg-type]
    .where(Match.id == bindparam("of_match"))
    .values(rated=False)
)
"""For a match at which not all bots appeared."""
_OTHER: Final = aliased(Match)
_TOURNAMENT: Final = select(Match.tournament_id).where(Match.id == bindparam("of_match"))
_EXPECT: Final = (
    update(Seat.__table__)  # type: ignore[arg-type]
    .where(
        Seat.absent,
        Seat.version_id.in_(bindparam("versions", expanding=True)),
        Seat.match_id.in_(
            select(_OTHER.id).where(
                _OTHER.tournament_id == _TOURNAMENT.scalar_subquery(),
                _OTHER.state == MatchState.QUEUED,
            )
        ),
    )
    .values(absent=False)
)
"""Lets a tournament wait again for versions that were missed and have played."""
_FINISH: Final = match_move(
    MatchState.RUNNING,
    MatchState.FINISHED,
    Match.id == bindparam("of_match"),
    Match.attempt == bindparam("of_attempt"),
    result_number=bindparam("number"),
    reason=bindparam("why"),
    finished_at=bindparam("at"),
    lag_ms=bindparam("lag_ms"),
)
_KEEP: Final = Upsert(model.SeatOutput, replace=("output", "errors", "peak_memory", "cpu_ms"))
