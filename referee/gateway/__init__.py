"""The gateway: bots that nobody can dial dial in here, and workers call them as if they were here.

server.py      the process: what it listens for, until it is asked to end
calls.py       the calls: a bot offers, a worker plays, the bot serves
lines.py       who has dialled in, with how many slots
forwarding.py  one game: what comes from one side goes to the other, byte for byte
challenges.py  how workers prove themselves
tokens.py      which token is which bot's

It knows nothing of the game. The bot's side is `referee.joining`; a worker's is `referee.ways` and
`referee.seats.admission`.
"""
