"""The bot that is checked."""

from dataclasses import dataclass, field

import grpc.aio

from referee.clock import Clock
from referee.service import CHANNEL_OPTIONS


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where the bot listens (`host:port` or `unix:/path`), and how patient it has to be."""

    address: str
    clock: Clock = field(default_factory=Clock)
    """The clock of the games that are played with it."""
    pause: float = 3.0
    """Seconds for which the checks of patience let it wait."""

    def channel(self) -> grpc.aio.Channel:
        """A connection of its own."""
        return grpc.aio.insecure_channel(self.address, options=CHANNEL_OPTIONS)
