"""Names that nobody may take, because readers would think that the service itself speaks.

Names of users and bots are plain ASCII, so the look-alikes that are left are separators, digits and
pairs of letters: `adm1n`, `a.d.m.i.n`, `Planner-2`, `adrnin`, `arena_support`.
"""

import re
from typing import Final

from ladder.errors import Invalid

HOUSE: Final = "arena"
"""The user that owns the house bots. It has no password and can never get one."""
HOUSE_BOTS: Final = frozenset({"greedy", "planner", "random", "turquino"})
_ROLES: Final = frozenset(
    {"admin", "administrator", "author", "operator", "organiser", "organizer"}
)
_SERVICE: Final = frozenset(
    {
        *(HOUSE, "santiago", "ladder", "site", "api", "gateway", "referee", "caretaker", "house"),
        *(
            "moderator",
            "official",
            "root",
            "security",
            "staff",
            "support",
            "system",
            "team",
            "help",
        ),
        *("anonymous", "deleted", "nobody", "unknown"),
    }
)
RESERVED: Final = HOUSE_BOTS | _ROLES | _SERVICE
_DIGITS: Final = str.maketrans("0123456789", "olzeasgtbg")
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_BETWEEN: Final = re.compile(r"[^a-z0-9]+")


def refuse_reserved(name: str) -> None:
    """Raise Invalid (`name`) if a new user or bot may not have this name."""
    if is_reserved(name):
        raise Invalid(
            "name", "the name %(name)s is reserved for the service: choose another one", name=name
        )


def is_reserved(name: str) -> bool:
    """Return True for a reserved name, one that looks like it, or one made of them alone."""
    parts = [part for part in _BETWEEN.split(name.casefold()) if part]
    words = [part for part in parts if not part.isdigit()]
    return _looks_reserved("".join(parts)) or (bool(words) and all(map(_looks_reserved, words)))


def _looks_reserved(word: str) -> bool:
    return not {_shape(word), _shape(word.rstrip("0123456789"))}.isdisjoint(_SHAPES)


def _shape(word: str) -> str:
    """Return the word with one letter in place of all that look like it."""
    word = word.translate(_DIGITS)
    for pair, letter in _PAIRS:
        word = word.replace(pair, letter)
    return word.replace("i", "l")


_SHAPES: Final = frozenset(map(_shape, RESERVED))
