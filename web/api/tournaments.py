"""Tournaments as everybody may see them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ladder.contests.cross_table import current_table
from ladder.contests.tournaments import lookup
from web.api.operations import Part
from web.api.schemas import tournaments as schemas
from web.api.schemas.base import Paging, page_of
from web.database import session

part = Part("tournaments", "Tournaments: their matches, standing and entry lists.")


@part.get("/tournaments", schemas.TournamentPage(), query=Paging())
def page(given: dict[str, Any]) -> object:
    """Tournaments, newest first."""
    limit = given["limit"]
    found = lookup.page(session(), before=given["before"], limit=limit + 1)
    return page_of(found, limit, "id", "tournaments")


@part.get("/tournaments/{tournament_id}", schemas.Tournament())
def tournament(tournament_id: int) -> object:
    """One tournament."""
    return lookup.tournament(session(), tournament_id)


@part.get("/tournaments/{tournament_id}/progress", schemas.Progress())
def progress(tournament_id: int) -> object:
    """How far a tournament is."""
    read = lookup.tournament(session(), tournament_id)
    found = lookup.progress(session(), tournament_id, known=read)
    return {**asdict(found), "over": found.over, "state": read.state}


@part.get("/tournaments/{tournament_id}/entries", schemas.Entries())
def entries(tournament_id: int) -> object:
    """The entry list of a tournament."""
    return {"entries": lookup.entries(session(), tournament_id)}


@part.get("/tournaments/{tournament_id}/standing", schemas.TournamentStanding())
def standing(tournament_id: int) -> object:
    """The standing of a tournament with its tie-breaks."""
    return current_table(session(), tournament_id)


@part.get("/tournaments/{tournament_id}/cross-table", schemas.CrossTable())
def cross_table(tournament_id: int) -> object:
    """The standing of a tournament, and each bot against each other one."""
    return current_table(session(), tournament_id)


@part.get("/tournaments/{tournament_id}/rounds/{round}", schemas.Round())
def round_of(tournament_id: int, round: int) -> object:
    """One round of a Swiss tournament: its tables, and who sits out."""
    found = lookup.round_of(session(), tournament_id, round)
    rows = [
        {
            "bots": [
                {"bot_id": entrant.bot_id, "name": entrant.name, "points": points}
                for entrant, points in table.bots
            ],
            "matches": table.matches,
        }
        for table in found.tables
    ]
    return {"number": found.number, "tables": rows, "sitting_out": found.sitting_out}
