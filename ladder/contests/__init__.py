"""Decide which bots meet: ladders and matchmaking, pairings, tournaments, challenges."""
