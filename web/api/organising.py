"""What organisers do with tournaments."""

from __future__ import annotations

from typing import Any

from ladder.contests.tournaments import creating, lifecycle, lookup
from ladder.contests.tournaments.lookup import Tournament
from ladder.errors import Invalid
from ladder.people.accounts import Account
from referee.clock import Clock
from web.api.operations import Part
from web.api.schemas import tournaments as schemas
from web.database import session

part = Part("organising", "Making and leading tournaments (organisers).")

_EXAMPLE = {
    "name": "Copa",
    "format": "round_robin",
    "seats": 3,
    "bots": [1, 2, 3],
    "deals": 2,
    "clock": {"move_limit": 10, "bank": 60, "increment": 0.5, "start_up": 10},
}


@part.post(
    "/tournaments",
    schemas.Tournament(),
    status=201,
    body=schemas.NewTournament(),
    scope="tournaments",
    example=_EXAMPLE,
    may_fail=(404,),
)
def create(asking: Account, given: dict[str, Any]) -> Tournament:
    """Make a tournament; it waits for its start."""
    bot_ids, clock = given.pop("bots"), given.pop("clock")
    made = creating.create(session(), asking, bot_ids=bot_ids, clock=_clock(clock), **given)
    session().commit()
    return made


@part.post("/tournaments/{tournament_id}/start", schemas.Tournament(), scope="tournaments")
def start(tournament_id: int, asking: Account) -> Tournament:
    """Let its matches be played."""
    lifecycle.start(session(), tournament_id, by=asking)
    return _changed(tournament_id)


@part.post("/tournaments/{tournament_id}/pause", schemas.Tournament(), scope="tournaments")
def pause(tournament_id: int, asking: Account) -> Tournament:
    """Let no further match begin; those under way are played to their end."""
    lifecycle.pause(session(), tournament_id, by=asking)
    return _changed(tournament_id)


@part.post("/tournaments/{tournament_id}/resume", schemas.Tournament(), scope="tournaments")
def resume(tournament_id: int, asking: Account) -> Tournament:
    """Go on after a pause."""
    lifecycle.resume(session(), tournament_id, by=asking)
    return _changed(tournament_id)


@part.post("/tournaments/{tournament_id}/cancel", schemas.Tournament(), scope="tournaments")
def cancel(tournament_id: int, asking: Account) -> Tournament:
    """Cancel all matches that have no result yet, for good; results stay."""
    lifecycle.cancel(session(), tournament_id, by=asking)
    return _changed(tournament_id)


def _changed(tournament_id: int) -> Tournament:
    session().commit()
    return lookup.tournament(session(), tournament_id)


def _clock(given: dict[str, float]) -> Clock:
    try:
        return Clock(**given)
    except ValueError as error:
        raise Invalid("clock", str(error).rstrip(".")) from None
