"""Play the lesson's script by the rules; show the game up to each step, and the choices there.

The script is played once in a process, and all that is shown of it is kept: it never changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, cast

from referee.rules import Position
from referee.rules.trace import result_line, setup_line
from web.frames import Document, Frame, Head, Result, Seat, Setup, You, read_by
from web.languages import gettext as _
from web.languages import language
from web.lesson.script import BEFORE, LEAP, RIVAL, START, STEPS
from web.viewer.replays import WordedDocument, document
from web.viewer.stills import Still, of_game
from web.viewer.tables import Decision
from web.viewer.told import Told
from web.viewer.told import decision as decision_of
from web.words import words_of

_YOU: Final = You(0)
_POSITION: Final = "citizens="
"""How the text of a position begins."""


class _Game(Told):
    """The game while the script is played."""

    def __init__(self) -> None:
        super().__init__(Position.parse(START))

    def play(self, script: Iterable[str]) -> None:
        """Play moves and rolls, and leap to positions; afterwards a choice is open, or the end."""
        for line in script:
            verb, *words = line.split()
            if line.startswith(_POSITION):
                self.leap(Position.parse(line))
            elif verb == "roll":
                self.roll(tuple(map(int, words)))
            else:
                self.move(line)
        self.force()


@dataclass(frozen=True, slots=True)
class _Played:
    """The whole lesson: its frames, and for each step how many there are before what is asked."""

    head: Head
    frames: list[Frame]
    told: list[int]
    asked: list[Frame | None]


def still(number: int) -> Still:
    """Return the game at a step (from 1), as the server shows it."""
    shown = _still(number, language())
    return replace(shown, sentence=_(LEAP)) if shown.frame["type"] == "gap" else shown


def decision(number: int) -> Decision | None:
    """Return what the learner may choose at a step; None if there is nothing to choose."""
    return _decision(number, language())


def viewer_document(number: int) -> WordedDocument:
    """Return the game up to a step for the viewer."""
    words = words_of(language())
    shown = document(read_by(_up_to(number), _YOU, words), words)
    for frame in shown["frames"]:
        if frame["type"] == "gap":
            frame["text"] = _(LEAP)
    return shown


@cache
def _still(number: int, code: str) -> Still:
    return of_game(_up_to(number), None, code, _YOU)


@cache
def _decision(number: int, code: str) -> Decision | None:
    asked = _played().asked[number - 1]
    if asked is None:
        return None
    return decision_of(number, asked, _up_to(number), code)


def _up_to(number: int) -> Document:
    played = _played()
    return {**played.head, "frames": played.frames[: played.told[number - 1]]}


@cache
def _played() -> _Played:
    game, told, asked = _Game(), list[int](), list[Frame | None]()
    setup = setup_line(game.position.layout, game.position.players)
    game.play(BEFORE)
    for step in STEPS:
        told.append(len(game.frames))
        asked.append(game.asked() if step.move else None)
        game.play((*([step.move] if step.move else []), *step.then))
    outcome = game.position.outcome()
    assert outcome is not None
    head: Head = {
        "setup": cast(Setup, setup),
        "seats": [_seat(""), _seat(RIVAL)],
        "result": cast(Result, result_line(game.position, outcome)),
        "ranks": [score.rank for score in outcome.scores],
    }
    return _Played(head, game.frames, told, asked)


def _seat(name: str) -> Seat:
    return {"name": name, "version": "", "author": ""}
