"""The result of a match: written once, in one transaction, with all that follows from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Final

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from ladder import bots, ledger
from ladder.database import models, now
from ladder.database.models import Bot, Match, Seat
from ladder.matches.claims import Claim, holds, stale
from ladder.matches.settling import settle
from ladder.matches.states import State, move

_WRITE_SEAT: Final = update(Seat.__table__).where(  # type: ignore[arg-type]
    Seat.match_id == bindparam("of_match"), Seat.seat == bindparam("at_seat")
)
"""With the columns that are given."""
_RATED: Final = (
    select(Seat.bot_id, Seat.version_id, Bot.faulted_in_a_row)
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Match, Match.id == Seat.match_id)
    .where(Match.id == bindparam("match_id"), Match.rated)
    .order_by(Seat.seat)
)
"""Who is at the table of a rated match; built once, as every result needs it."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat did: rank from 1, ties shared; no `vp` after a forfeit; the code of a fault.

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
    """What a played match leaves: its seats in order, why it ended, and the replay file.

    `tributes`: (seat of the taker, seat of the giver, how many things El Zorro got it).
    """

    seats: tuple[SeatResult, ...]
    reason: str
    replay: bytes = field(repr=False)
    tributes: tuple[tuple[int, int, int], ...] = ()

    def taken_by(self, seat: int) -> tuple[int, ...]:
        """How many things a seat took from each seat by El Zorro; empty for none."""
        taken = [0] * len(self.seats)
        for taker, giver, number in self.tributes:
            taken[giver] += number if taker == seat else 0
        return tuple(taken) if any(taken) else ()


def finish(session: Session, claim: Claim, result: Result) -> int:
    """Write result, replay, ratings and counts; the result's number in the gap-free order.

    The same attempt may tell it again and gets the same number; any other attempt is refused
    (Stale). Must have its transaction for itself; the caller commits.
    """
    if len(result.seats) != len(claim.players):
        raise ValueError(f"{len(result.seats)} results for {len(claim.players)} seats")
    book = ledger.lock(session)
    number, at = book.last_result + 1, now(session)
    if not move(
        session,
        State.RUNNING,
        State.FINISHED,
        holds(claim),
        result_number=number,
        reason=result.reason,
        finished_at=at,
    ):
        return _told_before(session, claim)
    book.last_result = number
    session.add(models.Replay(match_id=claim.match_id, data=result.replay))
    _write_seats(session, claim, result)
    _rate(session, claim, result, number)
    settle(session, claim.match_id, finished=True, at=at)
    return number


def _told_before(session: Session, claim: Claim) -> int:
    query = select(Match.result_number).where(
        Match.id == claim.match_id, Match.attempt == claim.attempt, Match.token == claim.token
    )
    number = session.scalar(query)
    if number is None:
        raise stale(claim)
    return number


def _write_seats(session: Session, claim: Claim, result: Result) -> None:
    rows = [
        {
            "of_match": claim.match_id,
            "at_seat": seat,
            "tributes": " ".join(map(str, result.taken_by(seat))) or None,
            **asdict(done),
        }
        for seat, done in enumerate(result.seats)
    ]
    session.connection().execute(_WRITE_SEAT, rows)


def _rate(session: Session, claim: Claim, result: Result, number: int) -> None:
    players = session.execute(_RATED, {"match_id": claim.match_id}).all()
    if not players:
        return  # it is not rated
    table = [
        ledger.Ranked(bot_id, version_id, done.rank, done.fault is not None, result.taken_by(seat))
        for seat, ((bot_id, version_id, _), done) in enumerate(
            zip(players, result.seats, strict=True)
        )
    ]
    ledger.record(session, claim.match_id, number, table)
    if any(one.faulted for one in table) or any(in_a_row for _, _, in_a_row in players):
        bots.conduct(session, [(one.bot_id, one.version_id, one.faulted) for one in table])
