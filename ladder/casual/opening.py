"""Open a casual game, take its seats, accept it with a nonce, leave it.

A game begins once all people at its table have accepted it: by then each has seen the commitment to
the dice, and adds a nonce of their own.
"""

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.casual import opponents, playing, record
from ladder.errors import Invalid, NotFound, Refused
from ladder.jobs import room
from ladder.matches.queue import SEEDS, clock_columns, clock_of
from ladder.model import CasualGame, CasualPace, CasualSeat, CasualState, Ladder, now, write
from ladder.people.accounts import Account, lock_user
from referee.clock import Clock
from referee.game import MAX_NONCE_BYTES, fresh_seed

MOST_OPEN: Final = 2000
"""The largest number of casual games, of all people, that are not over."""
OWN_OPEN: Final = 5
"""The largest number of a person's games that are not over."""
GATHERING: Final = timedelta(hours=1)
"""How long a game waits for its people."""

_KEY_BYTES: Final = 18
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{24}")
_LINE: Final = "casual games"
_RELAXED: Final = Clock(move_limit=300.0, bank=3600.0, increment=10.0)
_UNHURRIED: Final = Clock(move_limit=3600.0, bank=36000.0, increment=60.0)
"""The longest clock that there is; without one, nobody's time is measured by it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A table as somebody wants it: the bots by id, a friend for each None, and the clock.

    The one who wishes takes the first seat, and the others follow in this order.
    """

    opponents: tuple[int | None, ...]
    pace: CasualPace = CasualPace.NONE


def open_game(
    session: Session,
    wish: Wish,
    account: Account | None = None,
    keys: Collection[str] = (),
    key: str = "",
) -> CasualGame:
    """Open a game, and return it; the caller, who commits, has the first seat.

    `key` is that seat's key; a fresh one takes its place if it has not the form of keys. If the
    same wish came with it before, and the game still gathers, return that one. `keys` are those of
    other games that the person has opened.

    Raises Invalid (`opponents`), NotFound and Refused.
    """
    if not 1 <= len(wish.opponents) <= 3:
        raise Invalid("opponents", "choose one to three opponents")
    opponents.refuse_twice(session, wish.opponents)
    write(session)
    if account is not None:  # so that two requests at once do not both see the last one free
        lock_user(session, account.id)
    room.wait_for_turn(session, _LINE)
    if not _KEY.fullmatch(key):
        key = fresh_key()
    taken = session.scalars(select(CasualSeat).where(_is_at(key))).one_or_none()
    if taken is not None:
        opened = session.get_one(CasualGame, taken.game_id)
        if taken.seat == 0 and opened.state is CasualState.GATHERING and _wished(opened) == wish:
            return opened
        key = fresh_key()  # somebody went back to the form, and wishes another game
    if len(still_open(session, keys, account)) >= OWN_OPEN:
        raise Refused(
            "you have %(count)s games that are not over: finish one or leave it first",
            count=OWN_OPEN,
        )
    table = [
        _person(0, account.id if account else None, key),
        *(_seat(session, seat, bot) for seat, bot in enumerate(wish.opponents, 1)),
    ]
    return _open(session, wish.pace, table, secrets.randbelow(SEEDS))


def still_open(
    session: Session, keys: Collection[str], account: Account | None = None
) -> list[str]:
    """Return the keys of a person's first seats in games that are not over, the newest first.

    They are the account's, and those among `keys`; a rematch that somebody else has opened counts
    once it is accepted.
    """
    own: ColumnElement[bool] = CasualSeat.key.in_(keys)
    if account is not None:
        own = own | (CasualSeat.user_id == account.id)
    taken = or_(CasualGame.rematch_of.is_(None), CasualSeat.nonce.is_not(None))
    query = (
        select(CasualSeat.key)
        .join(CasualGame, CasualGame.id == CasualSeat.game_id)
        .where(
            CasualGame.state.in_(model.CASUAL_UNDER_WAY),
            CasualSeat.seat == 0,
            ~CasualSeat.left,
            own,
            taken,
        )
        .order_by(CasualGame.id.desc())
    )
    return [str(key) for key in session.scalars(query)]


def rematch(session: Session, key: str) -> CasualSeat:
    """Open the same table again, on the same layout, with the seats turned by one; find it if open.

    Returns the seat of who asks. Raises NotFound and Refused; the caller commits.
    """
    before, seat = seat_of(session, key, lock=True)
    if before.state is not CasualState.FINISHED:
        raise Refused("this game is not over yet")
    again = session.scalars(select(CasualGame).where(CasualGame.rematch_of == before.id)).first()
    if again is not None and again.ended_at is not None:  # it was played, or not all came
        again.rematch_of = None
        session.flush()
        again = None
    if again is None:
        room.wait_for_turn(session, _LINE)
        turned = [*before.table[1:], before.table[0]]
        table = [_once_more(session, at, one) for at, one in enumerate(turned)]
        again = _open(session, before.pace, table, before.layout_seed, before.id)
    return again.table[(seat.seat - 1) % before.seats]


def awaits_rematch(session: Session, game: CasualGame) -> bool:
    """Return True if somebody has opened a rematch of the game that is not over yet."""
    query = select(CasualGame.id).where(
        CasualGame.rematch_of == game.id, CasualGame.ended_at.is_(None)
    )
    return session.scalar(query) is not None


def _open(
    session: Session,
    pace: CasualPace,
    table: list[CasualSeat],
    layout_seed: int,
    rematch_of: int | None = None,
) -> CasualGame:
    clock = clock_columns(clock_for(session, pace, len(table)))
    for seat in table:
        seat.bank_ms = clock["bank_ms"]
    opponents.refuse_busy(session, table)
    _make_room(session)
    at = now(session)
    game = CasualGame(
        seats=len(table),
        state=CasualState.GATHERING,
        pace=pace,
        layout_seed=layout_seed,
        dice_seed=fresh_seed(),
        **clock,
        created_at=at,
        due_at=at + GATHERING,
        rematch_of=rematch_of,
        table=table,
    )
    session.add(game)
    session.flush()
    return game


def clock_for(session: Session, pace: CasualPace, seats: int) -> Clock:
    """Return the clock of a pace at a table of this size."""
    if pace is CasualPace.LADDER:
        return clock_of(session.get_one(Ladder, seats))
    return _RELAXED if pace is CasualPace.RELAXED else _UNHURRIED


def seat_of(
    session: Session, key: str, *, lock: bool = False, invitations: bool = False
) -> tuple[CasualGame, CasualSeat]:
    """Return the game and the seat of a key; `lock` the game. Raises NotFound.

    With `invitations`, also find the seat that somebody has taken by this one.
    """
    if not key.isprintable():  # PostgreSQL refuses some of such texts
        raise NotFound("there is no such game")
    query = (
        select(CasualGame)
        .join(CasualSeat, CasualSeat.game_id == CasualGame.id)
        .where(_is_at(key) if invitations else CasualSeat.key == key)
    )
    if lock:
        write(session)
        query = query.with_for_update(of=CasualGame).execution_options(populate_existing=True)
    game = session.scalars(query).one_or_none()
    if game is None:
        raise NotFound("there is no such game")
    return game, next(seat for seat in game.table if key in (seat.key, seat.invitation))


def accept(
    session: Session, key: str, nonce: bytes, account: Account | None = None, own: str = ""
) -> CasualSeat:
    """Accept the game for a seat, with its part in the dice; do nothing if it has been accepted.

    If the key is an invitation, the seat becomes that of the `account`, and its key is `own`, or
    else a fresh one: who has sent the invitation can't play it. The game begins if nobody else is
    missing. Raises NotFound, Invalid (`nonce`) and Refused; the caller commits.
    """
    if len(nonce) > MAX_NONCE_BYTES:
        raise Invalid("nonce", "a nonce has at most %(most)s bytes", most=MAX_NONCE_BYTES)
    game, seat = seat_of(session, key, lock=True, invitations=True)
    if seat.nonce is not None:
        return seat
    if game.state is not CasualState.GATHERING:
        raise Refused("this game is over")
    seat.nonce = nonce
    if seat.seat and game.rematch_of is None:
        seat.invitation, seat.key = seat.key, own or fresh_key()
    if seat.user_id is None and account is not None:
        seat.user_id = account.id
    if all(one.is_bot or one.nonce is not None for one in game.table):
        opponents.refuse_busy(session, game.table)
        playing.begin(session, game)
    return seat


def fresh_key() -> str:
    """Return a key that no seat has."""
    return secrets.token_urlsafe(_KEY_BYTES)


def _wished(game: CasualGame) -> Wish:
    """Return the wish that a game was opened for."""
    return Wish(
        tuple(one.version.bot_id if one.version else None for one in game.table[1:]), game.pace
    )


def _is_at(key: str) -> ColumnElement[bool]:
    return or_(CasualSeat.key == key, CasualSeat.invitation == key)


def _person(seat: int, user_id: int | None = None, key: str = "") -> CasualSeat:
    return CasualSeat(seat=seat, key=key or fresh_key(), user_id=user_id, guest=seat + 1)


def _once_more(session: Session, seat: int, before: CasualSeat) -> CasualSeat:
    if before.version is None:
        person = _person(seat, before.user_id)
        person.guest = record.guest_number(before)
        return person
    return _seat(session, seat, before.version.bot_id)


def _seat(session: Session, seat: int, bot: int | None) -> CasualSeat:
    if bot is None:
        return _person(seat)
    return CasualSeat(seat=seat, version_id=opponents.version_of(session, bot))


def _make_room(session: Session) -> None:
    """If there are too many games, close the one in which nothing has happened for longest."""
    is_open = CasualGame.state.in_(model.CASUAL_UNDER_WAY)
    if (session.scalar(select(func.count()).where(is_open)) or 0) < MOST_OPEN:
        return
    idle = (
        select(CasualGame)
        .where(is_open, opponents.waits_since() < now(session) - opponents.LATELY)
        .order_by(opponents.waits_since())
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    game = session.scalars(idle).first()
    if game is None:
        raise Refused("too many games are being played: try again later")
    playing.close(session, game)
