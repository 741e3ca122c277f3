"""Seats of a table: how the match runner reaches the bot that plays one.

player.py       the interface of a seat, and a bot in this process
remote.py       a bot somewhere else, redialled when its line breaks
line.py         one gRPC stream to it, through the gateway if need be
protocol.py     the messages on that stream: built, and validated
description.py  what a bot says of itself
"""
