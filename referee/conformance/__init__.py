"""Checks that a running bot keeps to the protocol, each under its own name.

suite.py      all checks in their order; `examine(Candidate(address))` makes them
games.py, decisions.py
              checks of whole games, and of each kind of decision
check.py      what a check is, and how it can end
meeting.py, stream.py
              a game with the bot in it, and the stream to the bot

`santiago bot check` shows the results to a bot's author.
"""
