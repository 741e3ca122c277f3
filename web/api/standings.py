"""The ladders, and the rating history of a bot."""

from __future__ import annotations

from typing import Any

from ladder.ratings.entries import entries
from ladder.standings import on_all_ladders, standings
from web.api.operations import Part
from web.api.schemas import ratings as schemas
from web.database import session

part = Part("standings", "The ladders of tables of 2, 3 and 4, and how ratings came about.")


@part.get("/standings", schemas.AllStandings())
def all_ladders() -> object:
    """All bots with a rated game, each with its places on all ladders."""
    return {"bots": on_all_ladders(session())}


@part.get("/standings/{seats}", schemas.Standings())
def standings_of(seats: int) -> object:
    """One ladder, best first."""
    return {"seats": seats, "standings": standings(session(), seats)}


@part.get("/bots/{bot_id}/ratings", schemas.History(), query=schemas.HistoryQuery())
def history(bot_id: int, given: dict[str, Any]) -> object:
    """A bot's rating history on one ladder, newest first."""
    limit = given["limit"]
    found = entries(session(), bot_id, given["seats"], before=given["before"], limit=limit + 1)
    numbers = sorted({entry.result_number for entry in found}, reverse=True)
    last = numbers[limit - 1] if len(numbers) > limit else None
    shown = [entry for entry in found if last is None or entry.result_number >= last]
    return {"entries": shown, "next": last}
