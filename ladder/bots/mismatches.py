"""What follows where a bot tells another version at a match than the one that was submitted."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots.keeping import pause_for
from ladder.errors import Phrase
from ladder.matches import Claim, Kind, job
from ladder.matches.states import move_match
from ladder.model import UNDER_VALIDATION, Match, MatchState, Version, now


def other_version(session: Session, claim: Claim, *, seat: int, why: str, told: str) -> None:
    """Nothing was played: the bot is paused, and the match cancelled.

    A bot is not paused where what answers has been submitted and is being checked: it will take
    over, and until then counts as out of reach, as it does in a tournament. Raises Stale. Must have
    its transaction for itself; the caller commits.
    """
    match = job.locked(session, claim.held)
    player = claim.players[seat]
    expected = session.get_one(Version, player.version_id, populate_existing=True)
    awaited = expected.active and _is_under_validation(session, player.bot_id, told)
    if expected.active and not awaited:
        pause_for(
            session,
            player.bot_id,
            Phrase(
                "It says that it is version %(told)s, but version %(version)s plays. Submit "
                "version %(told)s, or start version %(version)s again and resume the bot.",
                told=told,
                version=player.version,
            ),
        )
    if awaited or match.kind == Kind.TOURNAMENT:
        job.unreachable(session, claim, seat, why)
        return
    reason = f"{player.name} {player.version} did not play: {why}"
    move_match(
        session,
        MatchState.RUNNING,
        MatchState.CANCELLED,
        Match.id == match.id,
        reason=reason,
        finished_at=now(session),
    )


def _is_under_validation(session: Session, bot_id: int, name: str) -> bool:
    query = select(Version.id).where(
        Version.bot_id == bot_id, Version.name == name, Version.state.in_(UNDER_VALIDATION)
    )
    return session.scalar(query) is not None
