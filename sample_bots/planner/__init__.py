"""The bot that searches a tree of what it and the others may do next, as deep as time allows.

bot.py      the bot and its thinking time
search.py   the tree, and how surely each seat ends ahead without looking further

The prices of things, and the moves that are worth a look, are those of `referee.engine`.
"""

from sample_bots.planner.bot import PlannerBot

__all__ = ["PlannerBot"]
