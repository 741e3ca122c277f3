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
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import and_, bindparam, exists, func, or_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.errors import NotFound
from ladder.jobs import attempts
from ladder.matches import lanes, tables
from ladder.matches.reading import ABSENT
from ladder.matches.states import JOB, move_match, settle
from ladder.model import Bot, BotState, Entry, Holding, Match, MatchState, Seat, Tournament, Version
from ladder.ratings import ledger

_FEWEST: Final = 2  # bots at a table that make a game
_READY: Final = tables.ready_for(model.MatchKind.TOURNAMENT)
_QUEUED: Final = Match.state == MatchState.QUEUED
_REFUSED: Final = Seat.misses >= tables.MOST_CALLS
_REFUSES: Final = and_(
    Version.unreached_since.is_not(None),  # so it has played no game since; few are left to look at
    exists().where(
        Seat.version_id == Version.id,
        _REFUSED,
        Match.id == Seat.match_id,
        Match.tournament_id == Tournament.id,
        _QUEUED,
    ),
)
_MISSING: Final = (
    select(
        Tournament.id,
        Version.id,
        Version.unreached_since,
        Version.looked_at,
        Bot.state,
        _REFUSES,
        Version.package.is_not(None),
        Tournament.waiting_since,
        Tournament.grace_ms,
    )
    .join(Entry, Entry.tournament_id == Tournament.id)
    .join(Version, Version.id == Entry.version_id)
    .join(Bot, Bot.id == Entry.bot_id)
    .where(
        Tournament.state == model.TournamentState.RUNNING,
        Entry.state == model.EntryState.ENTERED,
        or_(~_READY, _REFUSES),
    )
)


_WAITED_FOR: Final = (
    select(Bot.id, Bot.name, Bot.state, Version.offline_since.is_not(None), _REFUSES)
    .join(Version, Version.bot_id == Bot.id)
    .join(Entry, Entry.version_id == Version.id)
    .join(Tournament, Tournament.id == Entry.tournament_id)
    .where(
        Tournament.id == bindparam("tournament"),
        Tournament.state == model.TournamentState.RUNNING,
        or_(~_READY, _REFUSES, ~tables.can_start()),
        Version.id.in_(  # looked up once, not for each version
            select(Seat.version_id)
            .join(Match, Match.id == Seat.match_id)
            .where(Match.tournament_id == bindparam("tournament"), _QUEUED, ~Seat.absent)
        ),
    )
    .order_by(Entry.number)
)

_REFUSED_THERE: Final = tables.at_table(_REFUSED, ~Seat.absent)
_PLAYABLE: Final = and_(_QUEUED, ~tables.absent(model.MatchKind.TOURNAMENT), ~_REFUSED_THERE)
"""Waits for nobody who is away or refuses it."""

_OWN: Final = Match.tournament_id == bindparam("tournament")
_HAS_HOSTED: Final = select(
    exists().where(
        Tournament.id == bindparam("tournament"),
        Tournament.state == model.TournamentState.RUNNING,
        Entry.tournament_id == Tournament.id,
        Version.id == Entry.version_id,
        tables.needs_host(),
    )
)
_TAKEN: Final = select(func.count()).where(Holding.party == lanes.HOSTS)
_WAITS_FOR_HOST: Final = select(
    and_(
        ~exists().where(_OWN, Match.state == MatchState.RUNNING),
        exists().where(
            _OWN,
            _PLAYABLE,
            tables.at_table(~Seat.absent, tables.needs_host()),
            ~tables.at_table(~Seat.absent, ~tables.can_start()),
        ),
    )
)
_LAST_STEPS: Final = (
    select(func.max(Match.finished_at), func.max(Match.created_at), Tournament.waiting_since)
    .join(Tournament, Tournament.id == Match.tournament_id)
    .where(_OWN)
    .group_by(Tournament.id)
)
"""The last result, when the newest round was made, and when the tournament last went on."""


class Hindrance(StrEnum):
    """Why a bot can't play its next match of a tournament now; `HOST`: no host could run it."""

    PAUSED = "paused"
    RETIRED = "retired"
    OFFLINE = "offline"
    REFUSES = "refuses"
    HOST = "host"


class WaitedFor(NamedTuple):
    """A bot whose matches wait, and why."""

    bot_id: int
    name: str
    why: Hindrance


class WaitForHosts(NamedTuple):
    """Since when matches wait for a host. `full`: there are hosts, but others use all lanes."""

    since: datetime
    full: bool


class _Missing(NamedTuple):
    """An entrant that may or does not play; `since` is None if nobody has missed it before."""

    version_id: int
    since: datetime | None
    looked_at: datetime | None
    state: BotState
    refuses: bool
    hosted: bool
    waiting_since: datetime | None
    grace_ms: int

    def has_waited_out(self, at: datetime) -> bool:
        """Return True if the tournament has waited for it for the grace time.

        The time counts from when the tournament began or last went on, however long the bot had
        been missed before.
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


def waited_for(session: Session, tournament_id: int) -> tuple[WaitedFor, ...]:
    """Return the bots for whom matches of a running tournament wait, in the order of entry."""
    found = session.execute(_WAITED_FOR, {"tournament": tournament_id})
    return tuple(
        WaitedFor(bot_id, name, _why(state, offline=offline, refuses=refuses))
        for bot_id, name, state, offline, refuses in found
    )


def wait_for_hosts(session: Session, tournament_id: int) -> WaitForHosts | None:
    """Return since when a running tournament waits for room at the hosts; None if it does not.

    It does if none of its matches is played, and one needs nothing but a host. There is no bound to
    that: nobody at the table is to blame, and tournaments go before the ladder.
    """
    of_tournament = {"tournament": tournament_id}
    if not session.scalar(_HAS_HOSTED, of_tournament):
        return None
    there, taken = lanes.lanes(session), session.scalar(_TAKEN) or 0
    if taken < there or not session.scalar(_WAITS_FOR_HOST, of_tournament):
        return None
    times = session.execute(_LAST_STEPS, of_tournament).one()
    return WaitForHosts(max(filter(None, times)), full=there > 0)


def decide(session: Session) -> list[int]:
    """Give up the next deal of each tournament that waits for absent bots alone.

    Returns the ids of the matches that ended, or are played without these bots. Must have its
    transaction for itself; the caller commits.
    """
    at = model.now(session)
    missing = _missing(session)
    given_up: list[int] = []
    for tournament_id, entrants in missing.items():
        if not _over(entrants, at) or _plays_on(session, tournament_id):
            continue
        ledger.lock(session)
        # Meanwhile the tournament may have been paused, or a bot be back.
        over = _over(_missing(session)[tournament_id], at)
        if over and not _plays_on(session, tournament_id):
            given_up += _give_up_a_deal(session, tournament_id, over)
    # Nobody has missed a bot that is paused, or has left the gateway, until now.
    new = {one.version_id for of in missing.values() for one in of if one.since is None}
    if new:  # after the matches, as claims lock them
        reach.awaited(session, new)
    return given_up


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
    at = model.now(session)
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
    table = _seats(session, match_id)
    present = len(table) - len(seats)
    for seat in table:
        absent = seat.seat in seats
        seat.rank = present + 1 if absent else 1
        seat.fault = ABSENT if absent else None
    session.flush()
    settle(session, match_id, finished=True, at=at)
    return True


def _why(state: BotState, *, offline: bool, refuses: bool) -> Hindrance:
    if state is not BotState.ACTIVE:
        return Hindrance(state)
    if offline:
        return Hindrance.OFFLINE
    return Hindrance.REFUSES if refuses else Hindrance.HOST


def _missing(session: Session) -> defaultdict[int, list[_Missing]]:
    """Read the entrants that may not play now, by the tournaments that run."""
    found: defaultdict[int, list[_Missing]] = defaultdict(list)
    for row in session.execute(_MISSING):
        found[row[0]].append(_Missing(*row[1:]))
    return found


def _over(entrants: Collection[_Missing], at: datetime) -> dict[int, _Missing]:
    """Return those that were waited for long enough, by their versions."""
    return {one.version_id: one for one in entrants if one.has_waited_out(at)}


def _plays_on(session: Session, tournament_id: int) -> bool:
    """Return True if a match is played, or waits for nobody who is away or refuses it."""
    own = Match.tournament_id == tournament_id
    under_way = select(Match.id).where(own, or_(Match.state == MatchState.RUNNING, _PLAYABLE))
    return session.scalar(under_way.limit(1)) is not None


def _give_up_a_deal(session: Session, tournament_id: int, over: dict[int, _Missing]) -> list[int]:
    """Give up the first deal that waits only for bots whose time is `over`, by their versions.

    If one of these has not been looked for since the last match, it is looked for first.
    """
    waits_longer = tables.at_table(or_(~_READY, _REFUSED), Seat.version_id.not_in(over))
    own = and_(Match.tournament_id == tournament_id, _QUEUED)
    deal = session.scalar(
        select(Match.deal_id).where(own, ~waits_longer).order_by(Match.id).limit(1)
    )
    if deal is None:
        return []
    of_deal = select(Match.id).where(own, Match.deal_id == deal).order_by(Match.id)
    tables_of = {match_id: _seats(session, match_id) for match_id in session.scalars(of_deal)}
    last = session.scalar(
        select(func.max(Match.finished_at)).where(Match.tournament_id == tournament_id)
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
