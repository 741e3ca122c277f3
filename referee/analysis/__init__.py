"""Why a recorded game was won: chances, what decisions cost, and luck apart from skill.

game       plays a replay again, and has the engine look at each moment: chances, luck, decisions
chances    the chance of each rank at a moment, by how well the game is played
judging    the values of a decision's legal moves, and its mark; all thresholds are there
results    what an analysis holds, and its sums: each seat's loss and luck, turning points
storing    an analysis as a JSON document, and in a few kB
puzzles    decisions in which one move is better by far, and a deeper search that agrees
process    the engine in a process of its own

A moment of a game has the number of the viewer's frame that shows it: 0 is the start, i is what
stands after step i (a roll, a move, or a fault), and the last one, after all steps, is the result.
"""

from referee.analysis.game import STANDARD_LOOKS, analyse
from referee.analysis.judging import Mark
from referee.analysis.results import (
    Decision,
    GameAnalysis,
    Phase,
    RollLuck,
    SeatSummary,
    Valued,
    summaries,
)
from referee.analysis.storing import document, pack, unpack

__all__ = [
    "STANDARD_LOOKS",
    "Decision",
    "GameAnalysis",
    "Mark",
    "Phase",
    "RollLuck",
    "SeatSummary",
    "Valued",
    "analyse",
    "document",
    "pack",
    "summaries",
    "unpack",
]
