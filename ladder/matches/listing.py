"""Lists of matches, newest first."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.matches.played import of_bot
from ladder.matches.reading import by_ids
from ladder.matches.rows import MatchPage
from ladder.model import Match


def page(
    session: Session,
    *,
    bot_id: int | None = None,
    opponent_id: int | None = None,
    tournament_id: int | None = None,
    state: str | None = None,
    before: int | None = None,
    limit: int = 50,
) -> MatchPage:
    """The newest matches with a lower id than `before`: of one bot (and one that was at the table,
    too), tournament or state. Where a bot is asked for, those whose seats are not named are left
    out, and pages are as those of `of_bot`."""
    if bot_id is None:
        bot_id, opponent_id = opponent_id, None
    if bot_id is not None:
        return of_bot(
            session,
            bot_id,
            opponent_id=opponent_id,
            tournament_id=tournament_id,
            state=state,
            before=before,
            limit=limit,
        )
    query = select(Match.id).order_by(Match.id.desc()).limit(limit + 1)
    if tournament_id is not None:
        query = query.where(Match.tournament_id == tournament_id)
    if state is not None:
        query = query.where(Match.state == state)
    if before is not None:
        query = query.where(Match.id < before)
    ids = list(session.scalars(query))
    shown = by_ids(session, ids[:limit])
    return MatchPage(shown, shown[-1].id if len(ids) > limit else None)
