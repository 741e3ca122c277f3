"""Checks that a running bot keeps to the protocol; each check has a name.

suite.py    all checks in their order; `examine(Candidate(address))` makes them
games.py    the checks of whole games, and of each kind of decision
check.py    what a check is, how it can end, and the stream on which it is made
meeting.py  a game with the bot in it

`santiago bot check` shows the results to a bot's author.
"""
