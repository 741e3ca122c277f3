"""Local tournaments: for a bot author's own machine, without queue and database.

entrants        the bots that the command line names, and their processes
output          keeps what these print short
tournament      plans the games, and plays them in several processes
log             what was played, so that a later run goes on from there
results         scores, wins and comparisons; estimates says how certain they are
second_opinion  asks a bot again for the decisions of a recorded game
hosting         starts one built bot at a host of this process
guardian        ends the processes that a command started, even if it is killed
"""
