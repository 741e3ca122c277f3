"""Tournaments: the list, and one with its progress, standing, cross table, rounds and matches."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches, tournaments
from ladder.standings import CrossTable, current_table
from ladder.tournaments import Round, Tournament
from web import identity, parameters
from web.database import session
from web.parameters import MOST

blueprint = Blueprint("tournaments", __name__)

_PAGE = 50
_LATEST = 8
_WIDEST = 40
"""Of a larger field the page shows no cross table: the matches can be filtered by two bots."""


@blueprint.get("/tournaments")
def listing() -> ResponseReturnValue:
    """The newest tournaments; ?before= pages."""
    before = parameters.number("before")
    found = tournaments.page(session(), before=before, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return render_template(
        "tournaments/listing.html",
        tournaments=shown,
        organiser=_may_lead(),
        first=before is None,
        next_before=shown[-1].id if len(found) > _PAGE else None,
    )


@blueprint.get(f"/tournaments/<int(max={MOST}):tournament_id>")
def tournament(tournament_id: int) -> ResponseReturnValue:
    """One tournament; its progress updates itself. ?round= chooses one of a Swiss tournament."""
    found = tournaments.tournament(session(), tournament_id)
    table = current_table(session(), tournament_id)
    return render_template(
        "tournaments/tournament.html",
        tournament=found,
        progress=tournaments.progress(session(), tournament_id),
        table=table,
        cells=_cells(table),
        entries=tournaments.entries(session(), tournament_id),
        round=_round(found),
        steps=tournaments.possible(found.state) if _may_lead() else (),
        latest=matches.page(session(), tournament_id=tournament_id, limit=_LATEST).matches,
    )


def _round(found: Tournament) -> Round | None:
    """The round that is asked for, else the newest; None where there are no rounds."""
    if found.rounds == 1:
        return None
    number = min(parameters.number("round") or found.round, found.round)
    return tournaments.round_of(session(), found.id, number)


def _cells(table: CrossTable) -> dict[tuple[int, int], tuple[float, int]]:
    """Points and games by bot and opponent; empty for a field that is too large to be shown."""
    if len(table.rows) > _WIDEST:
        return {}
    return {
        (row.bot_id, cell.opponent_id): (cell.points, cell.games)
        for row in table.rows
        for cell in row.cells
    }


def _may_lead() -> bool:
    asking = identity.browser()
    return asking is not None and asking.may_organise
