"""The bot that searches: a tree of what it and the others may do next, as deep as time allows.

bot.py        how long it thinks, and what it plays in the end
search.py     the tree: choose a way down, look one move further, tell all on the way
candidates.py which legal moves are worth a look
worth.py      how good a position is for each seat, without looking further
"""

from sample_bots.planner.bot import PlannerBot

__all__ = ["PlannerBot"]
