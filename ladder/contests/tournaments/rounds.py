"""What follows when the last match of a round is over: the next round, or the end."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.cross_table import cross_table
from ladder.contests.pairings.swiss import swiss_round
from ladder.contests.pairings.tables import Table
from ladder.contests.tournaments.making import add_round
from ladder.contests.tournaments.reading import found
from ladder.contests.tournaments.telling import tell_over
from ladder.model import Match, Seat, TournamentState, TournamentStep, move_tournament, now


def round_over(session: Session, tournament_id: int, *, at: datetime) -> None:
    """Go on, or end. The ledger must be locked, and all matches made so far be over."""
    tournament = found(session, tournament_id)
    if tournament.state not in (TournamentState.RUNNING, TournamentState.PAUSED):
        return
    if tournament.round < tournament.rounds:
        _next_round(session, tournament)
    else:
        move_tournament(session, tournament_id, TournamentStep.FINISH, finished_at=at)
        tell_over(session, tournament_id)


def round_luck(seed: int, number: int) -> Random:
    """The luck of a round: it can be made again whenever its turn comes."""
    return Random(f"round {number} of {seed}")


def _next_round(session: Session, tournament: model.Tournament) -> None:
    """Make the matches of the next round of a Swiss tournament, by the standing so far."""
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


def _past(session: Session, tournament: model.Tournament) -> list[list[Table]]:
    """The tables of each round before, one order a deal."""
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
