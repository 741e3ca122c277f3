"""The front page with all ladders, and the ladder of one table size: searched, sorted, paged."""

from typing import Final

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from ladder import matches
from ladder.ratings.boards import Sort, board
from ladder.ratings.details import trends, wins_by_seat
from ladder.ratings.overview import overview
from web import parameters
from web.charts import IntervalScale
from web.database import session
from web.formats import SEATS
from web.languages import gettext as _

blueprint = Blueprint("standings", __name__)

_LATEST: Final = 5
_PAGE: Final = 50
_MOST_PAGES: Final = 10_000


@blueprint.get("/")
def ladder() -> ResponseReturnValue:
    """All ladders, or that of ?seats=2, 3 or 4; ?search= and ?sort= (?order=reverse), ?page=."""
    wanted = parameters.choice("seats", [str(seats) for seats in SEATS])
    return _overview() if wanted is None else _ladder(int(wanted))


def _overview() -> ResponseReturnValue:
    by = parameters.choice("by", [str(seats) for seats in SEATS])
    search, page = _search(), _page()
    found = overview(session(), search=search, by=int(by) if by else None, page=page, limit=_PAGE)
    return render_template(
        "standings/overview.html",
        rows=found.rows,
        found=found.found,
        search=search,
        by=by,
        page=page,
        pages_in_all=_pages(found.found),
        latest=matches.page(session(), state="finished", limit=_LATEST).matches,
    )


def _ladder(seats: int) -> ResponseReturnValue:
    sort = Sort(parameters.choice("sort", list(Sort)) or Sort.RANK)
    reverse = parameters.choice("order", ["reverse"]) is not None
    search, page = _search(), _page()
    found = board(
        session(), seats, search=search, sort=sort, reverse=reverse, page=page, limit=_PAGE
    )
    bots = [row.bot_id for row in found.rows]
    ends = [end for row in found.rows for end in (row.low_milli, row.high_milli)]
    return render_template(
        "standings/ladder.html",
        seats=seats,
        rows=found.rows,
        found=found.found,
        search=search,
        sort=sort,
        sorts=Sort,
        reverse=reverse,
        page=page,
        pages_in_all=_pages(found.found),
        scale=IntervalScale.around(ends),
        wins=wins_by_seat(session(), seats, bots),
        trends=trends(session(), seats, bots),
    )


def _search() -> str:
    return request.args.get("search", "").strip()


def _page() -> int:
    page = parameters.number("page") or 1
    if page > _MOST_PAGES:
        abort(400, _("“page” can be %(most)s at most.", most=_MOST_PAGES))
    return page


def _pages(found: int) -> int:
    return -(-found // _PAGE)
