"""Puzzles: which decisions are proposed, and what a deeper search has to say."""

from collections.abc import Collection
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

import pytest

from referee.analysis import Decision, GameAnalysis, Mark, Phase, Valued, puzzles
from referee.analysis.judging import LONGEST_LINE
from referee.analysis.puzzles import (
    FEWEST_MOVES,
    MARGIN,
    MOST_IN_A_GAME,
    Question,
    Solution,
    at_first_sight,
    position_at,
    proposals,
    question_text,
    read_question,
    read_solution,
    solution_text,
    solve,
)
from referee.engine.search import MoveValue
from referee.errors import ReplayError
from referee.rules import Move, Position, move_text
from tests.referee.analysis.games import analysis_of, replay_of

GAME = replay_of("two")


def decision(
    moment: int, kind: str = "drive", gap: float = MARGIN, moves: int = FEWEST_MOVES, **other: Any
) -> Decision:
    """A decision whose best move is better than all others by `gap`."""
    values = (Valued(0, 0.5 + gap), *(Valued(move, 0.5) for move in range(1, moves)))
    made = Decision(moment, 0, moment, kind, Phase.MIDDLE, 0, None, values, (0,), looks=9)
    return replace(made, **other)


def proposed(*decisions: Decision, known: Collection[int] = ()) -> list[int]:
    """The moments of the decisions that are proposed beside those that are puzzles already."""
    game = GameAnalysis(
        engine=1,
        looks=9,
        chances=analysis_of("two").chances,
        decisions=decisions,
        rolls=(),
        turning=(),
        caretaker=(0, 0),
    )
    return [one.moment for one in proposals(game, known)]


def test_one_move_is_better_by_far() -> None:
    assert proposed(decision(5), decision(30, "visit", gap=MARGIN - 0.01)) == [5]


def test_there_is_something_to_choose_from() -> None:
    assert proposed(decision(5, moves=FEWEST_MOVES - 1)) == []


def test_puzzles_of_a_game_differ_in_kind_and_lie_apart() -> None:
    same_kind = decision(5, gap=0.2), decision(90, gap=0.3)
    assert proposed(*same_kind) == [90]
    near = decision(5, gap=0.2), decision(7, "visit", gap=0.3)
    assert proposed(*near) == [7]
    assert proposed(decision(5), decision(90, "visit")) == [5, 90]


def test_what_was_missed_at_the_table_comes_first() -> None:
    missed = decision(5, gap=0.11, move=1, mark=Mark.CLEAR)
    assert proposed(missed, decision(90, gap=0.4)) == [5]


def test_the_puzzles_that_a_game_has_already_count() -> None:
    decisions = decision(5, gap=MARGIN - 0.01), decision(90, "visit"), decision(40)
    assert proposed(*decisions) == [40, 90]
    assert proposed(*decisions, known={5}) == [90]
    assert proposed(decision(5), decision(7, "visit"), known={5}) == []


def test_a_game_has_a_few_puzzles_at_most() -> None:
    kinds = ("drive", "visit", "function", "deliver", "pick")
    found = proposed(*(decision(20 * n, kind) for n, kind in enumerate(kinds, 1)))
    assert len(found) == MOST_IN_A_GAME


class Believer:
    """A search that finds what it believes: the best move, and how much better it is."""

    best: ClassVar[int]
    margin: ClassVar[float] = 0.3
    hidden: ClassVar[float] = 0.0
    """How much better another move turns out to be if it is looked at, too."""
    line: ClassVar[tuple[Move, ...]] = ()
    asked: ClassVar[list[int]] = []
    each: ClassVar[list[int]] = []
    faulted: ClassVar[list[tuple[int, ...]]] = []

    def __init__(self, position: Position, rng: Random, faulted: tuple[int, ...]) -> None:  # noqa: ARG002
        self._position, self._margin = position, self.margin
        self.faulted.append(faulted)

    def think(self, looks: int) -> None:
        self.asked.append(looks)

    def think_of_each(self, looks: int) -> None:
        self.each.append(looks)
        self._margin -= self.hidden

    def moves(self) -> list[MoveValue]:
        legal = self._position.legal_moves
        shares = {move: 0.4 + self._margin * (move == self.best) for move in legal}
        found = [MoveValue(move, (shares[move], 0.0, 0.0), 9, self.line) for move in legal]
        return sorted(found, key=lambda value: -value.shares[0])


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> Question:
    """A question of seat 0 whose answer is what one sees last; the search believes in it."""
    for one in analysis_of("two").decisions:
        position = position_at(GAME, one.moment)
        if one.seat == 0 and one.kind == "drive" and len(position.legal_moves) >= FEWEST_MOVES:
            last = at_first_sight(position)[-1]
            monkeypatch.setattr(Believer, "best", last, raising=False)
            monkeypatch.setattr(puzzles, "Search", Believer)
            return Question(one.moment, move_text(last), missed=True)
    raise AssertionError("no such decision")


def test_a_deeper_search_agrees(hidden: Question) -> None:
    found = solve(GAME, hidden, looks=77)
    assert found is not None
    assert Believer.asked[-1] == found.looks == 77
    assert Believer.each[-1] == 77 // len(found.values)
    assert (found.level, found.margin) == (3, 0.3)
    assert found.values[0] == (hidden.move, 0.7)
    assert len(found.values) == len(position_at(GAME, hidden.moment).legal_moves)
    assert found.line == (hidden.move,)


def test_a_line_is_no_longer_than_that_of_a_decision(
    hidden: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = position_at(GAME, hidden.moment).legal_moves[0]
    monkeypatch.setattr(Believer, "line", (drive,) * 20)
    found = solve(GAME, hidden)
    assert found is not None
    assert found.line == (hidden.move, *[move_text(drive)] * (LONGEST_LINE - 1))


def test_a_deeper_search_knows_whose_bot_has_faulted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "Search", Believer)
    monkeypatch.setattr(Believer, "best", -1, raising=False)
    record = replay_of("fault")
    last = analysis_of("fault").decisions[-1]
    position = position_at(record, last.moment)
    assert (
        solve(record, Question(last.moment, move_text(at_first_sight(position)[-1]), False)) is None
    )
    assert Believer.faulted[-1] == (1,)


def test_who_missed_it_made_it_harder(hidden: Question) -> None:
    found = solve(GAME, replace(hidden, missed=False))
    assert found is not None
    assert found.level == 2


@pytest.mark.parametrize(("rank", "level"), [(2, 1), (3, 2)])
def test_a_puzzle_is_harder_if_two_other_moves_look_better(
    hidden: Question, rank: int, level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = at_first_sight(position_at(GAME, hidden.moment))[rank - 1]
    monkeypatch.setattr(Believer, "best", move)
    found = solve(GAME, Question(hidden.moment, move_text(move), missed=False))
    assert found is not None
    assert found.level == level


@pytest.mark.parametrize("believed", [{"margin": MARGIN - 0.01}, {"hidden": 0.21}, {"best": -1}])
def test_a_deeper_search_disagrees(
    hidden: Question, believed: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in believed.items():
        monkeypatch.setattr(Believer, name, value)
    assert solve(GAME, hidden) is None


def test_what_one_sees_at_once_is_no_puzzle(
    hidden: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = at_first_sight(position_at(GAME, hidden.moment))[0]
    monkeypatch.setattr(Believer, "best", plain)
    assert solve(GAME, replace(hidden, move=move_text(plain))) is None


def test_first_sight_counts_what_the_seat_has() -> None:
    position = position_at(GAME, analysis_of("two").decisions[0].moment)
    assert sorted(at_first_sight(position)) == sorted(position.legal_moves)


def test_a_moment_without_a_decision_is_refused() -> None:
    for moment in (0, 1, 9999):
        with pytest.raises(ReplayError, match=f"no decision at moment {moment}"):
            position_at(GAME, moment)


def test_questions_and_solutions_survive_as_text() -> None:
    question = Question(12, "visit bank", missed=True)
    assert read_question(question_text(question)) == question
    solution = Solution(2, 9, (("drive 1", 0.5), ("drive 2", 0.25)), ("drive 1", "visit bank"))
    assert read_solution(solution_text(solution)) == solution
    assert read_solution(solution_text(None)) is None
