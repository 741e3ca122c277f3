"""Say what an analysis came to: the document that the viewer draws, and turning points.

The document has chances, values, marks and labels. A turning point has a sentence: who turned the
game, by what, and how the chances changed; its words are in `web.words`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from ladder.analyses import queue as analyses
from ladder.matches import reading as matches
from referee.analysis import Decision, GameAnalysis, Mark, unpack
from referee.rules import move_text
from web.database import session
from web.delivery import packed_json
from web.formats import percent
from web.frames import Document, Scene, You, read_by, scenes
from web.languages import gettext as _, mark
from web.viewer.choices import choice
from web.viewer.stills import game
from web.words import Words, words_of

_KEPT: Final = 128  # analyses, their sentences, and documents of about 10 kB
_LEAST: Final = 0.01
"""Changes of a chance below this are not told."""

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
def document(stored: bytes, record: bytes, lines: str, code: str, you: You | None = None) -> bytes:
    """Return what the viewer draws of an analysis as gzipped JSON, in the language of the request.

    `lines` is the address of best lines, but for the moment; `code` is the language's, `you` the
    reader if it is one of the players. Raises ReplayError.
    """
    found, played = unpacked(stored), game(record)
    texts = sentences(stored, record, code, you)
    return packed_json(
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


def turning_points(match_id: int, code: str) -> Mapping[int, str]:
    """Return `sentences` of a match in the language of a code; none without an analysis."""
    stored = analyses.analysis(session(), match_id).data
    if stored is None:
        return {}
    return sentences(stored, matches.replay(session(), match_id), code)


@lru_cache(_KEPT)
def unpacked(stored: bytes) -> GameAnalysis:
    """Return the analysis that is stored in these bytes. Raises ReplayError."""
    return unpack(stored)


@lru_cache(_KEPT)
def sentences(stored: bytes, record: bytes, code: str, you: You | None = None) -> Mapping[int, str]:
    """Return a sentence or more for each turning point by its moment, in the language of a code.

    `you` is the reader if it is one of the players. Raises ReplayError.
    """
    words = words_of(code)
    return _sentences(read_by(game(record), you, words), unpacked(stored), words)


def _sentences(played: Document, analysis: GameAnalysis, words: Words) -> Mapping[int, str]:
    made = {decision.moment: decision for decision in analysis.decisions}
    return {
        moment: _sentence(scene, moment, made.get(moment), analysis)
        for moment, scene in enumerate(scenes(played, words))
        if moment in analysis.turning
    }


def _sentence(scene: Scene, moment: int, decision: Decision | None, analysis: GameAnalysis) -> str:
    before, after = analysis.chances[moment - 1], analysis.chances[moment]
    wins = [(old[0], new[0]) for old, new in zip(before, after, strict=True)]
    by_change = sorted(range(len(wins)), key=lambda seat: wins[seat][1] - wins[seat][0])
    clauses = [_cause(scene, decision)]
    for seat in (by_change[0], by_change[-1]):
        old, new = wins[seat]
        if abs(new - old) >= _LEAST:
            phrase = "turning.rises" if new > old else "turning.falls"
            clauses.append(
                scene.words.say(
                    phrase,
                    to_actor=seat == scene.you,
                    name=scene.labels[seat],
                    before=percent(old),
                    after=percent(new),
                )
            )
    return " ".join(scene.words.say("sentence", clause=clause) for clause in clauses)


def _cause(scene: Scene, decision: Decision | None) -> str:
    if decision is None:
        kind = scene.frame["type"]
        return scene.words.say("turning.end") if kind == "end" else scene.say(f"turning.{kind}")
    if decision.mark is None:
        return scene.say("turning.move")
    better = choice(scene, move_text(decision.values[0].move))
    return scene.say(f"turning.{decision.mark}", better=better)
