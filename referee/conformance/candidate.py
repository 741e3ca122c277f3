"""The bot that is checked."""

from dataclasses import dataclass, field

from referee.clock import Clock
from referee.ways import Ways


@dataclass(frozen=True, slots=True)
class Candidate:
    """Where the bot listens (see `referee.ways`), and how patient it has to be."""

    address: str
    clock: Clock = field(default_factory=Clock)
    """The clock of the games that are played with it."""
    pause: float = 3.0
    """Seconds for which the checks of patience let it wait."""

    ways: Ways = field(default_factory=Ways.from_environment)
    """How it is dialled, and the secret that it shares with us."""
    slots: int | None = None
    """Games that it may be asked to play at once; None for as many as the checks want."""

    @property
    def secret(self) -> str:
        """The shared secret; empty where there is none."""
        return self.ways.secrets.get(self.address, "")
