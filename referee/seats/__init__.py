"""The seats of a table: each is played by a bot, in another process or in this one.

player.py       the interface of a seat, and a bot in this process
streamed.py     a bot that answers on a stream: its news, its time, and the last message
remote.py       a bot in another process, redialled when its line breaks
line.py         one gRPC stream to a bot, through the gateway if necessary
protocol.py     the messages on that stream: builds ours, validates the bot's
description.py  a bot's name, version and author
"""
