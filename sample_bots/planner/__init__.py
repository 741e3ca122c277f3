"""The bot that searches a tree of what it and the others may do next, as deep as time allows.

bot.py      the bot and its thinking time
search.py   the tree, and the moves that are worth a look
worth.py    how good a position is for each seat, without looking further
"""

from sample_bots.planner.bot import PlannerBot

__all__ = ["PlannerBot"]
