"""The kinds of matches, and which of them go before others."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a match is played for. In order of priority: the first is played first."""

    VALIDATION = "validation"
    CHALLENGE = "challenge"
    TOURNAMENT = "tournament"
    LADDER = "ladder"

    @property
    def before(self) -> tuple[Kind, ...]:
        """This kind, and those that go before it."""
        every = tuple(Kind)
        return every[: every.index(self) + 1]
