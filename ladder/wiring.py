"""Import this module to set what follows from a match in the rest of the ladder.

Each process that may end a match imports it: workers, scheduler, site, and commands that work on
the database. So the packages of the ladder import each other one way only.
"""

from ladder.bots import keeping, reach
from ladder.contests.tournaments import lifecycle
from ladder.matches.states import FollowUps, set_follow_ups

set_follow_ups(
    FollowUps(
        round_over=lifecycle.round_over,
        rated=keeping.conduct,
        missed=reach.missed,
        reached=reach.reached,
    )
)
