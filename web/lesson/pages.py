"""The pages of the lesson: a choice is a link to the same step, or to the next if it is right.

So nothing is stored, nothing changes by a visit, and browsers go back and forward by themselves.
"""

import json
from gzip import compress
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from ladder.casual.opponents import house_bots
from ladder.errors import NotFound
from web.database import session
from web.languages import gettext as _
from web.lesson import stage
from web.lesson.script import STEPS
from web.viewer.replays import packed_answer

blueprint = Blueprint("lesson", __name__)

_STEP: Final = "/learn/<int(min=2, max=999):number>"


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
    whole = json.dumps(stage.viewer_document(number), ensure_ascii=False, separators=(",", ":"))
    return packed_answer(compress(whole.encode(), mtime=0))


def _shown(number: int) -> ResponseReturnValue:
    _check(number)
    told, chosen = STEPS[number - 1], request.args.get("move")
    decision = stage.decision(number)
    if told.move is not None and chosen == told.move:
        return redirect(_address(number + 1, request.args.get("part")), 303)
    last = number == len(STEPS)
    return render_template(
        "lesson/part.html" if "part" in request.args else "lesson/step.html",
        number=number,
        count=len(STEPS),
        step=told,
        says=_(told.says),
        asks=_(told.asks),
        otherwise=_(told.otherwise) if decision and chosen in decision.moves else None,
        decision=decision,
        hint=told.move,
        still=stage.still(number),
        address=_address,
        bot=next(iter(house_bots(session())), None) if last else None,
    )


def _check(number: int) -> None:
    if not 1 <= number <= len(STEPS):
        raise NotFound("the lesson has no such step")


def _address(number: int, part: str | None = None) -> str:
    """Return the address of a step, or of its part that changes."""
    if number == 1:
        return url_for(".start", part=part)
    return url_for(".step", number=number, part=part)
