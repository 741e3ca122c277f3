"""Matches of the ladder that bots owe: each was drawn, and a bot of its table did not come.

What was drawn is played, by the same table and on the same layout, whatever a bot thinks of it. A
bot that was called and did not accept a match owes it (see `misses`), and so does one that went
offline or was paused before its match began. It plays that match before all others of the ladder,
except while another bot of the table is away, or no host takes it: so it holds up nobody but
itself. A new version takes its predecessor's seats, and so its debts. A table that cannot meet for
a week is void.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    exists,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.errors import Phrase
from ladder.matches import tables
from ladder.matches.reading import MISSED
from ladder.matches.states import cancel_queued
from ladder.model import Bot, BotState, Debt, Match, MatchKind, MatchState, Seat, Version
from ladder.ratings import ledger

LONGEST: Final = timedelta(weeks=1)
"""A match is void once it has been owed for so long."""

_MOST_LISTED: Final = 20
"""How many of the matches that a bot missed its page lists: the newest."""

_OWED: Final = model.Upsert(Debt)
_READY: Final = tables.ready_for(MatchKind.LADDER)
_SEATED: Final = and_(Bot.id == Seat.bot_id, Version.id == Seat.version_id)
_WAITS: Final = and_(Match.kind == MatchKind.LADDER, Match.state == MatchState.QUEUED)
_GONE: Final = tables.at_table(Bot.state == BotState.RETIRED)
_NO_HOST: Final = and_(~tables.absent(MatchKind.LADDER), ~tables.at_one_host())
_WHY: Final = (
    (_GONE, Phrase("One of its bots was retired.")),
    (_NO_HOST, Phrase("For a week the table could not meet: no host takes its hosted bots.")),
    (true(), Phrase("For a week the table could not meet: a bot was away.")),
)
"""Why a match is void: the first of these conditions that holds, and what is said of it."""


@dataclass(frozen=True, slots=True)
class OwedMatch:
    """A match of the ladder, for `seats` bots, that one of them owes since a time.

    It stays unnamed, as do all that have not begun. `misses` are the refusals that count.
    """

    seats: int
    since: datetime
    misses: int


@dataclass(frozen=True, slots=True)
class MissedMatch:
    """A match of the ladder that is over, and to which a bot was called `calls` times in vain.

    It was `played` in the end, or `lost`: it counts as the bot's loss. Otherwise it was given up,
    another bot of the table lost it, or its loss was annulled.
    """

    match_id: int
    seats: int
    state: MatchState
    calls: int
    lost: bool
    finished_at: datetime | None
    played: bool


def owed(session: Session, bot_id: int) -> tuple[OwedMatch, ...]:
    """Return the matches that a bot owes, oldest first."""
    return tuple(OwedMatch(*row) for row in session.execute(_OWED_BY, {"bot": bot_id}))


def missed(session: Session, bot_id: int) -> tuple[MissedMatch, ...]:
    """Return the matches that a bot missed and that are over, newest first."""
    return tuple(MissedMatch(*row) for row in session.execute(_MISSED_BY, {"bot": bot_id}))


@cache
def held_back() -> ColumnElement[bool]:
    """Return the condition that a bot of a match has to play another one first, which it owes.

    Owed matches are played in the order of their ids: so no two wait for each other.
    """
    here, debt, own = aliased(Seat), aliased(Debt), aliased(Debt)
    is_owed = exists().where(own.match_id == Match.id).correlate(Match)
    another = and_(debt.bot_id == here.bot_id, debt.match_id != Match.id, _can_meet(debt))
    first = or_(debt.match_id < Match.id, ~is_owed)
    return exists().where(here.match_id == Match.id, another, first).correlate(Match)


@cache
def owes() -> ColumnElement[bool]:
    """Return the condition that a bot owes a match that could be played, but for this bot."""
    debt = aliased(Debt)
    return exists().where(debt.bot_id == Bot.id, _can_meet(debt)).correlate(Bot)


def tend(session: Session) -> int:
    """Note which bots hold up matches, and end those of tables that cannot meet; return how many.

    Must have its transaction for itself; the caller commits.
    """
    if not model.execute(session, _ANY, {"late": model.now(session) - LONGEST}).scalar():
        return 0
    ledger.lock(session)  # as all do who cancel several matches
    reseat(session)
    since = model.now(session)
    _OWED.put(session, [{**row._mapping, "since": since} for row in session.execute(_AWAY)])
    void = _void(since - LONGEST)
    return sum(cancel_queued(session, void, why, reason=reason) for why, reason in _WHY)


def reseat(session: Session) -> None:
    """Give the seats of superseded versions in queued ladder matches to the active ones.

    A match that is being claimed stays as it is, and counts for the version that it was claimed
    for: it is looked at again if it comes back.
    """
    locked = select(Match.id).where(Match.id.in_(_OUTDATED), _WAITS)
    ids = session.scalars(locked.with_for_update(skip_locked=True)).all()
    newest = select(_HEIR.id).where(_HEIR.bot_id == Seat.bot_id, _HEIR.active).scalar_subquery()
    seats = update(Seat).where(Seat.match_id.in_(ids), newest.is_not(None))
    model.execute(session, seats.values(version_id=newest))


def _can_meet(debt: type[Debt]) -> ColumnElement[bool]:
    """Return the condition that no other bot at the table of an owed match is away.

    Hosted bots are away while no host takes them: the debtor is not to blame for that.
    """
    owed, others = aliased(Match), and_(Seat.match_id == debt.match_id, Seat.bot_id != debt.bot_id)
    no_host = exists().where(owed.id == debt.match_id, ~tables.at_one_host(match=owed))
    away = exists().where(others, _SEATED, ~_READY)
    return and_(~away.correlate(debt), ~no_host.correlate(debt))


def _void(late: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Return the condition that a waiting match can't be played, or is owed since before `late`."""
    too_late = exists().where(Debt.match_id == Match.id, Debt.since <= late)
    return and_(_WAITS, or_(too_late.correlate(Match), _GONE))


_AWAY: Final = (
    select(Seat.match_id, Seat.bot_id)
    .join(Match, Match.id == Seat.match_id)
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Version, Version.id == Seat.version_id)
    .where(_WAITS, ~_READY)
    .where(~exists().where(Debt.match_id == Seat.match_id, Debt.bot_id == Seat.bot_id))
    .order_by(Seat.match_id, Seat.seat)
)
"""Bots that are away, and the waiting matches that they don't owe yet."""
_HEIR: Final = aliased(Version)
_OUTDATED: Final = (
    select(Match.id)
    .join(Seat, Seat.match_id == Match.id)
    .join(Version, Version.id == Seat.version_id)
    .join(_HEIR, and_(_HEIR.bot_id == Seat.bot_id, _HEIR.active))
    .where(_WAITS, ~Version.active)
)
"""Waiting matches with a version that its bot has replaced."""
_VOID: Final = select(Match.id).where(_void(bindparam("late", type_=model.Timestamp)))
_ANY: Final = select(or_(*(query.exists() for query in (_OUTDATED, _AWAY, _VOID))))
"""True if there is something to tend; built once, since the scheduler asks all the time."""
_OWED_BY: Final = (
    select(Match.seats, Debt.since, Debt.misses)
    .join(Match, Match.id == Debt.match_id)
    .where(Debt.bot_id == bindparam("bot"))
    .order_by(Debt.match_id)
)
_MISSED_BY: Final = (
    select(
        Match.id,
        Match.seats,
        Match.state,
        Seat.misses,
        and_(Match.reason == MISSED, Seat.rank.is_not(None), Match.annulled_at.is_(None)),
        Match.finished_at,
        and_(Match.state == MatchState.FINISHED, Match.reason != MISSED),
    )
    .join(Seat, Seat.match_id == Match.id)
    .where(Seat.bot_id == bindparam("bot"), Seat.misses > 0, Match.kind == MatchKind.LADDER)
    .where(Match.state.in_(model.MATCH_OVER))
    .order_by(Seat.match_id.desc())
    .limit(_MOST_LISTED)
)
