"""A worker: plays matches and checks versions until it is told to stop.

process       starts it: its parts are put together here
playing       how a match is played; looking tells whether a bot is back
"""
