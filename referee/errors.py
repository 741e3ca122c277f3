"""Errors of the platform, and faults of bots.

RefereeError
  +-- Unreachable      a bot did not accept the game: nothing was played
  |     +-- OtherVersion   it is another version than the expected one
  +-- Interrupted      the platform's own trouble: the match is to be played again
  +-- ReplayError      a replay is damaged, forged or of another version
  +-- InvalidBot       a bot's own class or process cannot be used
  +-- WrongReferee     the caller of a bot does not know its secret
  +-- InvalidSetting   a setting in the environment or in a file cannot be used
SeatFault              a seat breaks the rules of play: it is out, and the match goes on

The rules have a family of their own, `referee.rules.RulesError`.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from referee.wire import game_pb2

_MAX_RECEIVED: Final = 200  # bytes of what was received that are kept


class RefereeError(Exception):
    """The base of the referee's errors; the message is for people."""


class Unreachable(RefereeError):
    """A bot could not be reached, or did not accept the game."""

    def __init__(self, seat: int, why: str) -> None:
        super().__init__(seat, why)  # pickling makes it again from these
        self.seat = seat
        self.why = why

    def __str__(self) -> str:
        return f"The bot at seat {self.seat} could not be reached: {self.why}"


class OtherVersion(Unreachable):
    """The bot that answered is another version than the expected one."""

    def __init__(self, seat: int, why: str, version: str) -> None:
        super().__init__(seat, why)
        self.args = (seat, why, version)
        self.version = version


class Interrupted(RefereeError):
    """The platform itself failed a match; no bot is to blame."""


class ReplayError(RefereeError):
    """A replay cannot be read, or does not re-simulate."""


class InvalidBot(RefereeError):
    """A bot's class or process cannot be used; the message says what to mend."""


class InvalidSetting(RefereeError):
    """A setting cannot be used; the message names it and says what to mend."""


class WrongReferee(RefereeError):
    """The caller did not prove that it knows the secret that the bot shares with its referee."""


class FaultCode(IntEnum):
    """The faults of bots; the numbers are those of the wire."""

    TIMEOUT = game_pb2.FAULT_CODE_TIMEOUT
    ILLEGAL_INDEX = game_pb2.FAULT_CODE_ILLEGAL_INDEX
    WRONG_DECISION = game_pb2.FAULT_CODE_WRONG_DECISION
    CLOSED = game_pb2.FAULT_CODE_CLOSED
    PROTOCOL = game_pb2.FAULT_CODE_PROTOCOL

    @property
    def word(self) -> str:
        """The code as traces and tables show it, such as `illegal-index`."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's fault, with a plain sentence and the first bytes that were received."""

    seat: int
    code: FaultCode
    sentence: str
    received: bytes = b""

    def message(self) -> game_pb2.Fault:
        """Return the fault as a message for the seat itself and for the replay."""
        return game_pb2.Fault(
            seat=self.seat,
            code=self.code.value,
            sentence=self.sentence,
            received=self.received[:_MAX_RECEIVED],
        )

    def public_message(self) -> game_pb2.Fault:
        """Return the fault for the other seats, without what was received."""
        message = self.message()
        message.received = b""
        return message


class SeatFault(Exception):
    """Raised by a seat that faults; the match runner turns it into a Fault."""

    def __init__(self, code: FaultCode, sentence: str, received: bytes = b"") -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.received = received


def too_late(limit: float, why: str = "") -> SeatFault:
    """Return the fault of a seat that used up its time, `limit` in seconds; `why` if known."""
    sentence = f"No choice came within the {limit:.3f} s that the move could take"
    return SeatFault(FaultCode.TIMEOUT, f"{sentence}: {why}" if why else f"{sentence}.")
