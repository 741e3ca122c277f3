"""Plan the rounds of a tournament, and write their deals, matches and seats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.cross_table import cross_table
from ladder.contests.pairings import PlannedDeal, Table
from ladder.contests.round_robin import gauntlet, round_robin
from ladder.contests.swiss import swiss_round
from ladder.contests.tournaments.limits import Format, Wish
from ladder.jobs import attempts
from ladder.matches.durations import clock_columns, clock_of
from ladder.matches.kinds import Kind
from ladder.matches.states import JOB
from ladder.model import Deal, Entry, Match, MatchState, Seat, now


def add_round(
    session: Session,
    tournament: model.Tournament,
    number: int,
    planned: Sequence[PlannedDeal],
    at: datetime,
) -> None:
    """Insert all matches of a round, queued, in the order planned."""
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
    """Return the version that plays for each bot, in the order of the entry list."""
    query = (
        select(Entry.bot_id, Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.number)
    )
    return dict(session.execute(query).all())


def round_luck(seed: int, number: int) -> Random:
    """Return the random numbers of a round, the same each time."""
    return Random(f"round {number} of {seed}")


def first_round(wish: Wish, rng: Random) -> tuple[PlannedDeal, ...]:
    """Plan the first round; in formats other than Swiss it is the only one."""
    if wish.format is Format.SWISS:
        ranks = dict.fromkeys(wish.bot_ids, 1)
        return swiss_round(ranks, seats=wish.seats, deals=wish.deals, past=(), rng=rng)
    plan = gauntlet if wish.format is Format.GAUNTLET else round_robin
    return plan(wish.bot_ids, seats=wish.seats, deals=wish.deals, rng=rng)


def next_round(session: Session, tournament: model.Tournament) -> None:
    """Plan and insert the next round of a Swiss tournament, by the standings so far."""
    tournament.round += 1
    session.flush()
    rows = cross_table(session, tournament.id).rows
    assert tournament.seed is not None  # every tournament with rounds has one
    planned = swiss_round(
        {row.bot_id: row.rank for row in rows},
        seats=tournament.seats,
        deals=tournament.deals,
        past=_past(session, tournament),
        rng=round_luck(tournament.seed, tournament.round),
    )
    add_round(session, tournament, tournament.round, planned, now(session))


def _shared(tournament: model.Tournament, number: int, at: datetime) -> dict[str, Any]:
    """Return the columns that all matches of the round share."""
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


def _past(session: Session, tournament: model.Tournament) -> list[list[Table]]:
    """Read the tables of each earlier round: one seat order for each deal."""
    query = (
        select(Match.round, Match.id, Seat.bot_id)
        .join(Seat, Seat.match_id == Match.id)
        .where(
            Match.tournament_id == tournament.id,
            Match.rotation == 0,
            Match.round < tournament.round,
        )
        .order_by(Match.id, Seat.seat)
    )
    orders: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, match_id, bot in session.execute(query):
        orders[number or 1, match_id].append(bot)
    past: list[list[Table]] = [[] for _ in range(tournament.round - 1)]
    for (number, _), order in orders.items():
        past[number - 1].append(tuple(order))
    return past
