"""Play the lesson's script by the rules; show the game up to each step, and the choices there.

The script is played once in a process, and all that is shown of it is kept: it never changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, cast

from referee.rules import Position
from referee.rules.trace import Line, changes, result_line, roll_line, setup_line, state_json
from web.frames import Document, Frame, Head, Result, Seat, Setup, You, read_by, scenes
from web.languages import gettext as _
from web.languages import language
from web.lesson.script import BEFORE, LEAP, RIVAL, START, STEPS
from web.viewer.choices import offered, place
from web.viewer.replays import WordedDocument, document
from web.viewer.stills import Still, of_game
from web.viewer.tables import Decision
from web.words import words_of

_YOU: Final = You(0)
_POSITION: Final = "citizens="
"""How the text of a position begins."""


class _Game:
    """The game while the script is played; `frames` are those of the viewer."""

    def __init__(self) -> None:
        self.position = Position.parse(START)
        self.frames: list[Frame] = []
        self._newest: Line = {}
        self._note({"type": "start"})

    def play(self, script: Iterable[str]) -> None:
        """Play moves and rolls, and leap to positions; afterwards a choice is open, or the end."""
        for line in script:
            self._play(line)
        while len(self.position.legal_moves) == 1:
            self._move(self.position.legal_texts()[0], "forced")
        if self.position.is_over:
            self._note({"type": "end"})

    def asked(self) -> Frame:
        """Return the open choice as a frame whose move is the first legal one."""
        position = self.position
        legal = position.legal_texts()
        about = {"type": "move", "seat": position.seat, "kind": position.kind, "legal": legal}
        return cast(Frame, {**about, "move": legal[0], "changes": [], "state": self._state()})

    def _play(self, line: str) -> None:
        verb, *words = line.split()
        if line.startswith(_POSITION):
            self.position = Position.parse(line)
            self._note({"type": "gap"})
        elif verb == "roll":
            seat, dice = self.position.seat, tuple(map(int, words))
            self.position.roll(dice)
            self._note(roll_line(seat, dice))
        else:
            self._move(line, "bot")

    def _move(self, move: str, by: str) -> None:
        frame: Line = {**self.asked(), "move": move, "by": by}
        self.position.step(self.position.parse_move(move))
        self._note(frame)

    def _note(self, frame: Line) -> None:
        """Add a frame; one in which the game leaps shows no changes."""
        after = self._state()
        seen = frame["type"] in ("move", "roll")
        happened = changes(self._newest, after) if seen else []
        self.frames.append(cast(Frame, {**frame, "changes": happened, "state": after}))
        self._newest = after

    def _state(self) -> Line:
        return state_json(self.position)


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
    whole = _up_to(number)
    frames = [*whole["frames"], asked]
    scene = next(scenes({**whole, "frames": frames}, words_of(code), len(frames) - 1))
    car, citizens = asked["state"]["car"], whole["setup"]["citizens"]
    places = [place(move, car, citizens) for move in asked["legal"]]
    return Decision(number, asked["legal"], offered(scene), places)


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
