"""Why a casual game was won, for who played it: its analysis, as a match has one."""

from typing import Final

from flask import Blueprint, Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.analyses import queue
from ladder.analyses.job import CASUAL_ANALYSES
from ladder.analyses.queue import AnalysisRow
from ladder.casual import opening
from ladder.errors import NotFound
from ladder.model import CasualSeat
from web import limits, security
from web.database import session
from web.frames import You
from web.parameters import MOST
from web.viewer import analyses
from web.viewer.analyses import Addresses

blueprint = Blueprint("play_analysis", __name__)
blueprint.after_request(security.no_store)

_PATH: Final = "/play/<string(length=24):key>/analysis"


def addresses(key: str) -> Addresses:
    """Return the addresses of a game's analysis, by the key of a seat in it."""
    page, part, document, form = (
        url_for(f"play_analysis.{name}", key=key) for name in ("page", "part", "document", "form")
    )
    lines = url_for("play_analysis.line", key=key, moment=0).removesuffix("/0")
    return Addresses(key, page, part, document, lines, form, url_for("play.table", key=key))


@blueprint.get(_PATH)
def page(key: str) -> ResponseReturnValue:
    """Show how the analysis of a game stands, or what it came to."""
    return _rendered("play/analysis.html", key)


@blueprint.get(f"{_PATH}/part")
def part(key: str) -> ResponseReturnValue:
    """Return the same as a part of the viewer's page."""
    return _rendered("replays/analysis_part.html", key)


@blueprint.get(f"{_PATH}/document")
def document(key: str) -> Response:
    """Return what the viewer shows of an analysis as JSON, in the language of the request."""
    standing, record, you = _read(key)
    return analyses.document_answer(analyses.stored(standing), record, addresses(key).lines, you)


@blueprint.get(f"{_PATH}/lines/<int(max={MOST}):moment>")
def line(key: str, moment: int) -> Response:
    """Return the frames of the best line at a decision as JSON, in the language of the request."""
    standing, record, you = _read(key)
    return analyses.line_answer(analyses.stored(standing), record, moment, you)


@blueprint.post(_PATH)
def form(key: str) -> ResponseReturnValue:
    """Ask for the analysis of a game that is over, and lead to where it will be shown."""
    limits.analysis()
    game, _ = opening.seat_of(session(), key)
    queue.ask(session(), game.id, CASUAL_ANALYSES)
    session().commit()
    return redirect(url_for(".page", key=key), 303)


def _rendered(template: str, key: str) -> str:
    standing, record, you = _read(key)
    return render_template(
        template,
        standing=standing,
        summary=analyses.summary(standing, record, you),
        analysis_at=addresses(key),
    )


def reader(seat: CasualSeat) -> You:
    """Return a person who reads of the game from the own seat."""
    return You(seat.seat, seat.user.name if seat.user is not None else "")


def _read(key: str) -> tuple[AnalysisRow, bytes, You]:
    """Return how the analysis of a game stands, its replay file, and who reads. Raises NotFound."""
    game, seat = opening.seat_of(session(), key)
    if game.replay is None:
        raise NotFound("this game has no replay")
    return queue.analysis(session(), game.id, CASUAL_ANALYSES), game.replay, reader(seat)
