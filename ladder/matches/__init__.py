"""Matches: their states, the match as a job, its table, its result, and how pages read it.

states    the one function that moves a match from state to state, and what follows
queue     which matches may be played, with which clocks, and how the queue stands
tables    the bots at a table: where each answers, and whether it may play now
lanes     how many jobs may use the hosts' processors at once
job       the match as a job: an attempt, and what follows if it ends without a result
results   writes the result of an attempt, with all that follows from it
misses    bots that did not accept a match when called
debts     matches of the ladder that bots owe
reading   one match as pages see it, and whether its seats may be named yet
listing   lists of matches with filters
"""
