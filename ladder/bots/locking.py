"""Locks on bots: whoever takes several takes them in the order of their ids."""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ladder.database.models import Bot


def lock(session: Session, which: ColumnElement[bool]) -> list[int]:
    """The ids of these bots, locked until the end of the transaction.

    Claims lock bots in this order, too: so nobody waits for one who waits for him. A statement that
    changes several rows locks them as they happen to lie.
    """
    query = select(Bot.id).where(which).order_by(Bot.id)
    return list(session.scalars(query.with_for_update(key_share=True)))
