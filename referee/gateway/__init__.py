"""The gateway: bots that nobody can dial dial in here, and workers call them here.

server.py       the process: where it listens, until it is asked to end
calls.py        the calls: a bot offers, a worker plays, the bot serves
lines.py        the lines of bots, and the games that are forwarded on them byte for byte
credentials.py  the tokens of bots, the challenges that workers sign

It knows nothing of the game. The bot's side is `referee.joining`; a worker's is `referee.ways` and
`referee.seats.line`.
"""
