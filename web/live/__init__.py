"""Matches while they are played: the stream of each, the lobby of all."""
