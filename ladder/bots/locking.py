"""Changes of several bots at once: whoever makes one locks them in the order of their ids."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from ladder.model import Bot


def change(session: Session, which: ColumnElement[bool], **values: Any) -> None:
    """Set columns of these bots, which are locked until the end of the transaction.

    Claims lock bots in this order, too: so nobody waits for one who waits for him. A statement that
    changes several rows locks them as they happen to lie. Objects in the session learn nothing.
    """
    query = select(Bot.id).where(which).order_by(Bot.id).with_for_update(key_share=True)
    session.execute(
        update(Bot).where(Bot.id.in_(session.scalars(query).all())).values(values),
        execution_options={"synchronize_session": False},
    )
