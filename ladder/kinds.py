"""The kinds of jobs that there are, in the order of their priority."""

from __future__ import annotations

from typing import Final

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder.bots.checking import CHECKS
from ladder.bots.versions import CHECK
from ladder.jobs.kinds import Kinds
from ladder.matches.job import MATCHES
from ladder.matches.kinds import Kind

KINDS: Final = Kinds(
    (CHECKS, MATCHES),
    order=(CHECK, Kind.VALIDATION, Kind.CHALLENGE, Kind.TOURNAMENT, Kind.LADDER),
)
"""By their queues: whatever waits in the first one goes before all others."""
