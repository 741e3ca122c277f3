"""Rate leagues with openskill and trueskill; runs in their environment.

Reads a JSON line for each league: `bots`, `players` and `ranks` (matches, seats). Writes the
ratings of all bots before each match and after the last as 32-bit floats: by openskill, then by
trueskill.
"""

import json
import sys
from array import array

import trueskill
from openskill.models import PlackettLuce


def ratings(model, bots, matches):
    """`model` makes ratings and rates teams of one."""
    rate, found = model.rate, array("f")
    known = [[model.rating() if hasattr(model, "rating") else model.create_rating()]] * bots
    for table, ranks in matches:
        found.extend(team[0].mu for team in known)
        rated = rate([known[bot] for bot in table], ranks=ranks)
        for bot, team in zip(table, rated, strict=True):
            known[bot] = list(team)
    found.extend(team[0].mu for team in known)
    return found


if __name__ == "__main__":
    for line in sys.stdin:
        league = json.loads(line)
        matches = list(zip(league["players"], league["ranks"], strict=True))
        for model in (PlackettLuce(), trueskill.TrueSkill()):
            ratings(model, league["bots"], matches).tofile(sys.stdout.buffer)
