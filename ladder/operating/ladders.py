"""The ladders: whether matches are made for them, and their part of the mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.accounts import Account, audit
from ladder.database import models, write
from ladder.errors import Invalid, NotFound
from ladder.operating.reasons import may_operate

MOST_SHARE: Final = 100


@dataclass(frozen=True, slots=True)
class LadderState:
    """A ladder by its table size; see the table `ladders`."""

    seats: int
    open: bool
    share: int


def ladders(session: Session) -> tuple[LadderState, ...]:
    """All of them, by table size."""
    rows = session.scalars(select(models.Ladder).order_by(models.Ladder.seats))
    return tuple(LadderState(row.seats, row.open, row.share) for row in rows)


def change_ladder(
    session: Session, admin: Account, seats: int, *, is_open: bool, share: int
) -> None:
    """Open or close a ladder and set its share; what waits is played either way.

    Raises Forbidden, Invalid (`share`) and NotFound; the caller commits.
    """
    may_operate(admin)
    if not 0 <= share <= MOST_SHARE:
        raise Invalid("share", "a share is from 0 to %(most)s", most=MOST_SHARE)
    write(session)
    row = session.get(models.Ladder, seats, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFound("there is no ladder of tables of %(seats)s", seats=seats)
    if (row.open, row.share) == (is_open, share):
        return
    before = _words(is_open=row.open, share=row.share)
    row.open, row.share = is_open, share
    after = _words(is_open=is_open, share=share)
    audit(session, admin, "ladder", f"ladder {seats}", f"{before} → {after}")


def _words(*, is_open: bool, share: int) -> str:
    return f"{'open' if is_open else 'closed'}, share {share}"
