"""The ratings of several bots over time, in one chart."""

from datetime import datetime, timedelta
from typing import Final

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from ladder.ratings.boards import board
from ladder.ratings.histories import MOST_BOTS, histories
from web import parameters
from web.charts import Series, rating_chart
from web.database import session
from web.formats import SEATS
from web.languages import gettext as _
from web.standings.ladder import blueprint

_DEFAULT: Final = 5
_FOUND: Final = 12
_SPANS: Final = {"day": 1, "week": 7, "month": 30}


@blueprint.get("/standings/history")
def history() -> ResponseReturnValue:
    """?seats= the ladder, ?bot= (several) whose ratings, ?span= day, week or month, ?search= for
    more bots. Without bots those that stand highest."""
    seats = int(parameters.choice("seats", [str(seats) for seats in SEATS]) or SEATS[-1])
    span = parameters.choice("span", list(_SPANS))
    search = request.args.get("search", "").strip()
    chosen = _chosen() or [row.bot_id for row in board(session(), seats, limit=_DEFAULT).rows]
    since = datetime.now().astimezone() - timedelta(days=_SPANS[span]) if span else None
    found = histories(session(), seats, chosen, since=since)
    return render_template(
        "standings/history.html",
        seats=seats,
        span=span,
        spans=tuple(_SPANS),
        bots=found.bots,
        chosen=[bot.bot_id for bot in found.bots],
        most=MOST_BOTS,
        chart=rating_chart(found.times, [Series(bot.name, bot.ratings) for bot in found.bots]),
        times=found.times,
        search=search,
        found=board(session(), seats, search=search, limit=_FOUND).rows if search else (),
    )


def _chosen() -> list[int]:
    texts = request.args.getlist("bot")
    ids = [found for text in texts if (found := parameters.as_number(text))]
    if len(texts) > MOST_BOTS or len(ids) < len(texts):
        abort(400, _("“bot” has to be the id of a bot, %(most)s of them at most.", most=MOST_BOTS))
    return ids
