"""Find pairs of bots that may help each other: by their results, and by their decisions.

evidence    two signs in results: who loses to whom, and who wins beside whom; and two in favours:
            one bot gets more than the others, and more is paid for it
favours     what each decision of a stored game gave the other seats, and cost for that
signs       how unusual a sign is, beyond luck and honest styles
verdicts    which pairs are noted, and which are shown
records     the judged pairs of a ladder, with what is counted of them, read from the database

A pair is shown if two signs agree, of results, gifts and what was paid for these: nobody is shown
on one sign alone. It is only a reason to look at their games. (Bots of one author don't meet on
the ladder unless the operator allows it.)
"""

from ladder.ratings.collusion.favours import evaluate_newest
from ladder.ratings.collusion.records import PairRecord, pairs
from ladder.ratings.collusion.verdicts import FEWEST, NOTED, SHOWN

__all__ = ["FEWEST", "NOTED", "SHOWN", "PairRecord", "evaluate_newest", "pairs"]
