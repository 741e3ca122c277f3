"""Puzzles: a moment of a played game in which one choice is better than all others by far.

A choice is a link to the same page, so nothing is stored, and who solves needs no account.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from ladder.matches import reading as matches
from ladder.puzzles import reading
from ladder.puzzles.reading import PuzzleRow
from referee.analysis.puzzles import LEVELS, position_at
from referee.replay import read
from web import parameters
from web.database import session
from web.frames import Document
from web.languages import gettext as _, language, mark
from web.parameters import MOST
from web.viewer.analyses import KINDS
from web.viewer.choices import OpenDecision, decision
from web.viewer.scripted import following
from web.viewer.stills import game, of_game, still

blueprint = Blueprint("puzzles", __name__)

_LEVEL_NAMES: Final = dict(zip(LEVELS, (mark("easy"), mark("medium"), mark("hard")), strict=True))

_PAGE: Final = 24


@dataclass(frozen=True, slots=True)
class Choice:
    """A move of a puzzle in words, and what it is worth."""

    text: str
    share: float
    """The share of the points that the seat may expect after it."""
    is_best: bool
    is_chosen: bool
    was_played: bool


@dataclass(frozen=True, slots=True)
class ChoiceVerdict:
    """The answer to a choice; `steps` are the sentences of the best line."""

    is_right: bool
    choices: Sequence[Choice]
    steps: Sequence[str]


@blueprint.get("/puzzles")
def listing() -> ResponseReturnValue:
    """List the puzzles; ?kind=, ?level= and ?seats= filter, ?before= pages."""
    kind = parameters.choice("kind", KINDS)
    level = parameters.number_among("level", LEVELS)
    seats, before = parameters.table_size(), parameters.number("before")
    page = reading.page(session(), kind=kind, level=level, seats=seats, before=before, limit=_PAGE)
    counts = reading.counts(session())
    return render_template(
        "puzzles/listing.html",
        page=page,
        today=of_today() if before is None else None,
        counts=counts,
        count=sum(counts.values()),
        kinds=[kind for kind in KINDS if kind in counts],
        levels={number: _(name) for number, name in _LEVEL_NAMES.items()},
        chosen={"kind": kind, "level": level, "seats": seats},
    )


@blueprint.get(f"/puzzles/<int(min=1, max={MOST}):puzzle_id>")
def puzzle(puzzle_id: int) -> ResponseReturnValue:
    """Show a puzzle; ?move= is a choice, ?step= a step of the best line, ?part= asks for a part."""
    row = reading.puzzle(session(), puzzle_id)
    data = matches.replay(session(), row.match_id)
    open_decision = _open_decision(row, data)
    shown, verdict = still(data, row.moment - 1, language()).as_newest(), None
    step = 0
    if (move := request.args.get("move")) in open_decision.moves:
        line = _line(row, data)
        last = len(line["frames"]) - 1
        step = min(parameters.number("step") or 0, last)
        played = game(data)["frames"][row.moment]["move"]
        steps = [of_game(line, at, language()).sentence for at in range(1, last + 1)]
        verdict = _verdict(row, open_decision, str(move), played, steps)
        if step:
            shown = of_game(line, step, language())
    return render_template(
        "puzzles/part.html" if "part" in request.args else "puzzles/puzzle.html",
        puzzle=row,
        decision=open_decision,
        chosen=move,
        verdict=verdict,
        step=step,
        still=shown,
        level=_(_LEVEL_NAMES[row.level]),
        other=reading.after(session(), row.id),
    )


def of_today() -> PuzzleRow | None:
    """Return the puzzle of this day, by UTC; None if there is none yet."""
    return reading.of_day(session(), datetime.now(UTC).date())


def _open_decision(row: PuzzleRow, data: bytes) -> OpenDecision:
    """Return the decision of a puzzle in the words of the page."""
    document = game(data)
    before: Document = {**document, "frames": document["frames"][: row.moment]}
    return decision(row.id, document["frames"][row.moment], before, language())


def _verdict(
    row: PuzzleRow, open_decision: OpenDecision, chosen: str, played: str, steps: Sequence[str]
) -> ChoiceVerdict:
    texts = dict(zip(open_decision.moves, open_decision.words["choices"], strict=True))
    choices = [
        Choice(texts[move], share, move == row.move, move == chosen, move == played)
        for move, share in row.values
        if move in texts
    ]
    return ChoiceVerdict(chosen == row.move, choices, steps)


def _line(row: PuzzleRow, data: bytes) -> Document:
    """Return the best line as a game of its own, which begins at the moment of the puzzle."""
    moves = following(position_at(read(data), row.moment), row.line)
    document = game(data)
    return {**document, "frames": [document["frames"][row.moment - 1], *moves]}
