"""The lesson, played by the rules, and its pages: a choice is a link to the same step or the next.

So nothing is stored, nothing changes by a visit, and browsers go back and forward by themselves.

The script is played once in a process, and all that is shown of it is kept: it never changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, cast

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.casual.opening import fresh_key
from ladder.casual.opponents import house_bots
from ladder.errors import NotFound
from referee.rules import Position
from referee.rules.trace import result_line, setup_line
from web.database import session
from web.delivery import packed_json
from web.frames import Document, Frame, Head, Result, Seat, Setup, You, read_by
from web.languages import gettext as _, language
from web.lesson.script import BEFORE, LEAP, RIVAL, START, STEPS
from web.viewer.choices import OpenDecision, decision as decision_of, open_choice
from web.viewer.replays import WordedDocument, document, packed_answer
from web.viewer.scripted import ScriptedGame
from web.viewer.stills import Still, of_game
from web.words import words_of

blueprint = Blueprint("lesson", __name__)

_STEP: Final = "/learn/<int(min=2, max=999):number>"

_YOU: Final = You(0)
_POSITION: Final = "citizens="
"""How the text of a position begins."""


class _Game(ScriptedGame):
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
        if self.position.is_over:
            self.end()


@dataclass(frozen=True, slots=True)
class _Played:
    """The whole lesson: its frames, and for each step how many there are before its choice."""

    head: Head
    frames: list[Frame]
    frame_counts: list[int]
    open_choices: list[Frame | None]


@blueprint.get("/learn")
def start() -> ResponseReturnValue:
    """Show the first step."""
    return _shown(1)


@blueprint.get(_STEP)
def step(number: int) -> ResponseReturnValue:
    """Show a step; ?move= is the learner's choice at it, ?part= asks for what changes alone."""
    return _shown(number)


@blueprint.get("/learn/<int(min=1, max=999):number>/frames")
def frames(number: int) -> ResponseReturnValue:
    """Return the game up to a step as the viewer's document."""
    _check(number)
    return packed_answer(packed_json(_viewer_document(number)))


def still(number: int) -> Still:
    """Return the game at a step (from 1), as the server shows it."""
    shown = _still(number, language())
    return replace(shown, sentence=_(LEAP)) if shown.frame["type"] == "gap" else shown


def _viewer_document(number: int) -> WordedDocument:
    """Return the game up to a step for the viewer."""
    words = words_of(language())
    shown = document(read_by(_up_to(number), _YOU, words), words)
    for frame in shown["frames"]:
        if frame["type"] == "gap":
            frame["text"] = _(LEAP)
    return shown


def _shown(number: int) -> ResponseReturnValue:
    _check(number)
    step, chosen = STEPS[number - 1], request.args.get("move")
    decision = _decision(number, language())
    if step.move is not None and chosen == step.move:
        return redirect(_address(number + 1, request.args.get("part")), 303)
    last = number == len(STEPS)
    return render_template(
        "lesson/part.html" if "part" in request.args else "lesson/step.html",
        number=number,
        count=len(STEPS),
        step=step,
        says=_(step.says),
        asks=_(step.asks),
        otherwise=_(step.otherwise) if decision and chosen in decision.moves else None,
        decision=decision,
        hint=step.move,
        still=still(number),
        address=_address,
        bot=next(iter(house_bots(session())), None) if last else None,
        key=fresh_key() if last else None,
    )


def _check(number: int) -> None:
    if not 1 <= number <= len(STEPS):
        raise NotFound("the lesson has no such step")


def _address(number: int, part: str | None = None) -> str:
    """Return the address of a step, or of its part that changes."""
    if number == 1:
        return url_for(".start", part=part)
    return url_for(".step", number=number, part=part)


@cache
def _still(number: int, code: str) -> Still:
    return of_game(_up_to(number), None, code, _YOU)


@cache
def _decision(number: int, code: str) -> OpenDecision | None:
    """Return what the learner may choose at a step; None if there is nothing to choose."""
    asked = _played().open_choices[number - 1]
    return decision_of(number, asked, _up_to(number), code) if asked else None


def _up_to(number: int) -> Document:
    played = _played()
    return {**played.head, "frames": played.frames[: played.frame_counts[number - 1]]}


@cache
def _played() -> _Played:
    game, frame_counts, open_choices = _Game(), list[int](), list[Frame | None]()
    setup = setup_line(game.position.layout, game.position.players)
    game.play(BEFORE)
    for step in STEPS:
        frame_counts.append(len(game.frames))
        open_choices.append(open_choice(game.position) if step.move else None)
        game.play((*([step.move] if step.move else []), *step.then))
    outcome = game.position.outcome()
    assert outcome is not None
    head: Head = {
        "setup": cast(Setup, setup),
        "seats": [_seat(""), _seat(RIVAL)],
        "result": cast(Result, result_line(game.position, outcome)),
        "ranks": [score.rank for score in outcome.scores],
    }
    return _Played(head, game.frames, frame_counts, open_choices)


def _seat(name: str) -> Seat:
    return {"name": name, "version": "", "author": ""}
