"""Analyses of finished matches: why each game was won (`referee.analysis`, docs/analysis.md).

queue      who may have a match analysed, and how that stands; which are analysed by themselves
job        the analysis as a job: one attempt, and what follows from it
engine     the engine in a process of its own, far below everything else, and what its jobs share
profiles   the mistakes of a bot over its newest analysed games
"""
