"""Why a game was won: the page of its analysis, and what the viewer asks of it.

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

from ladder.analyses import queue as analyses
from ladder.analyses.queue import AnalysisRow, AnalysisState
from ladder.errors import NotFound
from ladder.matches import reading as matches
from referee import analysis
from referee.analysis import SeatSummary, summaries
from referee.replay import read
from web import limits
from web.database import session
from web.frames import You, read_by, seat_labels
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
    """Give templates the signs and names of marks, and the addresses of analyses."""
    app.jinja_env.globals.update(mark_signs=GLYPHS, analysis_of_match=addresses)
    names = {"mark_name": MARKS, "kind_name": KINDS, "phase_name": PHASES}
    for name, table in names.items():
        app.add_template_filter(lambda code, table=table: _(table[code]), name)


@dataclass(frozen=True)
class Addresses:
    """The addresses of a game's analysis: page, viewer's part and data, form; and of its replay."""

    name: str
    """Under which a browser remembers what its user has seen of the game."""
    page: str
    part: str
    document: str
    lines: str
    """The address of best lines, without the moment."""
    form: str
    replay: str

    def moment(self, at: int) -> str:
        """Return the address of the replay at a moment."""
        return f"{self.replay}?at={at}"


def addresses(match_id: int) -> Addresses:
    """Return the addresses of a match's analysis."""
    page, part, document, form = (
        url_for(f"analyses.{name}", match_id=match_id)
        for name in ("page", "part", "document", "form")
    )
    lines = url_for("analyses.line", match_id=match_id, moment=0).removesuffix("/0")
    replay = url_for("matches.match", match_id=match_id)
    return Addresses(str(match_id), page, part, document, lines, form, replay)


@blueprint.get(_PATH)
def page(match_id: int) -> ResponseReturnValue:
    """Show how the analysis of a match stands, or what it came to."""
    return _rendered("replays/analysis.html", match_id)


@blueprint.get(f"{_PATH}/part")
def part(match_id: int) -> ResponseReturnValue:
    """Return the same as a part of the viewer's page."""
    return _rendered("replays/analysis_part.html", match_id)


@blueprint.get(f"{_PATH}/document")
def document(match_id: int) -> Response:
    """Return what the viewer shows of an analysis as JSON, in the language of the request."""
    record = matches.replay(session(), match_id)
    return document_answer(_stored(match_id), record, addresses(match_id).lines)


@blueprint.get(f"{_PATH}/lines/<int(max={MOST}):moment>")
def line(match_id: int, moment: int) -> Response:
    """Return the frames of the best line at a decision as JSON, in the language of the request."""
    return line_answer(_stored(match_id), matches.replay(session(), match_id), moment)


def document_answer(stored: bytes, record: bytes, lines: str, you: You | None = None) -> Response:
    """Return what the viewer shows of an analysis and a replay; `lines` is as in `Addresses`.

    `you` is the reader if it is one of the players.
    """
    return packed_answer(analysis_data.document(stored, record, lines, language(), you))


def line_answer(stored: bytes, record: bytes, moment: int, you: You | None = None) -> Response:
    """Return the frames of the best line at a decision. Raises NotFound if there was none."""
    found = unpacked(stored)
    decision = next((one for one in found.decisions if one.moment == moment), None)
    if decision is None:
        raise NotFound("there was no decision at moment %(moment)s", moment=moment)
    words = words_of(language())
    frames = best_line(read(record), read_by(game(record), you, words), decision, words)
    return packed_answer(analysis_data.packed(frames))


@blueprint.post(_PATH)
def form(match_id: int) -> ResponseReturnValue:
    """Ask for the analysis of a match, and lead to where it will be shown."""
    ask(match_id)
    return redirect(url_for(".page", match_id=match_id), 303)


def shown(match_id: int) -> Response:
    """Return how the analysis of a match stands, with the newest one. Raises NotFound."""
    found = analyses.analysis(session(), match_id)
    if found.state is AnalysisState.NONE and found.data is None:
        raise NotFound(
            "match %(match)s has not been analysed: ask for it by POST to this address",
            match=match_id,
        )
    return packed_answer(_packed(found))


def ask(match_id: int) -> AnalysisRow:
    """Ask for the analysis of a match. Raises NotFound, Refused and TooMany."""
    limits.analysis()
    found = analyses.ask(session(), match_id)
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


def summary(standing: AnalysisRow, record: bytes, you: You | None = None) -> Summary | None:
    """Return the summary of an analysis in the language of the request; None without one.

    `you` is the reader if it is one of the players.
    """
    return None if standing.data is None else _summary(standing.data, record, language(), you)


def stored(standing: AnalysisRow) -> bytes:
    """Return the analysis as it is stored. Raises NotFound if there is none yet."""
    if standing.data is None:
        raise NotFound("match %(match)s has not been analysed yet", match=standing.game_id)
    return standing.data


def _rendered(template: str, match_id: int) -> str:
    row = matches.match(session(), match_id)
    if not row.has_replay:
        raise NotFound("match %(match)s has no replay", match=match_id)
    standing = analyses.analysis(session(), match_id)
    return render_template(
        template,
        match=row,
        standing=standing,
        summary=summary(standing, matches.replay(session(), match_id)),
        analysis_at=addresses(match_id),
    )


def _stored(match_id: int) -> bytes:
    return stored(analyses.analysis(session(), match_id))


@lru_cache(_KEPT)
def _summary(stored: bytes, record: bytes, code: str, you: You | None) -> Summary:
    found, words = unpacked(stored), words_of(code)
    played = read_by(game(record), you, words)
    frames = worded(played, words)
    turning = [
        TurningPoint(
            moment, played["frames"][moment - 1]["state"]["turn"], frames[moment]["text"], sentence
        )
        for moment, sentence in sentences(stored, record, code, you).items()
    ]
    return Summary(seat_labels(played["seats"]), summaries(found), turning)


@lru_cache(_KEPT)
def _packed(row: AnalysisRow) -> bytes:
    """Return the JSON document of a row, gzipped."""
    answer = {
        "match": row.game_id,
        "state": row.state,
        "engine": row.engine,
        "outdated": row.outdated,
        "made_at": row.made_at,
        "reason": row.reason,
        "failed_at": row.failed_at,
        "analysis": None if row.data is None else analysis.document(unpacked(row.data)),
    }
    text = json.dumps(answer, default=datetime.isoformat, separators=(",", ":"))
    return gzip.compress(text.encode(), _LEVEL, mtime=0)
