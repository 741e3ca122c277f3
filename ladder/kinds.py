"""The kinds of jobs that there are, in the order of their priority."""

from __future__ import annotations

from typing import Final

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder.bots.checking import CHECKS
from ladder.bots.versions import CHECK
from ladder.jobs.kinds import Kinds
from ladder.matches.job import MATCHES
from ladder.model import MatchKind

KINDS: Final = Kinds(
    (CHECKS, MATCHES),
    order=(
        CHECK,
        MatchKind.VALIDATION,
        MatchKind.CHALLENGE,
        MatchKind.TOURNAMENT,
        MatchKind.LADDER,
    ),
)
"""Their queues are in order of priority: jobs of the first one go before all others."""
