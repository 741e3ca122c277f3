"""The document of an analysis that the viewer's script draws: chances, values, marks, labels."""

import json
from collections.abc import Mapping
from functools import lru_cache
from gzip import compress
from typing import Any, Final

from referee.analysis import Decision, Mark
from referee.rules import move_text
from web.frames import Document
from web.languages import gettext as _
from web.languages import mark
from web.viewer.stills import game
from web.viewer.turning import sentences, unpacked

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


@lru_cache(_KEPT)
def document(stored: bytes, record: bytes, lines: str, code: str) -> bytes:
    """Return what the viewer draws of an analysis as gzipped JSON, in the language of the request.

    `lines` is the address of best lines, but for the moment; `code` is the language's. Raises
    ReplayError.
    """
    found, played = unpacked(stored), game(record)
    texts = sentences(stored, record, code)
    return packed(
        {
            "chances": [[seat[0] for seat in moment] for moment in found.chances],
            "decisions": {one.moment: _decision(one, played) for one in found.decisions},
            "rolls": {roll.moment: roll.luck for roll in found.rolls},
            "turning": [{"at": moment, "text": texts[moment]} for moment in found.turning],
            "marks": {each: {"glyph": GLYPHS[each], "name": _(MARKS[each])} for each in MARKS},
            "labels": _labels(),
            "lines": lines,
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


def packed(document: object) -> bytes:
    """Return a document as gzipped JSON."""
    whole = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return compress(whole.encode(), mtime=0)
