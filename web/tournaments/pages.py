"""Tournaments: the list, and one with its progress, standing, cross table, rounds and matches."""

from dataclasses import dataclass
from typing import Final

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches
from ladder.contests.cross_table import CrossTable, Row
from ladder.contests.kept_tables import current_table
from ladder.contests.tournaments import reading, states, tables
from ladder.contests.tournaments.reading import Tournament
from ladder.contests.tournaments.tables import Round
from web import identity, parameters
from web.database import session
from web.kept_parts import Kept
from web.live.channel import OVER
from web.parameters import MOST

blueprint = Blueprint("tournaments", __name__)

_rounds: Final = Kept[Round](most=64)

_PAGE = 50
_LATEST = 8
_WIDEST = 40
"""Of a larger field the page shows one part of the cross table: so many rows and columns of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """Bots that stand one after another in a table, counted from 1; `number` is the part's."""

    number: int
    rows: tuple[Row, ...]
    first: int
    last: int


@blueprint.get("/tournaments")
def listing() -> ResponseReturnValue:
    """The newest tournaments; ?before= pages."""
    before = parameters.number("before")
    found = reading.page(session(), before=before, limit=_PAGE + 1)
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
    """One tournament; its progress updates itself.

    ?round= chooses one of a Swiss tournament, ?rows= and ?columns= a part of a large cross table.
    """
    found = reading.tournament(session(), tournament_id)
    table = current_table(session(), tournament_id)
    parts = _parts(table)
    rows, columns = _chosen(parts, "rows"), _chosen(parts, "columns")
    return render_template(
        "tournaments/tournament.html",
        tournament=found,
        progress=reading.progress(session(), tournament_id, known=found),
        table=table,
        parts=parts,
        rows=rows,
        columns=columns,
        cells=_cells(rows, columns),
        entries=reading.entries(session(), tournament_id),
        round=_round(found, table),
        steps=states.possible(found.state) if _may_lead() else (),
        latest=matches.page(session(), tournament_id=tournament_id, limit=_LATEST).matches,
    )


def _round(found: Tournament, table: CrossTable) -> Round | None:
    """The round that is asked for, else the newest; None where there are no rounds.

    Once its matches are over it can only change when the cross table does.
    """
    if found.rounds == 1:
        return None
    number = min(parameters.number("round") or found.round, found.round)
    place = (found.id, number)
    known = _rounds.get(place, table)
    if known is None:
        known = tables.round_of(session(), found.id, number)
        if known.tables and all(
            match.state in OVER for seated in known.tables for match in seated.matches
        ):
            _rounds.put(place, table, known)
    return known


def _parts(table: CrossTable) -> list[Part]:
    """The rows of the table, and its columns as well: one part unless it is large."""
    rows, starts = table.rows, range(0, len(table.rows), _WIDEST)
    return [
        Part(number, rows[start : start + _WIDEST], start + 1, min(start + _WIDEST, len(rows)))
        for number, start in enumerate(starts, 1)
    ]


def _chosen(parts: list[Part], which: str) -> Part:
    """The part that is asked for, else the first."""
    return parts[min(parameters.number(which) or 1, len(parts)) - 1]


def _cells(rows: Part, columns: Part) -> dict[tuple[int, int], tuple[float, int]]:
    """Points and games by bot and opponent, of what is shown."""
    opponents = {row.bot_id for row in columns.rows}
    return {
        (row.bot_id, cell.opponent_id): (cell.points, cell.games)
        for row in rows.rows
        for cell in row.cells
        if cell.opponent_id in opponents
    }


def _may_lead() -> bool:
    asking = identity.browser()
    return asking is not None and asking.may_organise
