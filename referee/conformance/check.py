"""A check of a bot: which bot, what it must do, and how the check ended."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from referee.clock import Clock
from referee.ways import Ways


@dataclass(frozen=True, slots=True)
class Candidate:
    """The bot that is checked: its address (see `referee.ways`), and the times of its games."""

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
        """The shared secret; empty if there is none."""
        return self.ways.secrets.get(self.address, "")


class Why(StrEnum):
    """Why a check failed: a stable code. The first five are those of faults in matches."""

    TIMEOUT = "timeout"
    ILLEGAL_INDEX = "illegal-index"
    WRONG_DECISION = "wrong-decision"
    CLOSED = "closed"
    PROTOCOL = "protocol"
    NO_DESCRIPTION = "no-description"
    OTHER_VERSION = "other-version"
    SECOND_ANSWER = "second-answer"
    TOO_LONG = "too-long"
    LINE_LOST = "line-lost"
    NOT_CLOSED = "not-closed"


class Failure(Exception):
    """Raised by a check that fails: a code, and a sentence for the bot's author."""

    def __init__(self, why: Why, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why
        self.sentence = sentence


class NotReached(Exception):
    """Raised by a check that could not be made; the message says what has to be mended first."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a bot has to do."""

    name: str
    sentence: str
    """States what a bot does that passes."""
    run: Callable[[Candidate], Awaitable[None]]
    """Raises Failure, or NotReached."""
    essential: bool = False
    """If it fails, no later check is tried: each would only run into a timeout."""


class State(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check, with its seconds."""

    name: str
    sentence: str
    state: State
    why: Why | None = None
    told: str = ""
    """For the author: what went wrong, or what has to be mended first."""
    seconds: float = 0.0
