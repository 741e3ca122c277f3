"""The history of casual games: the newest games of an account or a browser.

Games of accounts are kept. Those of guests alone are forgotten some time after their end, and those
that ended without a result soon.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import and_, delete, exists, or_, select, update
from sqlalchemy.orm import Session, selectinload

from ladder.analyses.job import CASUAL_ANALYSIS
from ladder.casual import record
from ladder.jobs import attempts
from ladder.model import (
    CASUAL_UNDER_WAY,
    CasualAnalysis,
    CasualGame,
    CasualOutput,
    CasualSeat,
    CasualState,
    Version,
    execute,
    now,
    write,
)
from ladder.people.accounts import Account

NEWEST: Final = 50
"""How many games are listed."""
WITHOUT_RESULT: Final = timedelta(days=7)
"""How long games without a result are kept."""

AT_ONCE: Final = 500
"""Games that are deleted in one transaction."""


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game in somebody's history, from their seat. `place` and `vp` are None without a result."""

    key: str = field(repr=False)
    others: tuple[str, ...]
    state: CasualState
    at: datetime
    """When it ended, or was opened if it goes on."""
    place: int | None
    vp: int | None
    shared: bool
    """Another seat has the same place."""
    failed: tuple[str, ...]
    """The bots that did not play to the end: then the game does not count."""

    @property
    def is_open(self) -> bool:
        """True if the game is not over."""
        return self.state in CASUAL_UNDER_WAY

    @property
    def won(self) -> bool:
        """True if the person has won against all others."""
        return self.place == 1 and not self.shared and not self.failed


def newest(
    session: Session, account: Account | None, keys: Collection[str] = ()
) -> tuple[PastGame, ...]:
    """Return the newest games of an account, and of the seats that a guest holds by these keys.

    They are NEWEST at most.
    """
    if account is None and not keys:
        return ()
    own = and_(CasualSeat.key.in_(keys), CasualSeat.user_id.is_(None))
    if account is not None:
        own = or_(own, CasualSeat.user_id == account.id)
    query = (
        select(CasualGame, CasualSeat.seat)
        .join(CasualSeat, CasualSeat.game_id == CasualGame.id)
        .where(own)
        .order_by(CasualGame.id.desc())
        .limit(NEWEST)
        .options(
            selectinload(CasualGame.table).joinedload(CasualSeat.version).joinedload(Version.bot)
        )
    )
    return tuple(_played(game, seat) for game, seat in session.execute(query))


def forget(session: Session, guests: timedelta) -> int:
    """Delete games that nobody asks for any more; return how many. The caller commits.

    That is AT_ONCE at most. `guests`: how long a game without an account at the table is kept after
    its end.
    """
    at = now(session)
    with_users = exists().where(
        CasualSeat.game_id == CasualGame.id, CasualSeat.user_id.is_not(None)
    )
    closed = and_(CasualGame.state == CasualState.CLOSED, CasualGame.ended_at < at - WITHOUT_RESULT)
    old = and_(
        CasualGame.state == CasualState.FINISHED, CasualGame.ended_at < at - guests, ~with_users
    )
    due = select(CasualGame.id).where(or_(closed, old)).order_by(CasualGame.id).limit(AT_ONCE)
    # Locked, so that nobody opens a rematch of one meanwhile.
    ids = session.scalars(due.with_for_update(key_share=True, skip_locked=True)).all()
    if ids:
        write(session)
        again = update(CasualGame).where(CasualGame.rematch_of.in_(ids))
        execute(session, again.values(rematch_of=None))
        attempts.drop(session, CASUAL_ANALYSIS, *ids)
        for table in (CasualAnalysis, CasualOutput, CasualSeat):
            execute(session, delete(table).where(table.game_id.in_(ids)))
        execute(session, delete(CasualGame).where(CasualGame.id.in_(ids)))
    return len(ids)


def _played(game: CasualGame, seat: int) -> PastGame:
    own = game.table[seat]
    return PastGame(
        str(own.key),
        tuple(record.shown_name(one) for one in game.table if one is not own),
        game.state,
        game.ended_at or game.created_at,
        own.rank,
        own.vp,
        any(one.rank == own.rank for one in game.table if one is not own),
        tuple(record.shown_name(one) for one in game.table if one.is_bot and one.fault),
    )
