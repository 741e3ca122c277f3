"""Does a bot keep to the protocol? Named checks, each made on a running bot.

`examine(Candidate(address))` makes them all. `santiago bot check` shows them to an author.
"""

from referee.conformance.candidate import Candidate
from referee.conformance.check import Check, Failure, Result, State, Why
from referee.conformance.endings import NOT_MEANT
from referee.conformance.suite import checks, examine

__all__ = [
    "NOT_MEANT",
    "Candidate",
    "Check",
    "Failure",
    "Result",
    "State",
    "Why",
    "checks",
    "examine",
]
