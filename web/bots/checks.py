"""The checks that a bot has to pass, in the language of the page.

A report holds the English sentence of each check that was made; what the suite found of the bot,
and told its author, stays in English.
"""

from collections.abc import Mapping
from typing import Final

from web.languages import mark, translated

SENTENCES: Final[Mapping[str, str]] = {
    # Translators: what a bot does that passes a check; "it" is the bot.
    "describe": mark("It says who it is, in the version of the protocol."),
    "accept": mark("It accepts a game, and then waits to be asked."),
    "in-time": mark("It answers each decision within its time."),
    "message": mark("It sends messages of the protocol, and those that are due."),
    "message-size": mark("It sends no message that is longer than 64 KB."),
    "decision-id": mark("Its choice repeats the id of the decision."),
    "legal-index": mark("Its choice is the index of a legal move."),
    "one-answer": mark("It answers once, and sends nothing unasked."),
    "stays": mark("It keeps the stream open until the game is over."),
    "drive": mark("It chooses how far it drives."),
    "visit": mark("It chooses to which building its pawn goes."),
    "function": mark("It chooses how it uses each of the buildings."),
    "deliver": mark("It chooses what it delivers to the ship."),
    "pick": mark("It chooses what it takes from Pablo."),
    "lawyer": mark("It chooses what it does at Alonso's."),
    "tribute": mark("It chooses what it gives to El Zorro."),
    "demand": mark("It chooses which good the ship does not want."),
    "many-moves": mark("It chooses among a hundred legal moves."),
    "game-of-2": mark("It plays a whole game at a table of 2."),
    "game-of-3": mark("It plays a whole game at a table of 3."),
    "game-of-4": mark("It plays a whole game at a table of 4."),
    "several-games": mark("It plays 4 games at once."),
    "against-itself": mark("It plays all seats of one game."),
    "late-start": mark("It waits where a game starts late."),
    "slow-opponent": mark("It waits while others think."),
    "short-time": mark("It answers within a second where it has no more."),
    "unknown-fields": mark("It passes over fields that it does not know."),
    "unknown-message": mark("It passes over messages that it does not know."),
    "game-end": mark("It takes the game's end without an answer, and closes."),
    "fault": mark("Told of a fault it closes, and plays the next game."),
    "hang-up": mark("Where the referee hangs up it plays the next game."),
    "line-back": mark("After a lost line it goes on with the same game."),
    "line-back-mid-decision": mark(
        "A line lost while it thinks: it answers the same decision again."
    ),
    "still-there": mark("After all of this it still says who it is."),
    "first-call": mark(
        "Called once, it accepts a game, proves its secret, and is the version that was submitted."
    ),
}
"""By the names of the checks."""

_KNOWN: Final = frozenset(SENTENCES.values())


def sentence(stored: str) -> str:
    """The sentence of a report; one that the suite no longer has stays as it is."""
    return translated(stored) if stored in _KNOWN else stored
