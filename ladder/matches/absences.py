"""Queued matches that cannot be played, since a bot at the table is away."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from ladder.matches import tables
from ladder.matches.forfeiting import forfeit, waited_out
from ladder.matches.kinds import Kind
from ladder.matches.states import move_match
from ladder.model import (
    Bot,
    Entry,
    Match,
    MatchState,
    Seat,
    Tournament,
    TournamentState,
    Version,
    change_bots,
    now,
)
from ladder.ratings import ledger

_BATCH: Final = 50  # forfeits in one transaction
_MISSED: Final = (
    select(Bot.unreached_since, Tournament.waiting_since, Tournament.grace_ms)
    .join(Entry, Entry.bot_id == Bot.id)
    .join(Version, Version.id == Entry.version_id)
    .join(Tournament, Tournament.id == Entry.tournament_id)
    .where(Tournament.state == TournamentState.RUNNING, ~tables.ready_for(Kind.TOURNAMENT))
)
"""Entrants that are away: since when, and for how long they may be. There are far fewer entries
than matches, so this is asked first."""
_AWAY: Final = (
    select(
        Match.id,
        Seat.seat,
        Bot.id,
        Bot.unreached_since,
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
        ~tables.ready_for(Kind.TOURNAMENT),
    )
    .order_by(Match.id)
)
"""Who holds up a tournament's match: with its seat, since when, and for how long that may be."""


def withdraw(session: Session) -> int:
    """Cancel what was queued for the ladder, or as a challenge, with a bot that is away; how many.

    Must have its transaction for itself; the caller commits.
    """
    queued = Match.state == MatchState.QUEUED
    away = or_(
        *(and_(Match.kind == kind, tables.absent(kind)) for kind in (Kind.LADDER, Kind.CHALLENGE))
    )
    if session.scalar(select(Match.id).where(queued, away).limit(1)) is None:
        return 0
    ledger.lock(session)  # whoever else cancels several matches has it, too
    reason = "A bot at the table could not be reached, or plays no more."
    at = now(session)
    return move_match(
        session, MatchState.QUEUED, MatchState.CANCELLED, away, reason=reason, finished_at=at
    )


def forfeits(session: Session) -> list[int]:
    """Forfeit the tournament matches whose bots stayed away for the grace time; their ids.

    Must have its transaction for itself.
    """
    if not _somebody_is_due(session) or session.execute(_AWAY.limit(1)).first() is None:
        return []
    ledger.lock(session)
    at = now(session)
    rows = session.execute(_AWAY).all()
    over: defaultdict[int, list[int]] = defaultdict(list)
    for match_id, seat, _, since, waiting, grace_ms in rows:
        if since is not None and waited_out(since, waiting, grace_ms, at):
            over[match_id].append(seat)
    ended = list(over)[:_BATCH]
    for match_id in ended:
        forfeit(session, match_id, over[match_id])
    # A bot that is paused was never missed until now. After the matches, as claims lock them.
    paused = {bot_id for _, _, bot_id, since, *_ in rows if since is None}
    change_bots(session, Bot.id.in_(paused), unreached_since=at)
    return ended


def _somebody_is_due(session: Session) -> bool:
    """Whether an entrant was waited for long enough, or is missed from now on."""
    at = now(session)
    missed = session.execute(_MISSED).all()
    return any(
        since is None or waited_out(since, waiting, grace_ms, at)
        for since, waiting, grace_ms in missed
    )
