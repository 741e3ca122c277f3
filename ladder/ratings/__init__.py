"""Rate bots: the ledger, Elo, strength, fairness, and the standings that show them.

elo            the rule: what a result does to the ratings at a table
ledger         the order of all results and other entries, and the ratings that follow
tallies        counts of results: meetings of bots, wins by seat and by the bot before

Pages:
ranks          the order of all bots, in memory
activity       since when a bot must have played to keep its rank
standings      rank, rating and counts on one ladder; boards are its pages, searched and sorted
histories      how ratings changed

Everything once more, from the beginning:
rebuilding     folds the ledger again, compares, and stores what differs
refolding      computes the tables that follow from a fold, and compares them
folding        goes through the entries in order, in memory
entries        reads them
stored         reads and writes the tables as columns of numbers

Reports, computed in the background:
strength       an estimate from all games together, by plackett_luce
fairness       seats, neighbours, games, misses, waiting times, workers
agreement      ratings beside strengths
setbacks       matches that were missed or interrupted
habits         what players do, by strength
collusion/     pairs of bots that may help each other
"""
