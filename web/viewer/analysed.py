"""Why a game was won: the page of a match's analysis, and what the viewer asks of it.

The page needs no script. The viewer asks for the part of it that says how the analysis stands,
then for the document, and for the best line at a decision when somebody wants to see it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from gzip import compress
from typing import Any, Final

from flask import Blueprint, Flask, Response, render_template, url_for
from flask.typing import ResponseReturnValue

from ladder.analyses import reading
from ladder.errors import NotFound
from ladder.matches import reading as matches
from referee.analysis import Decision, Mark, SeatSummary, summaries
from referee.replay import read
from referee.rules import move_text
from web.database import session
from web.frames import Document, seat_labels
from web.languages import gettext as _
from web.languages import language, mark
from web.parameters import MOST
from web.viewer.lines import best_line
from web.viewer.replays import packed_answer, worded
from web.viewer.stills import game
from web.viewer.turning import sentences, unpacked
from web.words import words_of

blueprint = Blueprint("analysed", __name__)

_PATH: Final = f"/matches/<int(max={MOST}):match_id>/analysis"
_KEPT: Final = 128  # documents of about 10 kB

GLYPHS: Final[Mapping[str, str]] = {
    Mark.BIG: "??",
    Mark.CLEAR: "?",
    Mark.SMALL: "?!",
    Mark.ONLY: "□",
    Mark.FIND: "!!",
}
"""The signs of marks, as chess players write them."""
MARKS: Final[Mapping[str, str]] = {
    # Translators: what an analysis says of a decision: how much it lost, or why it is remarkable.
    Mark.BIG: mark("big loss"),
    Mark.CLEAR: mark("clear loss"),
    Mark.SMALL: mark("small loss"),
    Mark.ONLY: mark("only good move"),
    Mark.FIND: mark("brilliant find"),
}
"""Their names."""
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
    return packed_answer(_document(_stored(match_id), data, match_id, language()))


@blueprint.get(f"{_PATH}/lines/<int(max={MOST}):moment>")
def line(match_id: int, moment: int) -> Response:
    """Return the frames of the best line at a decision as JSON, in the language of the request."""
    found = unpacked(_stored(match_id))
    decision = next((one for one in found.decisions if one.moment == moment), None)
    if decision is None:
        raise NotFound("there was no decision at moment %(moment)s", moment=moment)
    data = matches.replay(session(), match_id)
    told = best_line(read(data), game(data), decision, words_of(language()))
    return packed_answer(_packed(told))


@dataclass(frozen=True)
class TurningPoint:
    """A turning point: its moment and turn (0 in the setup), what happened, and what it changed."""

    at: int
    turn: int
    text: str
    told: str


@dataclass(frozen=True)
class Summary:
    """What an analysis came to, as pages show it."""

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
    standing = reading.analysis(session(), match_id)
    told = None
    if standing.data is not None:
        told = _summary(standing.data, matches.replay(session(), match_id), language())
    return render_template(template, match=row, standing=standing, told=told)


def _stored(match_id: int) -> bytes:
    stored = reading.analysis(session(), match_id).data
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
def _document(stored: bytes, record: bytes, match_id: int, code: str) -> bytes:
    found, played = unpacked(stored), game(record)
    told = sentences(stored, record, code)
    return _packed(
        {
            "chances": [[seat[0] for seat in moment] for moment in found.chances],
            "decisions": {one.moment: _decision(one, played) for one in found.decisions},
            "rolls": {roll.moment: roll.luck for roll in found.rolls},
            "turning": [{"at": moment, "text": told[moment]} for moment in found.turning],
            "marks": {each: {"glyph": GLYPHS[each], "name": _(MARKS[each])} for each in MARKS},
            "labels": _labels(),
            "lines": url_for(".line", match_id=match_id, moment=0).removesuffix("/0"),
        }
    )


def _decision(made: Decision, played: Document) -> dict[str, Any]:
    """Return what the viewer shows of a decision; `shares` are in the order of the legal moves."""
    shares = {move_text(value.move): value.share for value in made.values}
    return {
        "seat": made.seat,
        "mark": made.mark,
        "cost": made.cost,
        "shares": [shares[move] for move in played["frames"][made.moment]["legal"]],
    }


def _packed(document: object) -> bytes:
    whole = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return compress(whole.encode(), mtime=0)


def _labels() -> dict[str, str]:
    return {
        "chances": _("Chances to win"),
        "turning": _("Turning points"),
        "turning_point": _("Turning point"),
        "turning_before": _("Previous turning point"),
        "turning_after": _("Next turning point"),
        "kept_back": _(
            "Shown up to the moment that you have reached, so that nothing is given away."
        ),
        "reveal": _("Show the whole game"),
        "possible": _("What was possible"),
        "values": _("The share of the points that could be expected after each move"),
        "played": _("played"),
        "line": _("Best line"),
        "line_back": _("A step back in the line"),
        "line_on": _("A step on in the line"),
        "line_leave": _("Back to the game"),
        "luck": _("What this roll gave or took, in share of the points"),
    }
