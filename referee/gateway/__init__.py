"""The gateway: bots that nobody can dial dial in here, and workers call them here.

server.py       the process and its calls: a bot offers, a worker plays, the bot serves
lines.py        the lines of bots, and the games that are forwarded on them byte for byte
credentials.py  tokens of bots, challenges that workers sign, how many may call, and how often

The gateway knows nothing of the game. The bot's side is `referee.joining`; a worker's side is
`referee.ways` and `referee.seats.line`.
"""
