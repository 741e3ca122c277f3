"""Matches: their states, the match as a job, its table, its result, and how pages read it."""
