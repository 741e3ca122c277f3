"""The analysis of a match, as the API describes it; docs/analysis.md explains each field."""

from datetime import datetime

from pydantic import Field

from ladder.analyses.queue import AnalysisState
from web.api.operations import Answer
from web.api.puzzles import MoveShare


class Decision(Answer):
    """A choice of a bot or a person among two or more legal moves."""

    moment: int
    seat: int
    turn: int
    kind: str
    phase: str
    """opening, middle or end"""
    move: str
    cost: float
    gap: float
    mark: str | None
    """only, find, small, clear or big"""
    looks: int
    values: list[MoveShare]
    """All legal moves, the best one first."""
    line: list[str]


class Roll(Answer):
    """A roll of the dice, and the luck that it gave each seat."""

    moment: int
    seat: int
    luck: list[float]


class Losses(Answer):
    """Some decisions, what they cost together (`loss`) and on average (`mean`)."""

    decisions: int
    loss: float
    mean: float


class SeatSummary(Losses):
    """The decisions of a seat, also by kind, phase and mark, and what all rolls gave it."""

    seat: int
    by_kind: dict[str, Losses]
    by_phase: dict[str, Losses]
    marks: dict[str, int]
    luck: float
    caretaker: int


class GameAnalysis(Answer):
    """Why a game was won."""

    engine: int
    looks: int
    players: int
    chances: list[list[list[float]]]
    """For each moment, for each seat, the chance of each rank from the first."""
    decisions: list[Decision]
    rolls: list[Roll]
    turning: list[int]
    seats: list[SeatSummary]


class AnalysisStanding(Answer):
    """How the analysis of a match stands."""

    match: int = Field(validation_alias="game_id")
    state: AnalysisState
    engine: int | None
    """The version of the engine that made the newest analysis."""
    outdated: bool
    """True if that is not the present engine."""
    made_at: datetime | None
    reason: str | None
    """Why it failed."""
    failed_at: datetime | None


class AnalysisAsked(AnalysisStanding):
    """How the analysis of a match stands."""

    match_id: int = Field(validation_alias="game_id")
    """The same number."""


class AnalysisShown(AnalysisStanding):
    """How the analysis of a match stands, and the newest one."""

    analysis: GameAnalysis | None
