"""The front page: the ladders of tables of 2, 3 and 4, and what was played last."""

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from ladder import matches
from ladder.standings import standings
from web import parameters
from web.database import session
from web.formats import SEATS

blueprint = Blueprint("standings", __name__)

_LATEST = 5


@blueprint.get("/")
def ladder() -> ResponseReturnValue:
    """The standings of one table size: ?seats=2, 3 or 4; the first that has any."""
    wanted = parameters.choice("seats", [str(seats) for seats in SEATS])
    if wanted is None:
        seats, rows = next(
            ((seats, rows) for seats in SEATS if (rows := standings(session(), seats))),
            (SEATS[0], []),
        )
    else:
        seats, rows = int(wanted), standings(session(), int(wanted))
    latest = matches.page(session(), state="finished", limit=_LATEST).matches
    return render_template("standings/ladder.html", seats=seats, rows=rows, latest=latest)
