"""Misses: a bot was called to a match of the ladder and did not accept it.

It owes the match (see `debts`). The miss counts only if the bot answered the same worker otherwise:
it described itself a moment before, or played another game to its end meanwhile. So a failure of a
network, a worker or the gateway is no miss of the bot, and a bot that is offline owes without loss.
Three misses that count, at least ten minutes apart, are a loss of that bot alone, as if it had
ranked last at the table: the others are not rated.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.errors import Phrase
from ladder.matches.job import MatchClaim, call_later
from ladder.matches.rows import MISSED
from ladder.matches.states import follow_ups, move_match
from ladder.model import Bot, Debt, Match, MatchState, NoticeTone, Seat, Version, execute, now
from ladder.people.notices import notify
from ladder.ratings import ledger

MOST: Final = 3
"""After this number of misses that count, a match is lost."""
APART: Final = timedelta(minutes=10)
"""A miss counts if the last one that counted is at least so old."""

_NEWEST: Final = 50
"""Matches of a bot among which is looked for a game that it played meanwhile."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a bot to a match that it did not accept, and why: a sentence for its author.

    `answered`: it described itself to this worker before. `ours`: the platform failed, not the bot.
    """

    why: str
    answered: bool = False
    ours: bool = False


def missed(session: Session, claim: MatchClaim, match: Match, seat: int, call: Call) -> MatchState:
    """Put a claimed match of the ladder back, which the bot in `seat` now owes, or end it.

    Returns the match's new state. `match` must be locked, as by `job.locked`.
    """
    at, player = now(session), claim.players[seat]
    if call.ours:
        follow_ups().lost(session, player)
        counts = False
    else:
        follow_ups().missed(session, player, call.why)
        counts = _counts(session, match, player.version_id, call)
        own = Seat.match_id == match.id, Seat.seat == seat
        noted = update(Seat).where(*own)
        execute(session, noted.values(fault_sentence=call.why, misses=Seat.misses + 1))
    debt = _debt(session, match.id, player.bot_id, at)
    if counts and (debt.missed_at is None or debt.missed_at <= at - APART):
        debt.misses, debt.missed_at = debt.misses + 1, at
    session.flush()
    if debt.misses >= MOST:
        return _lose(session, match, seat, at)
    return call_later(session, claim.held, match)


def _counts(session: Session, match: Match, version_id: int, call: Call) -> bool:
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
        NoticeTone.BAD,
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
