"""Making a tournament: all its matches are rows before the first is played."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.database import models, now, write
from ladder.database.models import Deal, Match, Seat, Version
from ladder.errors import NotFound
from ladder.matches.states import State
from ladder.pairings import PlannedDeal, round_robin
from ladder.tournaments.reading import Tournament, row
from referee.clock import Clock


def create(
    session: Session,
    *,
    name: str,
    seats: int,
    bot_ids: Sequence[int],
    deals: int,
    clock: Clock,
    seed: int | None = None,
    rated: bool = True,
) -> Tournament:
    """A round robin: every combination of `seats` of the bots plays `deals` deals.

    A deal is one layout in every rotation of the seats, so a combination plays deals x seats
    matches. All are made at once, queued; none is played before `start`. The same seed gives the
    same pairings and layouts. Raises Refused for fewer bots than seats, NotFound for an unknown
    bot. The caller commits.
    """
    write(session)
    planned = round_robin(bot_ids, seats=seats, deals=deals, rng=Random(seed))
    at = now(session)
    tournament = models.Tournament(
        name=name, seats=seats, state="created", total=len(planned) * seats, created_at=at
    )
    session.add(tournament)
    session.flush()
    versions = _active_versions(session, bot_ids)
    for deal in planned:
        session.add_all(_matches(deal, tournament, versions, clock, rated, at))
    session.flush()
    return row(tournament)


def _active_versions(session: Session, bot_ids: Sequence[int]) -> dict[int, int]:
    """The id of the active version by bot; raises NotFound."""
    query = select(Version.bot_id, Version.id).where(Version.active, Version.bot_id.in_(bot_ids))
    versions = dict(session.execute(query).all())
    for bot in bot_ids:
        if bot not in versions:
            raise NotFound(f"there is no bot {bot}")
    return versions


def _matches(
    planned: PlannedDeal,
    tournament: models.Tournament,
    versions: dict[int, int],
    clock: Clock,
    rated: bool,
    at: datetime,
) -> list[Match]:
    deal = Deal(tournament_id=tournament.id, layout_seed=planned.layout_seed)
    return [
        Match(
            tournament_id=tournament.id,
            deal=deal,
            rotation=rotation,
            seats=len(table),
            state=State.QUEUED,
            rated=rated,
            move_limit_ms=round(clock.move_limit * 1000),
            bank_ms=round(clock.bank * 1000),
            increment_ms=round(clock.increment * 1000),
            start_up_ms=round(clock.start_up * 1000),
            created_at=at,
            table=[
                Seat(seat=seat, bot_id=bot, version_id=versions[bot])
                for seat, bot in enumerate(table)
            ],
        )
        for rotation, table in enumerate(planned.matches)
    ]
