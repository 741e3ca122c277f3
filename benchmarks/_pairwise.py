"""The rating that the ladder had before: Elo by pairs, kept to be compared with today's.

A table is read as one game of each seat against each other: the better rank scores 1, a shared
rank one half, and each pair moves both ratings by `32 / (n - 1)` times the surprise. A bot with
fewer than 20 games moves others by a quarter of that.
"""

from collections.abc import Sequence
from typing import Final

START: Final = 1_500_000
"""The rating of a bot before its first match, in milli-Elo."""
_K: Final = 32_000
_K_PROVISIONAL: Final = 8_000
_PROVISIONAL: Final = 20
_DECADE: Final = 400_000


def changes(ratings: Sequence[int], ranks: Sequence[int], games: Sequence[int]) -> tuple[int, ...]:
    """Return what one match adds to the ratings of its seats, in milli-Elo."""
    seats = range(len(ratings))
    new = [played < _PROVISIONAL for played in games]
    found = [0] * len(ratings)
    for own in seats:
        for other in seats:
            if own != other:
                chance = 1 / (1 + 10 ** ((ratings[other] - ratings[own]) / _DECADE))
                score = 0.5 + 0.5 * ((ranks[own] < ranks[other]) - (ranks[own] > ranks[other]))
                most = _K_PROVISIONAL if new[other] and not new[own] else _K
                found[own] += round(most * (score - chance) / (len(ratings) - 1))
    return tuple(found)
