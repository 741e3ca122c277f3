"""How fair the ladders are: seats, neighbours, games, waiting, workers, pairs that stand out."""

from flask import render_template
from flask.typing import ResponseReturnValue

from ladder.ratings import reports
from ladder.ratings.collusion import remarkable
from web import parameters
from web.database import session
from web.formats import SEATS
from web.standings.ladder import blueprint


@blueprint.get("/fairness")
def fairness() -> ResponseReturnValue:
    """The newest report on the ladder ?seats=."""
    seats = int(parameters.choice("seats", [str(seats) for seats in SEATS]) or SEATS[-1])
    found = reports.stored(session(), seats)
    if found is None:
        return render_template("standings/fairness.html", seats=seats, report=None)
    least = remarkable(found.report.bots)
    return render_template(
        "standings/fairness.html",
        seats=seats,
        report=found.report,
        computed_at=found.computed_at,
        ends=reports.ENDS,
        remarkable=least,
        remarkable_pairs=[pair for pair in found.report.pairs if pair.suspicion >= least],
    )
