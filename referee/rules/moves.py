"""Moves: small ints with a text form.

A move packs a verb (the low five bits) and an argument (all bits above them, without a bound: a
rich player may drive as far as he can pay). The same number is the action on the wire. `move_text`
and `parse_move` are inverses of each other.
"""

import re
from typing import Final, TypeAlias

from referee.rules import pieces
from referee.rules.errors import InvalidMove

Move: TypeAlias = int

PASS: Final = 0
DRIVES: Final = 1  # argument: stops
TAKES: Final = 2  # plain good
OWNS: Final = 3  # building
USES: Final = 4  # building
GIVES: Final = 5  # plain good, GIFT_PESO or GIFT_VP
VISITS: Final = 6  # building
CONVERTS: Final = 7  # units
SWAPS: Final = 8  # 8 * good given + good got
SELLS_WOOD: Final = 9
SERVES: Final = 10  # SERVE_RUM, SERVE_CIGARS or both
CLEARS: Final = 11  # plain good
BUYS: Final = 12  # VP
SELLS: Final = 13  # VP
RAISES: Final = 14
LOWERS: Final = 15
SHIPS_ONE: Final = 16  # plain good
SILENCES: Final = 17  # citizen
DELIVERS: Final = 18  # 8 * units + plain good
DELIVERS_WOOD: Final = 19  # 8 * units + the plain good that it stands for
EXCLUDES: Final = 20  # plain good

VERB_BITS: Final = 5
VERB_MASK: Final = 31

GIFT_PESO: Final = 5
GIFT_VP: Final = 6
GIFTS: Final = (*pieces.PLAIN_GOODS, "peso", "vp")
SERVE_RUM: Final = 1
SERVE_CIGARS: Final = 2


def make_move(verb: int, argument: int = 0) -> Move:
    """Return the move of a verb and its argument."""
    return argument << VERB_BITS | verb


_PREFIXES: Final = {
    TAKES: ("take", pieces.PLAIN_GOODS),
    OWNS: ("own", pieces.BUILDINGS),
    USES: ("use", pieces.BUILDINGS),
    GIVES: ("give", GIFTS),
    VISITS: ("visit", pieces.BUILDINGS),
    CLEARS: ("clear", pieces.PLAIN_GOODS),
    SHIPS_ONE: ("ship", pieces.PLAIN_GOODS),
    SILENCES: ("silence", pieces.CITIZENS),
    EXCLUDES: ("exclude", pieces.PLAIN_GOODS),
}
_COUNTS: Final = {DRIVES: "drive", CONVERTS: "convert", BUYS: "buy", SELLS: "sell"}
_MOST_UNITS: Final = 8
_MOST_DIGITS: Final = 9


def _named_moves() -> dict[str, Move]:
    """Return every move by its text, except those that count without a bound."""
    named = {
        "pass": make_move(PASS),
        "sell wood": make_move(SELLS_WOOD),
        "serve rum": make_move(SERVES, SERVE_RUM),
        "serve cigars": make_move(SERVES, SERVE_CIGARS),
        "serve rum cigars": make_move(SERVES, SERVE_RUM | SERVE_CIGARS),
        "raise": make_move(RAISES),
        "lower": make_move(LOWERS),
    }
    for verb, (word, names) in _PREFIXES.items():
        named |= {f"{word} {name}": make_move(verb, n) for n, name in enumerate(names)}
    for good, name in enumerate(pieces.PLAIN_GOODS):
        for other, got in enumerate(pieces.PLAIN_GOODS):
            if other != good:
                named[f"swap {name} {got}"] = make_move(SWAPS, 8 * good + other)
        for units in range(1, _MOST_UNITS + 1):
            argument = 8 * units + good
            named[f"deliver {name} {units}"] = make_move(DELIVERS, argument)
            named[f"deliver wood {units} as {name}"] = make_move(DELIVERS_WOOD, argument)
    return named


_BY_TEXT: Final = _named_moves()
_TEXTS: Final = {move: text for text, move in _BY_TEXT.items()}
_COUNT_VERBS: Final = {word: verb for verb, word in _COUNTS.items()}
_COUNTED: Final = re.compile(rf"({'|'.join(_COUNT_VERBS)}) ([1-9][0-9]{{0,{_MOST_DIGITS - 1}}})")


def move_text(move: Move) -> str:
    """Return a move in the notation.

    Args:
        move: The number of a move, such as one of `position.legal_moves`.

    Returns:
        A text such as `drive 3` or `deliver wood 2 as sugar`.

    Raises:
        InvalidMove: The number is not that of a move.

    Example:
        >>> [move_text(move) for move in position.legal_moves]
        ['drive 1', 'drive 2', 'drive 3', 'drive 4']
    """
    text = _TEXTS.get(move)
    if text is not None:
        return text
    word, count = _COUNTS.get(move & VERB_MASK), move >> VERB_BITS
    if word is None or not 0 < count < 10**_MOST_DIGITS:
        raise InvalidMove(f"{move} is not the number of a move.")
    return f"{word} {count}"


def parse_move(text: str) -> Move:
    """Return the move that a text names: the inverse of `move_text`.

    It does not check that the move is legal somewhere; `position.parse_move` does.

    Args:
        text: A move of the notation, exactly as `move_text` writes it.

    Returns:
        The number of the move.

    Raises:
        InvalidMove: The text is not a move.

    Example:
        >>> parse_move("drive 2") in position.legal_moves
        True
    """
    move = _BY_TEXT.get(text)
    if move is not None:
        return move
    counted = _COUNTED.fullmatch(text)
    if counted is None:
        raise InvalidMove(
            f"{text[:40]!r} is not a move; moves look like 'drive 3', 'visit bank', 'pass'."
        )
    return make_move(_COUNT_VERBS[counted[1]], int(counted[2]))
