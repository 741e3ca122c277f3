"""Absent bots and misses: a match waits for a bot that did not accept it, or is cancelled.

A match outside tournaments is cancelled, too, if no host takes its hosted bots together. Those of
tournaments that wait for too long are given up in `ladder.contests.tournaments.forfeits`.

A bot owes a match of the ladder that it did not accept (see `debts`). The miss counts only if the
bot answered the same worker otherwise: it described itself a moment before, or played another game
to its end meanwhile. So a failure of a network, a worker or the gateway is no miss of the bot, and
a bot that is offline owes without loss. Three misses that count, at least ten minutes apart, are a
loss of that bot alone, as if it had ranked last at the table: the others are not rated.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, bindparam, or_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.errors import Phrase
from ladder.matches import tables
from ladder.matches.job import MatchClaim, call_later, end_without_result, locked
from ladder.matches.reading import MISSED
from ladder.matches.states import cancel_queued, follow_ups, move_match
from ladder.model import (
    Bot,
    Debt,
    Match,
    MatchKind,
    MatchState,
    Seat,
    Timestamp,
    Version,
    execute,
    now,
)
from ladder.people.notices import notify
from ladder.ratings import ledger

MOST: Final = 3
"""After this number of misses that count, a match is lost."""
APART: Final = timedelta(minutes=10)
"""A miss counts if the last one that counted is at least so old."""

_NEWEST: Final = 50
"""Matches of a bot among which is looked for a game that it played meanwhile."""


@dataclass(frozen=True, slots=True)
class MissedCall:
    """A call of a bot to a match that it did not accept, and why: a sentence for its author.

    `answered`: it described itself to this worker before. `ours`: the platform failed, not the bot.
    """

    why: str
    answered: bool = False
    ours: bool = False


def not_accepted(session: Session, claim: MatchClaim, seat: int, call: MissedCall) -> MatchState:
    """Settle a claim whose bot in `seat` did not accept the game when called: it is offline.

    A match of the ladder is owed, one of a tournament waits for the bot; others are cancelled, but
    wait, too, if the platform failed. `call.why` goes to the bot's author alone: what everybody
    reads holds no address. Returns the new state; raises Stale. Must have its transaction for
    itself.
    """
    match = locked(session, claim.held)
    player = claim.players[seat]
    if call.ours:
        follow_ups().lost(session, player.version_id)
    else:
        follow_ups().missed(session, player.version_id, call.why)
        _note(session, match, seat, misses=Seat.misses + 1)
    if match.kind == MatchKind.LADDER:
        return _owe(session, claim, match, seat, call)
    if match.tournament_id is not None or call.ours:
        return call_later(session, claim.held, match)
    _note(session, match, seat, fault_sentence=call.why)
    sentence = f"{player.name} {player.version} could not be reached"
    return end_without_result(
        session, match.id, MatchState.CANCELLED, sentence, unreached=match.unreached + 1
    )


def withdraw(session: Session) -> int:
    """Cancel the queued matches that can't begin as things are; return how many.

    They are challenges that wait for a bot that is not just coming back, and tables of hosted bots
    that no host can run together. Must have its transaction for itself; the caller commits.
    """
    late = now(session) - tables.BACK_WITHIN
    if not execute(session, _ANY_IN_VAIN, {"late": late}).scalar():
        return 0
    ledger.lock(session)  # as all do who cancel several matches
    return sum(
        cancel_queued(session, in_vain, reason=reason)
        for in_vain, reason in ((_away(late), _GONE), (_APART, _NO_HOST))
    )


def _away(late: tables.Late) -> ColumnElement[bool]:
    """Return the condition that a match is a challenge, and that a bot at its table is away."""
    return and_(Match.kind == MatchKind.CHALLENGE, tables.absent(MatchKind.CHALLENGE, late))


def _note(session: Session, match: Match, seat: int, **values: object) -> None:
    own = update(Seat).where(Seat.match_id == match.id, Seat.seat == seat)
    execute(session, own.values(values))


def _owe(
    session: Session, claim: MatchClaim, match: Match, seat: int, call: MissedCall
) -> MatchState:
    """Put a match of the ladder back, which the bot in `seat` now owes, or end it as its loss."""
    at, player = now(session), claim.players[seat]
    debt = _debt(session, match.id, player.bot_id, at)
    if not call.ours:
        _note(session, match, seat, fault_sentence=call.why)
        counts = _counts(session, match, player.version_id, call)
        if counts and (debt.missed_at is None or debt.missed_at <= at - APART):
            debt.misses, debt.missed_at = debt.misses + 1, at
    session.flush()
    if debt.misses >= MOST:
        return _lose(session, match, seat, at)
    return call_later(session, claim.held, match)


def _counts(session: Session, match: Match, version_id: int, call: MissedCall) -> bool:
    """Return True if the active version did not accept, though it answered this worker."""
    if not session.get_one(Version, version_id, populate_existing=True).active:
        return False
    return call.answered or _played_meanwhile(session, match, version_id)


def _played_meanwhile(session: Session, match: Match, version_id: int) -> bool:
    """Return True if the same worker has had the version in a game that ended since the call."""
    bot_id = select(Version.bot_id).where(Version.id == version_id).scalar_subquery()
    newest = (
        select(Seat.match_id)
        .where(Seat.bot_id == bot_id, Seat.version_id == version_id, Seat.fault.is_(None))
        .order_by(Seat.match_id.desc())
        .limit(_NEWEST)
    )
    played = select(Match.id).where(
        Match.id.in_(newest),
        Match.state == MatchState.FINISHED,
        Match.claimed_by == match.claimed_by,
        Match.finished_at >= match.started_at,
    )
    return session.scalar(played.limit(1)) is not None


def _debt(session: Session, match_id: int, bot_id: int, at: datetime) -> Debt:
    """Return the row of what the bot owes; make it if it is new."""
    debt = session.get(Debt, (match_id, bot_id), populate_existing=True)
    if debt is None:
        debt = Debt(match_id=match_id, bot_id=bot_id, since=at, misses=0)
        session.add(debt)
    return debt


def _lose(session: Session, match: Match, seat: int, at: datetime) -> MatchState:
    """End the match: the bot in `seat` ranks last, by an entry of the ledger for it alone."""
    table = session.scalars(
        select(Seat).where(Seat.match_id == match.id).order_by(Seat.seat),
        execution_options={"populate_existing": True},
    ).all()
    loser = table[seat]
    loser.rank = len(table)
    bot = session.get_one(Bot, loser.bot_id)
    number = ledger.miss(session, match.id, [(one.bot_id, one.version_id) for one in table], seat)
    move_match(
        session,
        MatchState.RUNNING,
        MatchState.FINISHED,
        Match.id == match.id,
        result_number=number,
        rated=False,
        reason=MISSED,
        finished_at=at,
        unreached=Match.unreached + 1,
    )
    notify(
        session,
        bot.user_id,
        model.NoticeTone.BAD,
        Phrase(
            "%(bot)s has lost ladder match %(match)s: it was called %(times)s times, at least ten "
            "minutes apart, and did not accept the game."
        ),
        bot_id=bot.id,
        bot=bot.name,
        match=match.id,
        times=MOST,
    )
    return MatchState.FINISHED


_APART: Final = and_(
    Match.kind != MatchKind.TOURNAMENT,
    ~tables.at_one_host(some_day=True),
    ~tables.at_table(tables.needs_host(), ~tables.has_runtime()),
)
"""The condition that each bot of a match has a host, but all together have none."""
_GONE: Final = "A bot at the table could not be reached, or plays no more."
_NO_HOST: Final = "No host has the runtimes of all hosted bots at the table."
_LATE: Final = bindparam("late", type_=Timestamp)
_ANY_IN_VAIN: Final = select(
    select(Match.id).where(Match.state == MatchState.QUEUED, or_(_away(_LATE), _APART)).exists()
)
"""Built once, since the scheduler asks all the time."""
