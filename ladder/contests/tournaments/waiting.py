"""Say whom a running tournament waits for: bots that are away, or hosts that have no room.

How long it waits for a bot is decided in `forfeits`.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.tournaments.forfeits import PLAYABLE, READY, REFUSES
from ladder.matches import lanes, tables
from ladder.model import Bot, BotState, Entry, Holding, Match, MatchState, Seat, Tournament, Version


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


def _why(state: BotState, *, offline: bool, refuses: bool) -> Hindrance:
    if state is not BotState.ACTIVE:
        return Hindrance(state)
    if offline:
        return Hindrance.OFFLINE
    return Hindrance.REFUSES if refuses else Hindrance.HOST


_OWN: Final = Match.tournament_id == bindparam("tournament")
_WAITED_FOR: Final = (
    select(Bot.id, Bot.name, Bot.state, Version.offline_since.is_not(None), REFUSES)
    .join(Version, Version.bot_id == Bot.id)
    .join(Entry, Entry.version_id == Version.id)
    .join(Tournament, Tournament.id == Entry.tournament_id)
    .where(
        Tournament.id == bindparam("tournament"),
        Tournament.state == model.TournamentState.RUNNING,
        or_(~READY, REFUSES, ~tables.can_start()),
        Version.id.in_(  # looked up once, not for each version
            select(Seat.version_id)
            .join(Match, Match.id == Seat.match_id)
            .where(_OWN, Match.state == MatchState.QUEUED, ~Seat.absent)
        ),
    )
    .order_by(Entry.number)
)
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
            PLAYABLE,
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
