"""Plays the first legal move; what the runtime promises to have is imported."""

import grpc
import numpy
from google import protobuf

from referee.bot import Bot, Decision
from referee.rules import Move

PROMISED = (grpc, numpy, protobuf)


class SmokeBot(Bot):
    """Takes the first of the legal moves."""

    name = "smoke"

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]
