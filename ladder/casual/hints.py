"""Hints: what a sample bot would choose in a person's place; in games without other people only.

The bot is one of those that this installation brings. It chooses in the process that asks, within
milliseconds, and outside of a transaction.
"""

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from sqlalchemy.orm import Session

from ladder.casual import record
from ladder.casual.opening import seat_of
from ladder.casual.playing import refuse_made
from ladder.errors import Refused
from ladder.matches.queue import clock_of
from ladder.model import CasualGame, CasualSeat
from referee.bot import Bot, Decision

ADVISER: Final = "greedy"
"""The bot that gives hints: the strongest one that needs no time."""
HINTS: Final = 30
"""How many hints a person gets in a game."""

_ENTRY_POINTS: Final = "santiago.bots"


def hints_left(game: CasualGame, seat: CasualSeat) -> int:
    """Return how many hints the seat can still ask for; 0 if there are none in this game.

    Somebody who plays against other people gets none.
    """
    alone = all(one.is_bot or one is seat for one in game.table)
    return max(0, HINTS - seat.hints) if alone and _adviser() is not None else 0


def hint(game: CasualGame, seat: CasualSeat) -> str | None:
    """Return the move that was the hint for the decision that is open, if there was one."""
    return seat.hint if seat.hint_for == game.decisions else None


def ask(session: Session, key: str, decision: int) -> tuple[CasualGame, CasualSeat]:
    """Store a hint for the decision with this number; one that was asked for before stays.

    Returns the game and the seat, locked. Raises NotFound and Refused; the caller commits.
    """
    game, seat = seat_of(session, key)
    move = None if hint(game, seat) else _choice(game, seat, decision)
    game, seat = seat_of(session, key, lock=True)
    refuse_made(game, seat, decision)
    if move is not None and hint(game, seat) is None:
        seat.hint, seat.hint_for, seat.hints = move, decision, seat.hints + 1
    return game, seat


def _choice(game: CasualGame, seat: CasualSeat, decision: int) -> str:
    adviser = _adviser()
    if adviser is None or not hints_left(game, seat):
        raise Refused("there are no more hints in this game")
    refuse_made(game, seat, decision)
    played = record.rebuilt(record.stored(game))
    played.run_to_decision()
    position = played.position
    texts = dict(zip(position.legal_moves, position.legal_texts(), strict=True))
    limit = clock_of(game).move_limit
    return texts[adviser().choose(Decision(position, position.seat, limit, limit))]


@cache
def _adviser() -> type[Bot] | None:
    found = entry_points(group=_ENTRY_POINTS, name=ADVISER)
    return next((point.load() for point in found), None)
