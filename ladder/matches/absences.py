"""Absent bots: a match with one at its table waits for it or is cancelled.

So is a match outside tournaments whose hosted bots no host takes together.

A match of the ladder waits for as long as the bot owes it: see `debts` and `misses`. Those of
tournaments that wait for too long are given up in `ladder.contests.tournaments.forfeits`.
"""

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.matches import misses, tables
from ladder.matches.job import MatchClaim, call_later, end_without_result, locked
from ladder.matches.misses import Call
from ladder.matches.states import follow_ups, move_match
from ladder.model import Match, MatchKind, MatchState, Seat
from ladder.ratings import ledger


def not_accepted(session: Session, claim: MatchClaim, seat: int, call: Call) -> MatchState:
    """Settle a claim whose bot in `seat` did not accept the game when called: it is offline.

    A match of the ladder is owed, one of a tournament waits for the bot; others are cancelled.
    `call.why` goes to the bot's author alone: what everybody reads holds no address. Returns the
    new state; raises Stale. Must have its transaction for itself.
    """
    match = locked(session, claim.held)
    if match.kind == MatchKind.LADDER:
        return misses.missed(session, claim, match, seat, call)
    player = claim.players[seat]
    own = update(Seat).where(Seat.match_id == match.id, Seat.seat == seat)
    if call.ours:
        follow_ups().lost(session, player)
    else:
        follow_ups().missed(session, player, call.why)
        model.execute(session, own.values(misses=Seat.misses + 1))
    if match.tournament is None:
        model.execute(session, own.values(fault_sentence=call.why))
        sentence = f"{player.name} {player.version} could not be reached"
        return end_without_result(
            session, match.id, MatchState.CANCELLED, sentence, unreached=match.unreached + 1
        )
    return call_later(session, claim.held, match)


def withdraw(session: Session) -> int:
    """Cancel the queued matches that can't begin as things are; return how many.

    They are challenges that a bot away holds up, and tables of hosted bots of which each has a
    host, but all together none. Must have its transaction for itself; the caller commits.
    """
    away = and_(Match.kind == MatchKind.CHALLENGE, tables.absent(MatchKind.CHALLENGE))
    return _cancel(
        session, away, "A bot at the table could not be reached, or plays no more."
    ) + _cancel(session, _apart(), "No host has the runtimes of all hosted bots at the table.")


def _apart() -> ColumnElement[bool]:
    """Return the condition that each bot of a match has a host, but all together have none."""
    alone = ~tables.at_table(tables.needs_host(), ~tables.has_runtime())
    return and_(Match.kind != MatchKind.TOURNAMENT, ~tables.at_one_host(some_day=True), alone)


def _cancel(session: Session, which: ColumnElement[bool], reason: str) -> int:
    """Cancel these matches, if they are queued; return how many."""
    if _first(session, which) is None:
        return 0
    ledger.lock(session)  # as all do who cancel several matches
    at = model.now(session)
    return move_match(
        session, MatchState.QUEUED, MatchState.CANCELLED, which, reason=reason, finished_at=at
    )


def _first(session: Session, which: ColumnElement[bool]) -> int | None:
    queued = Match.state == MatchState.QUEUED
    return session.scalar(select(Match.id).where(queued, which).limit(1))
