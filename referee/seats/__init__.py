"""The seats of a table: each is played by a bot, in another process or in this one.

player.py       the interface of a seat, and a bot in this process
streamed.py     a bot that answers on a stream: its news, its time, and the last message
remote.py       a bot in another process, redialled when its line breaks
line.py         the line to a bot, through the gateway if necessary
streams.py      the stream of a line, or to a host: by our own HTTP/2, or by gRPC
protocol.py     the messages on that stream: builds ours, validates the bot's
description.py  a bot's name, version and author
"""
