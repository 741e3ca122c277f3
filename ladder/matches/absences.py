"""Absent bots: a match with one at its table waits for it, is cancelled, or is forfeited.

A match of the ladder waits for as long as the bot owes it: see `debts` and `misses`.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import and_, select, update
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.matches import misses, tables
from ladder.matches.job import MatchClaim, end_without_result, locked, play_again
from ladder.matches.misses import Call
from ladder.matches.rows import ABSENT
from ladder.matches.states import follow_ups, move_match, settle
from ladder.model import (
    Bot,
    Entry,
    Match,
    MatchKind,
    MatchState,
    Seat,
    Tournament,
    TournamentState,
    Version,
    change_versions,
    execute,
    now,
)
from ladder.ratings import ledger

FAULT: Final = "absent"
"""The code of the fault of a bot that stayed away."""

_DELAYS: Final = (5, 10, 20, 40, 60)
"""Seconds until a tournament's match that could not begin may be tried again, by misses so far."""
_BATCH: Final = 50  # forfeits in one transaction
_MISSED: Final = (
    select(Version.unreached_since, Tournament.waiting_since, Tournament.grace_ms)
    .select_from(Entry)
    .join(Bot, Bot.id == Entry.bot_id)
    .join(Version, Version.id == Entry.version_id)
    .join(Tournament, Tournament.id == Entry.tournament_id)
    .where(Tournament.state == TournamentState.RUNNING, ~tables.ready_for(MatchKind.TOURNAMENT))
)
"""Entrants that are away: since when, and for how long they may be. There are far fewer entries
than matches, so this is asked first."""
_AWAY: Final = (
    select(
        Match.id,
        Seat.seat,
        Version.id,
        Version.unreached_since,
        Tournament.waiting_since,
        Tournament.grace_ms,
    )
    .join(Tournament, Tournament.id == Match.tournament_id)
    .join(Seat, Seat.match_id == Match.id)
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Version, Version.id == Seat.version_id)
    .where(
        Match.state == MatchState.QUEUED,
        Tournament.state == TournamentState.RUNNING,
        ~tables.ready_for(MatchKind.TOURNAMENT),
    )
    .order_by(Match.id)
)
"""Absent bots that hold up matches of tournaments: since when, and for how long they may."""


def unreachable(session: Session, claim: MatchClaim, seat: int, why: str) -> MatchState:
    """Settle a claim whose bot in `seat` gave no sign before it accepted: as `not_accepted`."""
    return not_accepted(session, claim, seat, Call(why))


def not_accepted(session: Session, claim: MatchClaim, seat: int, call: Call) -> MatchState:
    """Settle a claim whose bot in `seat` did not accept the game when called: it is offline.

    A match of the ladder is owed. In a tournament the match waits for the bot until the grace time
    has passed; else it is cancelled. `call.why` goes to the bot's author alone: what everybody
    reads holds no address. Returns the new state; raises Stale. Must have its transaction for
    itself.
    """
    match = locked(session, claim.held)
    if match.kind == MatchKind.LADDER:
        return misses.missed(session, claim, match, seat, call)
    player = claim.players[seat]
    since = follow_ups().missed(session, player, call.why)
    at = now(session)
    tournament, times = match.tournament, match.unreached
    if tournament is None:
        own = Seat.match_id == match.id, Seat.seat == seat
        execute(session, update(Seat).where(*own).values(fault_sentence=call.why))
        sentence = f"{player.name} {player.version} could not be reached"
        return end_without_result(
            session, match.id, MatchState.CANCELLED, sentence, unreached=times + 1
        )
    later = at + timedelta(seconds=_DELAYS[min(times, len(_DELAYS) - 1)])
    play_again(session, claim.held, not_before=later, unreached=times + 1)
    runs = tournament.state == TournamentState.RUNNING  # while it is paused nobody's time passes
    if runs and _waited_out(since, tournament.waiting_since, tournament.grace_ms, at):
        forfeit(session, match.id, [seat])
        return MatchState.FINISHED
    return MatchState.QUEUED


def withdraw(session: Session) -> int:
    """Cancel the queued challenges that a bot away holds up; return how many.

    Must have its transaction for itself; the caller commits.
    """
    queued = Match.state == MatchState.QUEUED
    away = and_(Match.kind == MatchKind.CHALLENGE, tables.absent(MatchKind.CHALLENGE))
    if session.scalar(select(Match.id).where(queued, away).limit(1)) is None:
        return 0
    ledger.lock(session)  # as all do who cancel several matches
    reason = "A bot at the table could not be reached, or plays no more."
    at = now(session)
    return move_match(
        session, MatchState.QUEUED, MatchState.CANCELLED, away, reason=reason, finished_at=at
    )


def forfeits(session: Session) -> list[int]:
    """Forfeit the tournament matches whose bots stayed away for the grace time; return their ids.

    Must have its transaction for itself.
    """
    if not _is_due(session) or session.execute(_AWAY.limit(1)).first() is None:
        return []
    ledger.lock(session)
    at = now(session)
    rows = session.execute(_AWAY).all()
    over: defaultdict[int, list[int]] = defaultdict(list)
    for match_id, seat, _, since, waiting, grace_ms in rows:
        if since is not None and _waited_out(since, waiting, grace_ms, at):
            over[match_id].append(seat)
    ended = list(over)[:_BATCH]
    for match_id in ended:
        forfeit(session, match_id, over[match_id])
    # A bot that is paused was never missed until now. After the matches, as claims lock them.
    paused = {version_id for _, _, version_id, since, *_ in rows if since is None}
    change_versions(session, Version.id.in_(paused), unreached_since=at)
    return ended


def forfeit(session: Session, match_id: int, seats: Collection[int]) -> bool:
    """End a queued match of a tournament: the absent `seats` rank last, the others share the first.

    If all are absent, all share it. The match gets a result number, and the tournament counts it;
    it is not rated and has no replay. Returns False if the match no longer waits in the queue.
    Raises NotFound if it is not a tournament's. Must have its transaction for itself.
    """
    newest = ledger.lock(session)
    match = session.get(Match, match_id, populate_existing=True)
    if match is None or match.tournament_id is None:
        raise NotFound("there is no match %(match)s of a tournament", match=match_id)
    at = now(session)
    if not move_match(
        session,
        MatchState.QUEUED,
        MatchState.FINISHED,
        Match.id == match_id,
        result_number=newest + 1,
        rated=False,
        reason=ABSENT,
        finished_at=at,
    ):
        return False
    ledger.next_number(session)
    table = session.scalars(select(Seat).where(Seat.match_id == match_id)).all()
    present = len(table) - len(seats)
    for seat in table:
        absent = seat.seat in seats
        seat.rank = present + 1 if absent else 1
        seat.fault = FAULT if absent else None
    session.flush()
    settle(session, match_id, finished=True, at=at)
    return True


def _waited_out(
    missed_since: datetime, waiting_since: datetime | None, grace_ms: int, at: datetime
) -> bool:
    """Return True if a tournament has waited for a bot for its grace time.

    The time counts from when the tournament began or last went on, however long the bot had been
    missed before.
    """
    since = max(missed_since, waiting_since or missed_since)
    return since + timedelta(milliseconds=grace_ms) <= at


def _is_due(session: Session) -> bool:
    """Return True if a wait for an entrant is over, or begins now."""
    at = now(session)
    missed = session.execute(_MISSED).all()
    return any(
        since is None or _waited_out(since, waiting, grace_ms, at)
        for since, waiting, grace_ms in missed
    )
