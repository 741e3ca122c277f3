"""The ladders, and the rating history of a bot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ladder.ratings.boards import Sort, board, overview
from ladder.ratings.histories import rating_entries
from web.api.operations import Part
from web.api.schemas import ratings as schemas
from web.database import session

part = Part("standings", "The ladders of tables of 2, 3 and 4, and how ratings came about.")


@part.get("/standings", schemas.AllStandings(), query=schemas.OverviewQuery())
def all_ladders(given: dict[str, Any]) -> object:
    """All bots with a rated game, each with its places on all ladders."""
    found = overview(session(), **given)
    rows = [
        {**asdict(row), "places": [place for place in row.places if place is not None]}
        for row in found.rows
    ]
    return {"bots": rows, "found": found.found, "next": _next(found.found, given)}


@part.get("/standings/{seats}", schemas.Standings(), query=schemas.StandingsQuery())
def standings_of(seats: int, given: dict[str, Any]) -> object:
    """One ladder, best first unless something else is asked for."""
    sort, order = Sort(given.pop("sort")), given.pop("order")
    found = board(session(), seats, sort=sort, reverse=order == "reverse", **given)
    return {
        "seats": seats,
        "standings": found.rows,
        "found": found.found,
        "next": _next(found.found, given),
    }


@part.get("/bots/{bot_id}/ratings", schemas.History(), query=schemas.HistoryQuery())
def history(bot_id: int, given: dict[str, Any]) -> object:
    """A bot's rating history on one ladder, newest first."""
    limit = given["limit"]
    found = rating_entries(
        session(), bot_id, given["seats"], before=given["before"], limit=limit + 1
    )
    numbers = sorted({entry.result_number for entry in found}, reverse=True)
    last = numbers[limit - 1] if len(numbers) > limit else None
    shown = [entry for entry in found if last is None or entry.result_number >= last]
    return {"entries": shown, "next": last}


def _next(found: int, given: dict[str, Any]) -> int | None:
    """The number of the page after this one."""
    page: int = given["page"]
    return page + 1 if page * given["limit"] < found and page < schemas.MOST_PAGES else None
