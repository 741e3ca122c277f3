"""Why a game was won: the page of its analysis, and what the viewer asks of it.

The pages of matches and of casual games have the same views; a match is named by its id, a casual
game by the key of a seat in it, whose player reads of it as You. The page needs no script. The
viewer asks for the part of it that says how the analysis stands, then for the document, and for
the best line at a decision when somebody wants to see it. Programs get the analysis of a match as
JSON, by the API; both can ask for one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from flask import Blueprint, Flask, Response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.analyses import queue
from ladder.analyses.job import ANALYSES, CASUAL_ANALYSES, Analyses
from ladder.analyses.queue import AnalysisRow, AnalysisState
from ladder.casual import opening
from ladder.casual.record import shown_replay
from ladder.errors import NotFound
from ladder.matches import reading as matches
from ladder.matches.reading import MatchRow
from referee import analysis
from referee.analysis import SeatSummary, summaries
from referee.replay import read
from web import limits, security
from web.database import session
from web.delivery import packed_json
from web.frames import You, read_by, seat_labels
from web.languages import gettext as _, language, mark
from web.parameters import MOST
from web.viewer import analysis_data
from web.viewer.analysis_data import GLYPHS, MARKS, sentences, unpacked
from web.viewer.replays import best_line, packed_answer, worded
from web.viewer.stills import game as frames_of
from web.viewer.tables import reader
from web.words import words_of

blueprint = Blueprint(
    "analyses", __name__, url_prefix=f"/matches/<int(max={MOST}):match_id>/analysis"
)
_of_people: Final = Blueprint(
    "play_analysis", __name__, url_prefix="/play/<string(length=24):key>/analysis"
)
_of_people.after_request(security.no_store)

_KEPT: Final = 128  # summaries, and compressed documents of about 10 kB

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
    """Add the pages of casual games; give templates the signs and names of marks, and addresses."""
    app.register_blueprint(_of_people)
    app.jinja_env.globals.update(
        mark_signs=GLYPHS, analysis_of_match=of_match, analysis_of_seat=of_seat
    )
    names = {"mark_name": MARKS, "kind_name": KINDS, "phase_name": PHASES}
    for name, table in names.items():
        app.add_template_filter(lambda code, table=table: _(table[code]), name)


@dataclass(frozen=True, repr=False)  # a casual game's hold the key of a seat
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


def of_match(match_id: int) -> Addresses:
    """Return the addresses of a match's analysis."""
    replay = url_for("matches.match", match_id=match_id)
    return _addresses("analyses", str(match_id), replay, match_id=match_id)


def of_seat(key: str) -> Addresses:
    """Return the addresses of a casual game's analysis, by the key of a seat in it."""
    return _addresses("play_analysis", key, url_for("play.table", key=key), key=key)


def _addresses(pages: str, name: str, replay: str, **game: Any) -> Addresses:
    page, part, document, form = (
        url_for(f"{pages}.{view}", **game) for view in ("page", "part", "document", "form")
    )
    lines = url_for(f"{pages}.line", moment=0, **game).removesuffix("/0")
    return Addresses(name, page, part, document, lines, form, replay)


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


@dataclass(frozen=True)
class _Game:
    """A game with a replay: how its analysis stands, and the reader if it is one of the players."""

    standing: AnalysisRow
    record: bytes
    you: You | None
    at: Addresses

    @property
    def analysis(self) -> bytes:
        """The analysis as it is stored. Raises NotFound if there is none yet."""
        if self.standing.data is None:
            raise NotFound("match %(match)s has not been analysed yet", match=self.standing.game_id)
        return self.standing.data

    @property
    def summary(self) -> Summary | None:
        """The summary of the analysis in the language of the request; None without one."""
        data = self.standing.data
        return None if data is None else _summary(data, self.record, language(), self.you)


def page(**game: Any) -> ResponseReturnValue:
    """Show how the analysis of a game stands, or what it came to."""
    match = matches.match(session(), game["match_id"]) if "match_id" in game else None
    return _rendered("replays/analysis.html", _read(**game), match)


def part(**game: Any) -> ResponseReturnValue:
    """Return the same as a part of the viewer's page."""
    return _rendered("replays/analysis_part.html", _read(**game))


def _rendered(template: str, found: _Game, match: MatchRow | None = None) -> str:
    return render_template(
        template, match=match, standing=found.standing, summary=found.summary, analysis_at=found.at
    )


def document(**game: Any) -> Response:
    """Return what the viewer shows of an analysis as JSON, in the language of the request."""
    found = _read(**game)
    return packed_answer(
        analysis_data.document(found.analysis, found.record, found.at.lines, language(), found.you)
    )


def line(moment: int, **game: Any) -> Response:
    """Return the frames of the best line at a decision as JSON, in the language of the request."""
    found = _read(**game)
    decisions = unpacked(found.analysis).decisions
    decision = next((one for one in decisions if one.moment == moment), None)
    if decision is None:
        raise NotFound("there was no decision at moment %(moment)s", moment=moment)
    words = words_of(language())
    played = read_by(frames_of(found.record), found.you, words)
    frames = best_line(read(found.record), played, decision, words)
    return packed_answer(packed_json(frames))


def form(**game: Any) -> ResponseReturnValue:
    """Ask for the analysis of a game that is over, and lead to where it will be shown."""
    if "match_id" in game:
        ask(game["match_id"])
    else:
        ask(opening.seat_of(session(), game["key"])[0].id, CASUAL_ANALYSES)
    return redirect(url_for(".page", **game), 303)


for _pages in (blueprint, _of_people):
    _pages.get("")(page)
    _pages.get("/part")(part)
    _pages.get("/document")(document)
    _pages.get(f"/lines/<int(max={MOST}):moment>")(line)
    _pages.post("")(form)


def _read(match_id: int | None = None, key: str = "") -> _Game:
    """Return a match, or the casual game of a seat. Raises NotFound."""
    if match_id is not None:
        standing = queue.analysis(session(), match_id)
        return _Game(standing, matches.replay(session(), match_id), None, of_match(match_id))
    game, seat = opening.seat_of(session(), key)
    if game.replay is None:
        raise NotFound("this game has no replay")
    standing = queue.analysis(session(), game.id, CASUAL_ANALYSES)
    return _Game(standing, shown_replay(game), reader(seat), of_seat(key))


def shown(match_id: int) -> Response:
    """Return how the analysis of a match stands, with the newest one. Raises NotFound."""
    found = queue.analysis(session(), match_id)
    if found.state is AnalysisState.NONE and found.data is None:
        matches.replay(session(), match_id)  # without one, nobody can ask for it either
        raise NotFound(
            "match %(match)s has not been analysed: ask for it by POST to this address",
            match=match_id,
        )
    return packed_answer(_packed(found))


def ask(game_id: int, kind: Analyses = ANALYSES) -> AnalysisRow:
    """Ask for the analysis of a match, or of a casual game. Raises NotFound, Refused, TooMany."""
    limits.ANALYSIS.count_visitor()
    if queue.is_crowded(session(), kind):
        limits.ANALYSIS_IN_CROWD.count_visitor()
    found = queue.ask(session(), game_id, kind)
    session().commit()
    return found


@lru_cache(_KEPT)
def _summary(stored: bytes, record: bytes, code: str, you: You | None) -> Summary:
    found, words = unpacked(stored), words_of(code)
    played = read_by(frames_of(record), you, words)
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
    return packed_json(answer)
