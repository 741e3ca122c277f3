"""The formats and limits of tournaments, and the checks of what an organiser asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, log2
from typing import Final

from ladder.errors import Invalid, Phrase
from ladder.ratings.elo import TABLE_SIZES
from referee.clock import Clock


class Format(StrEnum):
    """The rule by which bots meet."""

    ROUND_ROBIN = "round_robin"
    SWISS = "swiss"
    GAUNTLET = "gauntlet"


MOST_BOTS: Final = 128
MOST_DEALS: Final = 1_000
MOST_ROUNDS: Final = 30
MOST_MATCHES: Final = 20_000
"""A round's matches are all inserted at once, and a page adds up all of a tournament's."""
LONGEST_NAME: Final = 60
LONGEST_GRACE: Final = 86_400.0
LARGEST_SEED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Wish:
    """A tournament as an organiser asks for it; `create` explains the fields."""

    name: str
    format: Format
    seats: int
    bot_ids: tuple[int, ...]
    deals: int
    rounds: int
    clock: Clock
    rated: bool
    grace: float


def checked_format(word: str) -> Format:
    """Return the format of this name. Raises Invalid."""
    if word not in set(Format):
        raise Invalid(
            "format",
            "a format is %(formats)s; not “%(word)s”",
            formats=", ".join(Format),
            word=word,
        )
    return Format(word)


def checked_name(name: str) -> str:
    """Return the name without blanks around it. Raises Invalid."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise Invalid(
            "name", "a name has 1 to %(most)s characters that can be printed", most=LONGEST_NAME
        )
    return name


def checked_bots(bot_ids: Sequence[int], seats: int) -> tuple[int, ...]:
    """Return the bots if they can fill tables of `seats`. Raises Invalid."""
    if seats not in TABLE_SIZES:
        raise Invalid("seats", "a table has 2, 3 or 4 seats, not %(seats)s", seats=seats)
    if len(set(bot_ids)) < len(bot_ids):
        raise Invalid("bots", "a bot is named twice: name each bot once")
    if len(bot_ids) < seats:
        raise Invalid(
            "bots",
            "a table of %(seats)s needs at least %(seats)s bots, not %(given)s",
            seats=seats,
            given=len(bot_ids),
        )
    if len(bot_ids) > MOST_BOTS:
        raise Invalid(
            "bots",
            "%(given)s bots are more than %(most)s: make several tournaments",
            given=len(bot_ids),
            most=MOST_BOTS,
        )
    return tuple(bot_ids)


def checked_rounds(rounds: int | None, format_: Format, bots: int) -> int:
    """Return the number of rounds; by default a Swiss tournament has log2 of the bots, at least 3.

    Raises Invalid.
    """
    if format_ is not Format.SWISS:
        if rounds not in (None, 1):
            raise Invalid("rounds", "only a Swiss tournament has rounds: choose deals instead")
        return 1
    if rounds is None:
        return max(3, ceil(log2(bots)))
    return within("rounds", rounds, 1, MOST_ROUNDS)


def within(field: str, value: int, least: int, most: int) -> int:
    """Return the number if it is from `least` to `most`. Raises Invalid."""
    if not least <= value <= most:
        raise Invalid(
            field,
            "%(field)s can be %(least)s to %(most)s, not %(value)s",
            field=Phrase(field),
            least=least,
            most=most,
            value=value,
        )
    return value


def checked_grace(seconds: float) -> float:
    """Return the seconds to wait for absent bots. Raises Invalid."""
    if not 0 <= seconds <= LONGEST_GRACE:
        raise Invalid(
            "grace", "the grace time is 0 to %(most)s seconds", most=f"{LONGEST_GRACE:.0f}"
        )
    return seconds


def check_total(matches: int) -> None:
    """Raise Invalid if there are more matches than a tournament may have."""
    if matches > MOST_MATCHES:
        raise Invalid(
            "deals",
            "these would be %(matches)s matches, more than %(most)s: take fewer deals or bots, "
            "or a Swiss tournament",
            matches=matches,
            most=MOST_MATCHES,
        )
