"""Replays: a whole game on record, small enough to keep and complete enough to be checked."""

from referee.replay.file import read, write
from referee.replay.frames import frames
from referee.replay.simulation import Step, simulate
from referee.replay.trace import trace
from referee.replay.tributes import tributes
from referee.replay.verification import verify

__all__ = ["Step", "frames", "read", "simulate", "trace", "tributes", "verify", "write"]
