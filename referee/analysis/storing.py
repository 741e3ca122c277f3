"""An analysis as a JSON document for readers (docs/analysis.md), and as it is stored.

Stored are whole numbers, compressed, a few kB a game: chances and shares are thousandths; those of
a moment are the differences from the moment before. `unpack` returns exactly what `pack` was given.
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from referee.analysis import results
from referee.analysis.judging import DIGITS, Mark
from referee.errors import ReplayError
from referee.rules import move_text
from referee.rules.cells import PHASES

Json = dict[str, Any]
"""A JSON object."""
_FORMAT: Final = 1
_UNIT: Final = 10**DIGITS
_MARKS: Final = (None, *Mark)
_GAME_PHASES: Final = tuple(results.Phase)
_MOST_BYTES: Final = 4 * 1024 * 1024


def document(analysis: results.GameAnalysis) -> Json:
    """Return an analysis as the JSON document that docs/analysis.md describes."""
    return {
        "engine": analysis.engine,
        "looks": analysis.looks,
        "players": analysis.players,
        "chances": analysis.chances,
        "decisions": [_decision(decision) for decision in analysis.decisions],
        "rolls": [
            {"moment": roll.moment, "seat": roll.seat, "luck": roll.luck} for roll in analysis.rolls
        ],
        "turning": analysis.turning,
        "seats": [_summary(summary) for summary in results.summaries(analysis)],
    }


def _decision(decision: results.Decision) -> Json:
    return {
        "moment": decision.moment,
        "seat": decision.seat,
        "turn": decision.turn,
        "kind": decision.kind,
        "phase": decision.phase,
        "move": move_text(decision.move),
        "cost": decision.cost,
        "gap": decision.gap,
        "mark": decision.mark,
        "looks": decision.looks,
        "values": [
            {"move": move_text(value.move), "share": value.share} for value in decision.values
        ],
        "line": [move_text(move) for move in decision.line],
    }


def _summary(summary: results.SeatSummary) -> Json:
    return {
        "seat": summary.seat,
        **_losses(summary.all),
        "by_kind": {kind: _losses(some) for kind, some in summary.by_kind.items()},
        "by_phase": {phase: _losses(some) for phase, some in summary.by_phase.items()},
        "marks": summary.marks,
        "luck": summary.luck,
        "caretaker": summary.caretaker,
    }


def _losses(losses: results.Losses) -> Json:
    return {"decisions": losses.decisions, "loss": losses.loss, "mean": losses.mean}


def pack(analysis: results.GameAnalysis) -> bytes:
    """Return the bytes of an analysis."""
    flat = [_ints(share for row in moment for share in row) for moment in analysis.chances]
    stored = [
        _FORMAT,
        analysis.engine,
        analysis.looks,
        analysis.caretaker,
        [flat[0], *(_difference(*pair) for pair in pairwise(flat))],
        [_packed(decision) for decision in analysis.decisions],
        [[roll.moment, roll.seat, *_ints(roll.luck)] for roll in analysis.rolls],
        analysis.turning,
    ]
    return zlib.compress(json.dumps(stored, separators=(",", ":")).encode(), 9)


def unpack(data: bytes) -> results.GameAnalysis:
    """Return the analysis in these bytes. Raises ReplayError if they are damaged."""
    try:
        stored = json.loads(zlib.decompressobj().decompress(data, _MOST_BYTES))
        form, *fields = stored
        if form != _FORMAT:
            raise ReplayError(f"The analysis has format {form}; this program reads {_FORMAT}.")
        engine, looks, caretaker, moments, decisions, rolls, turning = fields
        return results.GameAnalysis(
            engine=engine,
            looks=looks,
            chances=tuple(_chances(moments, len(caretaker))),
            decisions=tuple(map(_unpacked, decisions)),
            rolls=tuple(results.RollLuck(roll[0], roll[1], _floats(roll[2:])) for roll in rolls),
            turning=tuple(turning),
            caretaker=tuple(caretaker),
        )
    except (zlib.error, ValueError, TypeError, LookupError) as error:
        raise ReplayError(f"The analysis is damaged: {error}.") from None


def _packed(decision: results.Decision) -> list[Any]:
    return [
        decision.moment,
        decision.seat,
        decision.turn,
        PHASES.index(decision.kind),
        _GAME_PHASES.index(decision.phase),
        _MARKS.index(decision.mark),
        decision.looks,
        decision.move,
        [value.move for value in decision.values],
        _ints(value.share for value in decision.values),
        decision.line,
    ]


def _unpacked(stored: Sequence[Any]) -> results.Decision:
    moment, seat, turn, kind, phase, mark, looks, move, moves, shares, line = stored
    return results.Decision(
        moment=moment,
        seat=seat,
        turn=turn,
        kind=PHASES[kind],
        phase=_GAME_PHASES[phase],
        move=move,
        mark=_MARKS[mark],
        values=tuple(map(results.Valued, moves, _floats(shares))),
        line=tuple(line),
        looks=looks,
    )


def _chances(moments: Iterable[Sequence[int]], players: int) -> Iterable[results.Chances]:
    flat = [0] * players**2
    for moment in moments:
        flat = [old + change for old, change in zip(flat, moment, strict=True)]
        yield tuple(
            _floats(flat[first : first + players]) for first in range(0, players**2, players)
        )


def _difference(before: Sequence[int], after: Sequence[int]) -> list[int]:
    return [new - old for old, new in zip(before, after, strict=True)]


def _ints(numbers: Iterable[float]) -> list[int]:
    return [round(_UNIT * number) for number in numbers]


def _floats(numbers: Iterable[int]) -> tuple[float, ...]:
    return tuple(number / _UNIT for number in numbers)
