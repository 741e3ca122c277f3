"""Faults of bots: what each is called, and what is said of it."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from referee.wire import game_pb2

_MOST_RECEIVED: Final = 200  # bytes of what was received that are kept


class FaultCode(IntEnum):
    """What a bot must not do; the numbers are those of the wire."""

    TIMEOUT = game_pb2.FAULT_CODE_TIMEOUT
    ILLEGAL_INDEX = game_pb2.FAULT_CODE_ILLEGAL_INDEX
    WRONG_DECISION = game_pb2.FAULT_CODE_WRONG_DECISION
    CLOSED = game_pb2.FAULT_CODE_CLOSED
    PROTOCOL = game_pb2.FAULT_CODE_PROTOCOL

    @property
    def word(self) -> str:
        """The code as it stands in traces and tables, such as `illegal-index`."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Fault:
    """A seat's fault, as a plain sentence and with the first bytes of what was received."""

    seat: int
    code: FaultCode
    sentence: str
    received: bytes = b""

    def message(self) -> game_pb2.Fault:
        """The fault for the seat itself and for the replay."""
        return game_pb2.Fault(
            seat=self.seat,
            code=self.code.value,
            sentence=self.sentence,
            received=self.received[:_MOST_RECEIVED],
        )

    def public_message(self) -> game_pb2.Fault:
        """The fault for the others at the table: not what was received."""
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
    """The fault of a seat that has used up its time, in seconds; `why` where that is known."""
    sentence = f"No choice came within the {limit:.3f} s that the move could take"
    return SeatFault(FaultCode.TIMEOUT, f"{sentence}: {why}" if why else f"{sentence}.")
