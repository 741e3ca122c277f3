"""Faults of bots: their codes, the record of a fault, and the exception of a seat that faults.

A fault ends a seat's part in the game, and the match goes on. It is no error of the platform.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from referee.wire import game_pb2

MAX_RECEIVED: Final = 200
"""Bytes of a message that are recorded."""


class FaultCode(IntEnum):
    """The faults of bots; the numbers are those of the wire."""

    TIMEOUT = game_pb2.FAULT_CODE_TIMEOUT
    ILLEGAL_INDEX = game_pb2.FAULT_CODE_ILLEGAL_INDEX
    WRONG_DECISION = game_pb2.FAULT_CODE_WRONG_DECISION
    CLOSED = game_pb2.FAULT_CODE_CLOSED
    PROTOCOL = game_pb2.FAULT_CODE_PROTOCOL
    ABSENT = game_pb2.FAULT_CODE_ABSENT
    LIMIT = game_pb2.FAULT_CODE_LIMIT
    BANNED = game_pb2.FAULT_CODE_BANNED

    @property
    def word(self) -> str:
        """The code in traces and tables, such as `illegal-index`."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Asked:
    """The decision that was open when a seat faulted, and the seat's clock in seconds."""

    decision_id: int
    time_left: float
    """The time that the move could take when it was asked."""
    bank_left: float
    """The rest of the bank then."""
    think: float
    """The time from the question to the fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's fault, with a plain sentence and what was received."""

    seat: int
    code: FaultCode
    sentence: str
    received: bytes = b""
    asked: Asked | None = None
    """None if no decision was open."""

    @classmethod
    def of(cls, message: game_pb2.Fault) -> Self:
        """Return the fault of a message, without what was asked."""
        return cls(message.seat, FaultCode(message.code), message.sentence, message.received)

    def message(self) -> game_pb2.Fault:
        """Return the fault as a message for the seat itself and for the replay."""
        message = self.public_message()
        message.received = self.received[:MAX_RECEIVED]
        message.received_length = len(self.received)
        if self.asked is not None:
            message.decision_id = self.asked.decision_id
            message.time_left_ms = int(1000 * self.asked.time_left)
            message.bank_left_ms = int(1000 * self.asked.bank_left)
            message.think_us = round(1e6 * self.asked.think)
        return message

    def public_message(self) -> game_pb2.Fault:
        """Return the fault for the other seats, without what concerns its author alone."""
        return game_pb2.Fault(seat=self.seat, code=self.code.value, sentence=self.sentence)


class SeatFault(Exception):
    """Raised by a seat that faults; the match runner turns it into a Fault."""

    def __init__(self, code: FaultCode, sentence: str, received: bytes = b"") -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.received = received


def absence(seat: int) -> Fault:
    """Return the fault of a seat whose bot is not there when the game begins."""
    return Fault(seat, FaultCode.ABSENT, "The bot did not appear.")


def too_late(limit: float, why: str = "") -> SeatFault:
    """Return the fault of a seat that used up its time of `limit` seconds; `why` is the reason."""
    sentence = f"No choice came within {round(limit, 3):g} s"
    return SeatFault(FaultCode.TIMEOUT, f"{sentence}: {why}" if why else f"{sentence}.")
