"""The standings: all ladders side by side, each by itself, ratings over time, and fairness."""

from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.contests.ladders import is_hosted_only
from ladder.ratings import boards, rebuilding
from ladder.ratings.boards import Sort, board
from ladder.ratings.fairness import ENDS, newest_report
from ladder.ratings.histories import MOST_BOTS, histories, trends
from ladder.ratings.ranks import ranks
from ladder.ratings.tallies import wins_by_seat
from web import home, parameters
from web.charts import IntervalScale, Series, rating_chart
from web.database import session
from web.frames import distinct_names
from web.languages import gettext as _

blueprint = Blueprint("standings", __name__)

_PAGE: Final = 50
_SHOWN_BOTS: Final = 5
_SUGGESTIONS: Final = 12
_SPANS: Final = {"day": 1, "week": 7, "month": 30}


@blueprint.get("/")
def ladder() -> ResponseReturnValue:
    """Show the first page; with ?page=, ?by= or ?search= all ladders, with ?seats= one of them.

    That of one table size has ?sort= (?order=reverse), too.
    """
    seats = parameters.table_size()
    if seats is not None:
        return _ladder(seats)
    return overview() if request.args.keys() & {"page", "by", "search"} else home.page()


@blueprint.get("/standings")
def overview() -> ResponseReturnValue:
    """Show all ladders side by side: ?by= one of them or their mean, ?search=, ?page=.

    ?seats= leads to that one of them.
    """
    if seats := parameters.table_size():
        return redirect(url_for(".ladder", seats=seats, search=parameters.text("search") or None))
    by = parameters.table_size("by")
    search, page = parameters.text("search"), parameters.page()
    found = boards.overview(session(), search=search, by=by, page=page, limit=_PAGE)
    return render_template(
        "standings/overview.html",
        rows=found.rows,
        search=search,
        by=by,
        page=page,
        pages_in_all=parameters.pages(found.found, _PAGE),
        played=ranks(session()).played,
        outdated=rebuilding.is_outdated(session()),
    )


@blueprint.get("/standings/history")
def history() -> ResponseReturnValue:
    """Draw the ratings of several bots over time in one chart.

    ?seats= is the ladder, ?bot= (several) the bots, those of the highest rank by default, ?span=
    day, week or month, ?search= finds more bots.
    """
    seats = parameters.table_size() or ranks(session()).busiest
    span = parameters.choice("span", _SPANS)
    search = parameters.text("search")
    chosen = _chosen() or [row.bot_id for row in board(session(), seats, limit=_SHOWN_BOTS).rows]
    since = datetime.now().astimezone() - timedelta(days=_SPANS[span]) if span else None
    found = histories(session(), seats, chosen, since=since)
    names = distinct_names([(bot.name, bot.author) for bot in found.bots])
    series = [Series(name, bot.skills) for name, bot in zip(names, found.bots, strict=True)]
    return render_template(
        "standings/history.html",
        seats=seats,
        played=ranks(session()).played,
        span=span,
        bots=[(bot.bot_id, name) for bot, name in zip(found.bots, names, strict=True)],
        chosen=[bot.bot_id for bot in found.bots],
        most=MOST_BOTS,
        chart=rating_chart(found.times, series),
        search=search,
        found=board(session(), seats, search=search, limit=_SUGGESTIONS).rows if search else (),
        outdated=rebuilding.is_outdated(session()),
    )


@blueprint.get("/fairness")
def fairness() -> str:
    """Show the newest fairness report on the ladder ?seats=."""
    return _reported("standings/fairness.html", ends=ENDS)


@blueprint.get("/habits")
def habits() -> str:
    """Show buildings and first stops in numbers, by strength, on the ladder ?seats=."""
    return _reported("standings/habits.html")


def _reported(template: str, **shown: object) -> str:
    seats = parameters.table_size() or ranks(session()).busiest
    played, found = ranks(session()).played, newest_report(session(), seats)
    return render_template(template, seats=seats, played=played, found=found, **shown)


def _ladder(seats: int) -> ResponseReturnValue:
    sort = parameters.choice("sort", Sort) or Sort.RANK
    reverse = parameters.choice("order", ["reverse"]) is not None
    search, page = parameters.text("search"), parameters.page()
    found = board(
        session(), seats, search=search, sort=sort, reverse=reverse, page=page, limit=_PAGE
    )
    bots = [row.bot_id for row in found.rows]
    ends = [end for row in found.rows for end in (row.low_milli, row.high_milli)]
    return render_template(
        "standings/ladder.html",
        seats=seats,
        played=ranks(session()).played,
        rows=found.rows,
        search=search,
        sort=sort,
        reverse=reverse,
        page=page,
        pages_in_all=parameters.pages(found.found, _PAGE),
        scale=IntervalScale.around(ends),
        wins=wins_by_seat(session(), seats, bots),
        trends=trends(session(), seats, bots),
        hosted_only=is_hosted_only(session(), seats),
        outdated=rebuilding.is_outdated(session()),
    )


def _chosen() -> list[int]:
    texts = request.args.getlist("bot")
    ids = [found for text in texts if (found := parameters.as_number(text))]
    if len(texts) > MOST_BOTS or len(ids) < len(texts):
        abort(400, _("“bot” has to be the id of a bot, %(most)s of them at most.", most=MOST_BOTS))
    return ids
