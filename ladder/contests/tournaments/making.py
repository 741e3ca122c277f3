"""The rows of a round: its deals, matches and seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.pairings.deals import PlannedDeal
from ladder.jobs import attempts
from ladder.matches.durations import clock_columns, clock_of
from ladder.matches.kinds import Kind
from ladder.matches.states import JOB
from ladder.model import Deal, Entry, Match, MatchState, Seat


def add_round(
    session: Session,
    tournament: model.Tournament,
    number: int,
    planned: Sequence[PlannedDeal],
    at: datetime,
) -> None:
    """Make all matches of a round, queued, in the order planned."""
    deals = session.scalars(
        insert(Deal).returning(Deal.id, sort_by_parameter_order=True),
        [{"tournament_id": tournament.id, "layout_seed": deal.layout_seed} for deal in planned],
    ).all()
    tables = [
        (deal, rotation, table)
        for deal, plan in zip(deals, planned, strict=True)
        for rotation, table in enumerate(plan.matches)
    ]
    shared = _shared(tournament, number, at)
    ids = session.scalars(
        insert(Match).returning(Match.id, sort_by_parameter_order=True),
        [shared | {"deal_id": deal, "rotation": rotation} for deal, rotation, _ in tables],
    ).all()
    attempts.enqueue(session, JOB, Kind.TOURNAMENT, ids)
    versions = entered_versions(session, tournament.id)
    session.execute(
        insert(Seat),
        [
            {"match_id": match, "seat": seat, "bot_id": bot, "version_id": versions[bot]}
            for match, (_, _, table) in zip(ids, tables, strict=True)
            for seat, bot in enumerate(table)
        ],
    )


def entered_versions(session: Session, tournament_id: int) -> Mapping[int, int]:
    """The version that plays for each bot, in the order of the entry list."""
    query = (
        select(Entry.bot_id, Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.number)
    )
    return dict(session.execute(query).all())


def _shared(tournament: model.Tournament, number: int, at: datetime) -> dict[str, Any]:
    """What is the same for all matches of the round."""
    return {
        "tournament_id": tournament.id,
        "kind": Kind.TOURNAMENT,
        "round": number,
        "seats": tournament.seats,
        "state": MatchState.QUEUED,
        "rated": tournament.rated,
        **clock_columns(clock_of(tournament)),
        "created_at": at,
    }
