"""Puts the parts of the ladder together: the kinds of jobs, and what follows from a match.

Importing this module sets what follows from a match. Each process that may end one imports it:
workers, scheduler, site, and commands that work on the database. So the packages of the ladder
import each other one way only.
"""

from typing import Final

from ladder.analyses.job import ANALYSES, ANALYSIS, CASUAL_ANALYSES, CASUAL_ANALYSIS
from ladder.bots import availability, reach
from ladder.bots.building import BUILDS
from ladder.bots.checking import CHECKS
from ladder.bots.versions import BUILD, CHECK
from ladder.casual.answering import ANSWERS
from ladder.casual.playing import ANSWER
from ladder.jobs.kinds import Kinds
from ladder.matches.job import MATCHES
from ladder.matches.states import FollowUps, set_follow_ups
from ladder.model import MatchKind
from ladder.puzzles.solving import PUZZLE, PUZZLES, propose

KINDS: Final = Kinds(
    (ANSWERS, CHECKS, BUILDS, MATCHES, CASUAL_ANALYSES, ANALYSES, PUZZLES),
    order=(ANSWER, CHECK, BUILD, *MatchKind, CASUAL_ANALYSIS, ANALYSIS, PUZZLE),
)
"""Their queues are in order of priority: jobs of the first one go before all others."""

set_follow_ups(
    FollowUps(
        rated=availability.conduct, missed=reach.missed, lost=reach.lost, reached=reach.reached
    )
)
ANALYSES.follow(propose)
