"""Counts how evenly round robins are laid out.

Run `python -m tests.ladder.contests.evenness`.
"""

from collections import Counter
from random import Random

from ladder.contests.formats import round_robin
from tests.ladder.contests.balance import balance, unevenness

MOST_BOTS = 30
DEALS = range(1, 5)


def main() -> None:
    for seats in (3, 4):
        met, behind = Counter[int](), Counter[int]()
        for bots in range(seats, MOST_BOTS + 1):
            for deals in DEALS:
                planned = round_robin(range(bots), seats=seats, deals=deals, rng=Random(1))
                found = balance(planned, range(bots), seats)
                met[unevenness(found.met)] += 1
                behind[unevenness(found.behind)] += 1
        print(f"{seats} seats, {met.total()} plans, by how much they differ:")
        print("  how often two bots met:", dict(sorted(met.items())))
        print("  how often one sat behind another:", dict(sorted(behind.items())))


if __name__ == "__main__":
    main()
