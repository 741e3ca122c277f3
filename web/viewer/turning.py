"""A sentence at each turning point of a game: who turned it, by what, and how the chances changed.

The words themselves are in `web.words`.
"""

from collections.abc import Mapping
from functools import lru_cache

from ladder.analyses import asking
from ladder.matches import reading as matches
from referee.analysis import Decision, GameAnalysis, Mark, unpack
from referee.rules import move_text
from web.database import session
from web.formats import percent
from web.frames import Document, Scene, scenes
from web.viewer.choices import choice
from web.viewer.stills import game
from web.words import Words, words_of

_KEPT = 128  # analyses, and their sentences in a language
_LEAST = 0.01
"""Changes of a chance below this are not told."""
_FOUND = {Mark.ONLY: "turning.only", Mark.FIND: "turning.find"}


def of_match(match_id: int, code: str) -> Mapping[int, str]:
    """Return `sentences` of a match in the language of a code; none without an analysis."""
    stored = asking.analysis(session(), match_id).data
    if stored is None:
        return {}
    return sentences(stored, matches.replay(session(), match_id), code)


@lru_cache(_KEPT)
def unpacked(stored: bytes) -> GameAnalysis:
    """Return the analysis that is stored in these bytes. Raises ReplayError."""
    return unpack(stored)


@lru_cache(_KEPT)
def sentences(stored: bytes, record: bytes, code: str) -> Mapping[int, str]:
    """Return a sentence or more for each turning point by its moment, in the language of a code.

    Raises ReplayError.
    """
    analysis, played = unpacked(stored), game(record)
    return _sentences(played, analysis, words_of(code))


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
                    phrase, name=scene.labels[seat], before=percent(old), after=percent(new)
                )
            )
    return " ".join(scene.words.say("sentence", clause=clause) for clause in clauses)


def _cause(scene: Scene, decision: Decision | None) -> str:
    if decision is None:
        kind = scene.frame["type"]
        return scene.words.say("turning.end") if kind == "end" else scene.say(f"turning.{kind}")
    if decision.mark in _FOUND:
        return scene.say(_FOUND[decision.mark])
    if decision.mark is None:
        return scene.say("turning.move")
    better = choice(scene, move_text(decision.values[0].move))
    return scene.say("turning.loss", better=better)
