"""Forfeits: a tournament's matches whose bots stay away are decided as late as possible.

Everything else of the round is played first. Then the matches of one deal at a time are given up,
if their absent bots were missed for the grace time, and a worker has just looked for them in vain.
A bot that answers, but refuses its games, is as absent as one that does not.
At a table of three or four those who are there play, with a caretaker in the absent seat; if fewer
than two are there, no game is played.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import and_, bindparam, case, exists, false, func, or_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.jobs import attempts
from ladder.matches import tables
from ladder.matches.reading import ABSENT
from ladder.matches.states import JOB, move_match, settle
from ladder.model import Bot, BotState, Entry, Match, MatchState, Seat, Tournament, Version
from ladder.ratings import ledger

_FEWEST: Final = 2  # bots at a table that make a game


class _Missing(NamedTuple):
    """An entrant that may or does not play; `since` is None if nobody has missed it before.

    It `is_new` if so, and it had the time to come back.
    """

    version_id: int
    is_new: bool
    since: datetime | None
    looked_at: datetime | None
    state: BotState
    refuses: bool
    hosted: bool
    waiting_since: datetime | None
    grace_ms: int

    def has_waited_out(self, at: datetime) -> bool:
        """Return True if the tournament has waited for it for the grace time.

        The time counts from when the tournament began or last went on, or the arena was back after
        an outage, however long the bot had been missed before.
        """
        if self.since is None:
            return False
        since = max(self.since, self.waiting_since or self.since)
        return since + timedelta(milliseconds=self.grace_ms) <= at

    def was_looked_for(self, last: datetime | None) -> bool:
        """Return True if a look for it has failed since the `last` match of the tournament ended.

        Nobody looks for a paused bot, for one that refuses, nor for one that the ladder hosts.
        """
        after = max(filter(None, (last, self.waiting_since)), default=None)
        if self.state is not BotState.ACTIVE or self.refuses or self.hosted or after is None:
            return True
        return self.looked_at is not None and self.looked_at >= after


def decide(session: Session) -> list[int]:
    """Give up the next deal of each tournament that waits for absent bots alone.

    Returns the ids of the matches that ended, or are played without these bots. Must have its
    transaction for itself; the caller commits.
    """
    at = model.now(session)
    missing = _missing(session, at)
    given_up: list[int] = []
    for tournament_id, entrants in missing.items():
        if not _over(entrants, at) or _plays_on(session, tournament_id):
            continue
        ledger.lock(session)
        # Meanwhile the tournament may have been paused, or a bot be back.
        over = _over(_missing(session, at)[tournament_id], at)
        if over and not _plays_on(session, tournament_id):
            given_up += _give_up_a_deal(session, tournament_id, over)
    # Nobody has missed a bot that is paused, or has left the gateway, until now.
    new = {one.version_id for of in missing.values() for one in of if one.is_new}
    if new:  # after the matches, as claims lock them
        reach.awaited(session, new)
    return given_up


def wait_anew(session: Session) -> None:
    """Wait for the whole grace time again, since the arena itself was away. The caller commits."""
    ledger.lock(session)
    running = update(Tournament).where(Tournament.state == model.TournamentState.RUNNING)
    model.execute(session, running.values(waiting_since=model.now(session)))


def forfeit(session: Session, match_id: int, seats: Collection[int]) -> bool:
    """End a queued match of a tournament: the absent `seats` rank last, the others share the first.

    If all are absent, all share it. The match gets a result number, and the tournament counts it;
    it is not rated and has no replay. Returns False if it waits in the queue no more, or is not a
    tournament's. Must have its transaction for itself.
    """
    newest = ledger.lock(session)
    if not move_match(
        session,
        MatchState.QUEUED,
        MatchState.FINISHED,
        Match.id == match_id,
        Match.tournament_id.is_not(None),
        result_number=newest + 1,
        rated=False,
        reason=ABSENT,
        finished_at=model.now(session),
    ):
        return False
    ledger.next_number(session)
    table = _seats(session, match_id)
    present = len(table) - len(seats)
    for seat in table:
        absent = seat.seat in seats
        seat.rank = present + 1 if absent else 1
        seat.fault = ABSENT if absent else None
    session.flush()
    settle(session, match_id, finished=True)
    return True


def _missing(session: Session, at: datetime) -> defaultdict[int, list[_Missing]]:
    """Read the entrants that may not play now, by the tournaments that run."""
    late = {"late": at - tables.BACK_WITHIN}
    found: defaultdict[int, list[_Missing]] = defaultdict(list)
    for row in model.execute(session, _MISSING, late):
        found[row[0]].append(_Missing(*row[1:]))
    return found


def _over(entrants: Collection[_Missing], at: datetime) -> dict[int, _Missing]:
    """Return those that were waited for long enough, by their versions."""
    return {one.version_id: one for one in entrants if one.has_waited_out(at)}


def _plays_on(session: Session, tournament_id: int) -> bool:
    """Return True if a match is played, or waits for nobody who is away or refuses it."""
    own = Match.tournament_id == tournament_id
    under_way = select(Match.id).where(own, or_(Match.state == MatchState.RUNNING, PLAYABLE))
    return session.scalar(under_way.limit(1)) is not None


def _give_up_a_deal(session: Session, tournament_id: int, over: dict[int, _Missing]) -> list[int]:
    """Give up the first deal that waits only for bots whose time is `over`, by their versions.

    If one of these has not been looked for since the last match, it is looked for first.
    """
    waits_longer = tables.at_table(or_(~READY, _REFUSED), Seat.version_id.not_in(over))
    own = and_(Match.tournament_id == tournament_id, _QUEUED)
    deal = session.scalar(
        select(Match.deal_id).where(own, ~waits_longer).order_by(Match.id).limit(1)
    )
    if deal is None:
        return []
    of_deal = select(Match.id).where(own, Match.deal_id == deal).order_by(Match.id)
    tables_of = {match_id: _seats(session, match_id) for match_id in session.scalars(of_deal)}
    last = session.scalar(
        select(func.max(Match.finished_at)).where(
            Match.tournament_id == tournament_id, Match.finished_at <= model.now(session)
        )
    )
    unsought = {
        seat.version_id
        for table in tables_of.values()
        for seat in table
        if seat.version_id in over and not over[seat.version_id].was_looked_for(last)
    }
    if unsought:
        reach.look_now(session, unsought)
        return []
    for match_id, table in tables_of.items():
        _give_up(session, match_id, table, over)
    return list(tables_of)


def _give_up(session: Session, match_id: int, table: Sequence[Seat], over: Collection[int]) -> None:
    """Let those who are there play without the others, or forfeit the match."""
    absent = [seat.seat for seat in table if seat.version_id in over]
    if len(table) - len(absent) < _FEWEST:
        forfeit(session, match_id, absent)
        return
    given_up = update(Seat).where(Seat.match_id == match_id, Seat.seat.in_(absent))
    model.execute(session, given_up.values(absent=True))
    attempts.bring_forward(session, JOB, match_id)


def _seats(session: Session, match_id: int) -> Sequence[Seat]:
    return session.scalars(select(Seat).where(Seat.match_id == match_id).order_by(Seat.seat)).all()


_TOURNAMENT: Final = model.MatchKind.TOURNAMENT
_LATE: Final = bindparam("late", type_=model.Timestamp)
READY: Final = tables.ready_for(_TOURNAMENT)
"""The condition that a bot (of bots and versions) may play in tournaments now."""
_QUEUED: Final = Match.state == MatchState.QUEUED
_REFUSED: Final = Seat.misses >= tables.MOST_CALLS
_REFUSES_ONE: Final = exists().where(
    Seat.version_id == Version.id,
    _REFUSED,
    Match.id == Seat.match_id,
    Match.tournament_id == Tournament.id,
    _QUEUED,
)
# A version that is in reach has refused nothing. Of an AND, SQLite computes both sides as columns.
REFUSES: Final = case((Version.unreached_since.is_(None), false()), else_=_REFUSES_ONE)
"""The condition that a version refuses a match of the tournament, although it is in reach."""
_REFUSED_THERE: Final = tables.at_table(_REFUSED, ~Seat.absent)
PLAYABLE: Final = and_(_QUEUED, ~tables.absent(_TOURNAMENT), ~_REFUSED_THERE)
"""The condition that a match waits for nobody who is away or refuses it."""
_MISSING: Final = (
    select(
        Tournament.id,
        Version.id,
        and_(Version.unreached_since.is_(None), ~tables.ready_for(_TOURNAMENT, _LATE)),
        Version.unreached_since,
        Version.looked_at,
        Bot.state,
        REFUSES,
        tables.needs_host(),
        Tournament.waiting_since,
        Tournament.grace_ms,
    )
    .join(Entry, Entry.tournament_id == Tournament.id)
    .join(Version, Version.id == Entry.version_id)
    .join(Bot, Bot.id == Entry.bot_id)
    .where(
        Tournament.state == model.TournamentState.RUNNING,
        Entry.state == model.EntryState.ENTERED,
        or_(~READY, REFUSES),
    )
)
