"""Analyses of finished matches: why each game was won (`referee.analysis`, docs/analysis.md).

asking     who may have a match analysed, and how that stands; which are analysed by themselves
thinking   what the jobs of the engine have in common
job        the analysis as a job: one attempt, and what follows from it
engine     the engine in a process of its own, far below everything else
profiles   the mistakes of a bot over its newest analysed games
"""
