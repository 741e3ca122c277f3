"""Open a casual game, take its seats, accept it with a nonce, leave it.

A game begins once all people at its table have accepted it: by then each has seen the commitment to
the dice, and adds a nonce of their own.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.casual import playing
from ladder.casual.opponents import version_of
from ladder.errors import Invalid, NotFound, Refused
from ladder.matches.queue import clock_columns, clock_of
from ladder.model import CasualGame, CasualPace, CasualSeat, CasualState, Ladder, now, write
from ladder.people.accounts import Account
from referee.clock import Clock
from referee.game import MAX_NONCE_BYTES, fresh_seed

OPEN: Final = (CasualState.GATHERING, CasualState.PLAYING)
"""The states of a game that is not over."""
MOST_OPEN: Final = 2000
"""The largest number of casual games, of all people, that are not over."""
GATHERING: Final = timedelta(hours=1)
"""How long a game waits for its people."""

_SEEDS: Final = 2**63  # what a signed 64-bit column holds
_KEY_BYTES: Final = 18
RELAXED: Final = Clock(move_limit=300.0, bank=3600.0, increment=10.0)
UNHURRIED: Final = Clock(move_limit=3600.0, bank=36000.0, increment=60.0)
"""The longest clock that there is; without one, nobody's time is measured by it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A table as somebody wants it: the bots by id, a friend for each None, and the clock.

    The one who wishes takes the first seat, and the others follow in this order.
    """

    opponents: tuple[int | None, ...]
    pace: CasualPace = CasualPace.NONE


def open_game(session: Session, wish: Wish, account: Account | None = None) -> CasualGame:
    """Open a game, and return it; the caller, who commits, has the first seat.

    Raises Invalid (`opponents`), NotFound and Refused.
    """
    if not 1 <= len(wish.opponents) <= 3:
        raise Invalid("opponents", "choose one to three opponents")
    write(session)
    _refuse_too_many(session)
    seats = 1 + len(wish.opponents)
    clock = clock_for(session, wish.pace, seats)
    at = now(session)
    game = CasualGame(
        seats=seats,
        state=CasualState.GATHERING,
        pace=wish.pace,
        layout_seed=secrets.randbelow(_SEEDS),
        dice_seed=fresh_seed(),
        **clock_columns(clock),
        created_at=at,
        due_at=at + GATHERING,
        table=[
            _person(0, clock, account),
            *(_seat(session, seat, bot, clock) for seat, bot in enumerate(wish.opponents, 1)),
        ],
    )
    session.add(game)
    session.flush()
    return game


def clock_for(session: Session, pace: CasualPace, seats: int) -> Clock:
    """Return the clock of a pace at a table of this size."""
    if pace is CasualPace.LADDER:
        return clock_of(session.get_one(Ladder, seats))
    return RELAXED if pace is CasualPace.RELAXED else UNHURRIED


def seat_of(session: Session, key: str, *, lock: bool = False) -> tuple[CasualGame, CasualSeat]:
    """Return the game and the seat of a key; `lock` the game. Raises NotFound."""
    query = (
        select(CasualGame)
        .join(CasualSeat, CasualSeat.game_id == CasualGame.id)
        .where(CasualSeat.key == key)
    )
    if lock:
        write(session)
        query = query.with_for_update(of=CasualGame).execution_options(populate_existing=True)
    game = session.scalars(query).one_or_none()
    if game is None:
        raise NotFound("there is no such game")
    return game, next(seat for seat in game.table if seat.key == key)


def accept(session: Session, key: str, nonce: bytes) -> CasualGame:
    """Accept the game for a seat, with its part in the dice; do nothing if it has been accepted.

    The game begins if nobody else is missing. Raises NotFound, Invalid (`nonce`) and Refused; the
    caller commits.
    """
    if len(nonce) > MAX_NONCE_BYTES:
        raise Invalid("nonce", "a nonce has at most %(most)s bytes", most=MAX_NONCE_BYTES)
    game, seat = seat_of(session, key, lock=True)
    if seat.nonce is not None:
        return game
    if game.state is not CasualState.GATHERING:
        raise Refused("this game is over")
    seat.nonce = nonce
    if all(one.is_bot or one.nonce is not None for one in game.table):
        playing.begin(session, game)
    return game


def _person(seat: int, clock: Clock, account: Account | None = None) -> CasualSeat:
    return CasualSeat(
        seat=seat,
        key=secrets.token_urlsafe(_KEY_BYTES),
        user_id=account.id if account else None,
        bank_ms=round(1000 * clock.bank),
    )


def _seat(session: Session, seat: int, bot: int | None, clock: Clock) -> CasualSeat:
    if bot is None:
        return _person(seat, clock)
    bank = round(1000 * clock.bank)
    return CasualSeat(seat=seat, version_id=version_of(session, bot), bank_ms=bank)


def _refuse_too_many(session: Session) -> None:
    count = session.scalar(
        select(func.count()).select_from(CasualGame).where(CasualGame.state.in_(OPEN))
    )
    if (count or 0) >= MOST_OPEN:
        raise Refused("too many games are being played: try again later")
