"""Decide which bots meet: ladders and matchmaking, pairings, tournaments, challenges.

ladders            the settings of the ladders
matchmaking        makes the matches of the ladders while the workers need more
choosing           which bots sit at one of their tables
challenges         unrated matches that authors ask for
pairings           deals, the rotations of their seats, and even orders of seats
formats            who meets whom: round robin, gauntlet, Swiss
designs            balanced tables for many bots
tournaments/       from their creation over their rounds to their end
tournament_points  points and tie-breaks
cross_table        each bot against each other, and the standings
"""
