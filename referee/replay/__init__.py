"""Replays: whole games on record, small enough to keep and complete enough to be checked.

Everything is imported from here.
"""

from referee.replay.frames import frames, trace
from referee.replay.simulation import Step, read, simulate, start, tributes, verify, write

__all__ = ["Step", "frames", "read", "simulate", "start", "trace", "tributes", "verify", "write"]
