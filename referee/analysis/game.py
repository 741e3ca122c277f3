"""Analyse a recorded game: play it again, and have the engine look at each moment."""

from collections.abc import Callable, Iterator
from random import Random
from statistics import fmean
from typing import Final

from referee.analysis import results
from referee.analysis.chances import Level, chances_at
from referee.analysis.judging import judge
from referee.engine import VERSION
from referee.engine.evaluation import certain_ranks, shares
from referee.replay import Step, StepKind, is_absence, simulate, start, verify
from referee.rules import CORE, Position
from referee.rules.pieces import DICE
from referee.wire import replay_pb2

STANDARD_LOOKS: Final = 4000 if CORE == "compiled" else 500
"""The looks for a decision at standard depth, on average: so many that it takes no longer than 650
looks of the planner in pure Python (`python -m benchmarks marks`)."""
_OPENING_SHIPS: Final = 2
_MIDDLE_SHIPS: Final = 5

Progress = Callable[[int, int], None]
"""Is told how many of how many entries of the replay are done."""

_ROLLS: Final = 60
"""How many rolls stand for all rolls: in them each die shows each of its faces equally often."""


class _Game:
    """The analysis of a game that is being played again."""

    def __init__(self, record: replay_pb2.Replay, looks: int) -> None:
        self._record = record
        self._looks = looks
        self._certainty = _certainty(record)
        self._faulted: tuple[int, ...] = ()
        self._absent = 0
        self._decisions: list[results.Decision] = []
        self._rolls: list[results.RollLuck] = []
        self._caretaker = [0] * len(record.seats)
        self.chances: list[results.Chances] = []
        self.entries = 0

    def look(self, position: Position) -> None:
        """Value the position at the next moment."""
        now = chances_at(position, self._certainty, self._faulted, absent=self._absent)
        self.chances.append(tuple(map(results.rounded, now)))

    def take(self, moment: int, step: Step, position: Position) -> None:
        """Judge a step of the replay before it is taken."""
        assert step.entry is not None
        self.entries += 1
        if step.kind is StepKind.FAULT:
            self._faulted += (step.seat,)
            self._absent += is_absence(step.entry)
        elif step.dice is not None:
            rng = self._rng(moment)
            luck = _roll_luck(position, step.dice, rng, self._certainty, self._faulted)
            self._rolls.append(results.RollLuck(moment, step.seat, luck))
        elif not _is_decision(step):
            self._caretaker[step.seat] += 1
        else:
            self._decisions.append(self._decision(moment, step, position))

    def finished(self) -> results.GameAnalysis:
        """Return the analysis after the last step."""
        ranks = list(self._record.result.ranks)
        result = certain_ranks(ranks, list(range(len(ranks))))
        told = (*self.chances, tuple(map(results.rounded, result)))
        return results.GameAnalysis(
            engine=VERSION,
            looks=self._looks,
            chances=told,
            decisions=tuple(self._decisions),
            rolls=tuple(self._rolls),
            turning=results.turning_points(told),
            caretaker=tuple(self._caretaker),
        )

    def _decision(self, moment: int, step: Step, position: Position) -> results.Decision:
        assert step.move is not None
        judged = judge(position, step.move, self._looks, self._rng(moment), self._faulted)
        return results.Decision(
            moment=moment,
            seat=step.seat,
            turn=position.turn,
            kind=position.kind,
            phase=_phase(position.ship),
            move=step.move,
            mark=judged.mark,
            values=tuple(results.Valued(move, share) for move, share in judged.shares.items()),
            line=judged.line,
            looks=judged.looks,
        )

    def _rng(self, moment: int) -> Random:
        """Return a generator of this moment's own, the same whenever the game is analysed."""
        return Random(f"{self._record.dice_commitment.hex()} {self._record.attempt} {moment}")


def analyse(
    record: replay_pb2.Replay, looks: int = STANDARD_LOOKS, progress: Progress | None = None
) -> results.GameAnalysis:
    """Analyse a game; `looks` for each decision. The same replay gives the same analysis.

    Raises ReplayError if the replay is damaged or was played by other rules.
    """
    verify(record)
    position = start(record)
    game = _Game(record, looks)
    for moment, step in enumerate(simulate(position, record), 1):
        game.look(position)
        if step.entry is not None:
            game.take(moment, step, position)
            if progress is not None:
                progress(game.entries, len(record.entries))
    game.look(position)
    return game.finished()


def _roll_luck(
    before: Position, dice: tuple[int, ...], rng: Random, certainty: float, faulted: tuple[int, ...]
) -> tuple[float, ...]:
    """Return what this roll gave each seat: its share after it, less the mean over all rolls."""
    got = _after(before, dice, certainty, faulted)
    others = (_after(before, other, certainty, faulted) for other in _sample(rng))
    means = map(fmean, zip(*others, strict=True))
    return results.rounded(share - mean for share, mean in zip(got, means, strict=True))


def _certainty(record: replay_pb2.Replay) -> float:
    """Return how sure chances are in this game, by all of its decisions."""
    position = start(record)
    level = Level(position.players)
    for step in simulate(position, record):
        if step.kind is StepKind.FAULT:
            level.fault(step.seat)
        elif _is_decision(step):
            assert step.move is not None
            level.add(position, step.move)
    return level.certainty


def _is_decision(step: Step) -> bool:
    """Return True for the choice of a bot or a person among two or more legal moves."""
    return step.entry is not None and step.kind is StepKind.MOVE and step.by != "caretaker"


def _phase(ship: int) -> results.Phase:
    if ship <= _OPENING_SHIPS:
        return results.Phase.OPENING
    return results.Phase.MIDDLE if ship <= _MIDDLE_SHIPS else results.Phase.END


def _after(
    before: Position, dice: tuple[int, ...], certainty: float, faulted: tuple[int, ...]
) -> list[float]:
    position = before.copy()
    position.roll(dice)
    return shares(position, certainty, faulted)


def _sample(rng: Random) -> Iterator[tuple[int, ...]]:
    """Return the rolls that stand for all, stratified by die (a Latin hypercube)."""
    columns = [list(faces) * (_ROLLS // len(faces)) for faces in DICE]
    for column in columns:
        rng.shuffle(column)
    return zip(*columns, strict=True)
