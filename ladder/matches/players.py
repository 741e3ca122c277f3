"""Who sits at the table of a match: where each bot answers, and whether it may play now."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.database.models import Bot, Seat, User, Version
from ladder.matches.kinds import Kind
from ladder.matches.room import Guest, ready_for


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays a seat and where it answers. `secret`: what is shared with it, still encrypted.

    A house bot is the operator's own: its address is dialled whatever it is.
    """

    bot_id: int
    version_id: int
    name: str
    version: str
    author: str
    address: str
    secret: bytes | None = field(default=None, repr=False)
    house: bool = False


def seated(session: Session, match_id: int, kind: Kind) -> list[tuple[Player, Guest]]:
    """By seat. Locks the bots' rows, in the order of their ids, until the end of the transaction:
    so nobody else counts on their free slots meanwhile."""
    query = (
        select(
            Seat.seat,
            Bot.id,
            Version.id.label("version_id"),
            Bot.name,
            Version.name.label("version"),
            User.name.label("author"),
            Version.address,
            Version.secret,
            Bot.house,
            Bot.slots,
            ready_for(kind).label("ready"),
        )
        .join(Bot, Bot.id == Seat.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id == match_id)
        .order_by(Bot.id)
        .with_for_update(key_share=True, of=Bot)
    )
    rows = sorted(session.execute(query), key=lambda row: row.seat)
    return [
        (
            Player(
                row.id,
                row.version_id,
                row.name,
                row.version,
                row.author,
                row.address,
                row.secret,
                row.house,
            ),
            Guest(row.id, row.slots, row.ready),
        )
        for row in rows
    ]
