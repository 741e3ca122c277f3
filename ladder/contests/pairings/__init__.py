"""Who plays whom, at tables of two, three and four. Pure; luck is handed in."""

from ladder.contests.pairings.deals import PlannedDeal, endless_deals, rotations
from ladder.contests.pairings.round_robin import gauntlet, round_robin
from ladder.contests.pairings.swiss import swiss_round
from ladder.contests.pairings.tables import Table, gauntlet_tables, round_robin_tables

__all__ = [
    "PlannedDeal",
    "Table",
    "endless_deals",
    "gauntlet",
    "gauntlet_tables",
    "rotations",
    "round_robin",
    "round_robin_tables",
    "swiss_round",
]
