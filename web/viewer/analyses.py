"""Why a game was won: the page of a match's analysis, and what the viewer asks of it.

The page needs no script. The viewer asks for the part of it that says how the analysis stands,
then for the document, and for the best line at a decision when somebody wants to see it. Programs
get the analysis as JSON, by the API; both can ask for one.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from flask import Blueprint, Flask, Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.analyses import asking
from ladder.analyses.asking import AnalysisRow, AnalysisState
from ladder.errors import NotFound
from ladder.matches import reading as matches
from referee import analysis
from referee.analysis import SeatSummary, summaries
from referee.replay import read
from web import limits
from web.database import session
from web.frames import seat_labels
from web.languages import gettext as _
from web.languages import language, mark
from web.parameters import MOST
from web.viewer import analysis_data
from web.viewer.analysis_data import GLYPHS, MARKS, sentences, unpacked
from web.viewer.replays import packed_answer, worded
from web.viewer.scripted import best_line
from web.viewer.stills import game
from web.words import words_of

blueprint = Blueprint("analyses", __name__)

_PATH: Final = f"/matches/<int(max={MOST}):match_id>/analysis"
_KEPT: Final = 128  # summaries, and compressed documents of about 10 kB
_LEVEL: Final = 4

KINDS: Final[Mapping[str, str]] = {
    # Translators: kinds of decisions: how far to drive, a good from Pablo, what to ask of Alonso,
    # what to give to El Zorro, the building to visit, how to use it, and so on.
    "drive": mark("driving"),
    "pick": mark("Pablo"),
    "lawyer": mark("Alonso"),
    "tribute": mark("El Zorro"),
    "visit": mark("choosing a building"),
    "function": mark("using a building"),
    "deliver": mark("delivering"),
    "demand": mark("leaving a good ashore"),
}
"""The kinds of decisions, in the order of a turn."""
PHASES: Final[Mapping[str, str]] = {
    # Translators: parts of a game.
    "opening": mark("opening"),
    "middle": mark("middle game"),
    "end": mark("endgame"),
}
"""The parts of a game."""


def init_app(app: Flask) -> None:
    """Give templates the signs and names of marks, kinds of decisions and parts of a game."""
    app.jinja_env.globals["mark_signs"] = GLYPHS
    names = {"mark_name": MARKS, "kind_name": KINDS, "phase_name": PHASES}
    for name, table in names.items():
        app.add_template_filter(lambda code, table=table: _(table[code]), name)


@blueprint.get(_PATH)
def page(match_id: int) -> ResponseReturnValue:
    """Show how the analysis of a match stands, or what it came to."""
    return _part("replays/analysis.html", match_id)


@blueprint.get(f"{_PATH}/part")
def part(match_id: int) -> ResponseReturnValue:
    """Return the same as a part of the viewer's page."""
    return _part("replays/analysis_part.html", match_id)


@blueprint.get(f"{_PATH}/document")
def document(match_id: int) -> Response:
    """Return what the viewer shows of an analysis as JSON, in the language of the request."""
    data = matches.replay(session(), match_id)
    lines = url_for(".line", match_id=match_id, moment=0).removesuffix("/0")
    return packed_answer(analysis_data.document(_stored(match_id), data, lines, language()))


@blueprint.get(f"{_PATH}/lines/<int(max={MOST}):moment>")
def line(match_id: int, moment: int) -> Response:
    """Return the frames of the best line at a decision as JSON, in the language of the request."""
    found = unpacked(_stored(match_id))
    decision = next((one for one in found.decisions if one.moment == moment), None)
    if decision is None:
        raise NotFound("there was no decision at moment %(moment)s", moment=moment)
    data = matches.replay(session(), match_id)
    frames = best_line(read(data), game(data), decision, words_of(language()))
    return packed_answer(analysis_data.packed(frames))


@blueprint.post(_PATH)
def form(match_id: int) -> ResponseReturnValue:
    """Ask for the analysis of a match, and lead to where it will be shown."""
    ask(match_id)
    return redirect(url_for(".page", match_id=match_id), 303)


def shown(match_id: int) -> Response:
    """Return how the analysis of a match stands, with the newest one. Raises NotFound."""
    found = asking.analysis(session(), match_id)
    if found.state is AnalysisState.NONE and found.data is None:
        raise NotFound(
            "match %(match)s has not been analysed: ask for it by POST to this address",
            match=match_id,
        )
    return packed_answer(_packed(found))


def ask(match_id: int) -> AnalysisRow:
    """Ask for the analysis of a match. Raises NotFound, Refused and TooMany."""
    limits.analysis()
    found = asking.ask(session(), match_id)
    session().commit()
    return found


@dataclass(frozen=True)
class TurningPoint:
    """A turning point: its moment and turn (0 in the setup), what happened, and what it changed."""

    at: int
    turn: int
    text: str
    explanation: str


@dataclass(frozen=True)
class Summary:
    """The summary of an analysis, as pages show it."""

    labels: list[str]
    seats: tuple[SeatSummary, ...]
    turning: list[TurningPoint]

    @property
    def kinds(self) -> list[str]:
        """The kinds of decisions that were made."""
        return [kind for kind in KINDS if any(kind in seat.by_kind for seat in self.seats)]

    @property
    def phases(self) -> list[str]:
        """The parts of the game in which decisions were made."""
        return [phase for phase in PHASES if any(phase in seat.by_phase for seat in self.seats)]


def _part(template: str, match_id: int) -> str:
    row = matches.match(session(), match_id)
    if not row.has_replay:
        raise NotFound("match %(match)s has no replay", match=match_id)
    standing = asking.analysis(session(), match_id)
    summary = None
    if standing.data is not None:
        summary = _summary(standing.data, matches.replay(session(), match_id), language())
    return render_template(template, match=row, standing=standing, told=summary)


def _stored(match_id: int) -> bytes:
    stored = asking.analysis(session(), match_id).data
    if stored is None:
        raise NotFound("match %(match)s has not been analysed yet", match=match_id)
    return stored


@lru_cache(_KEPT)
def _summary(stored: bytes, record: bytes, code: str) -> Summary:
    found, played = unpacked(stored), game(record)
    frames = worded(played, words_of(code))
    turning = [
        TurningPoint(
            moment, played["frames"][moment - 1]["state"]["turn"], frames[moment]["text"], sentence
        )
        for moment, sentence in sentences(stored, record, code).items()
    ]
    return Summary(seat_labels(played["seats"]), summaries(found), turning)


@lru_cache(_KEPT)
def _packed(row: AnalysisRow) -> bytes:
    """Return the JSON document of a row, gzipped."""
    answer = {
        "match": row.match_id,
        "state": row.state,
        "engine": row.engine,
        "outdated": row.outdated,
        "made_at": row.made_at,
        "reason": row.reason,
        "failed_at": row.failed_at,
        "analysis": None if row.data is None else analysis.document(unpacked(row.data)),
    }
    whole = json.dumps(answer, default=datetime.isoformat, separators=(",", ":"))
    return gzip.compress(whole.encode(), _LEVEL, mtime=0)
