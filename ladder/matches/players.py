"""Who sits at the table of a match: where each bot answers, and whether it may play now."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Select, bindparam, select
from sqlalchemy.orm import Session

from ladder.matches.kinds import Kind
from ladder.matches.room import Guest, ready_for
from ladder.model import Bot, Seat, User, Version, execute


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
    rows = sorted(execute(session, _SEATED[kind], {"match_id": match_id}), key=itemgetter(0))
    return [
        (
            Player(bot_id, version_id, name, version, author, address, secret, house),
            Guest(bot_id, slots, bool(ready), usual_ms),
        )
        for (
            _,
            bot_id,
            version_id,
            name,
            version,
            author,
            address,
            secret,
            house,
            slots,
            ready,
            usual_ms,
        ) in rows
    ]


def _seated(kind: Kind) -> Select[Any]:
    columns: tuple[Any, ...] = (
        Seat.seat,
        Bot.id,
        Version.id,
        Bot.name,
        Version.name,
        User.name,
        Version.address,
        Version.secret,
        Bot.house,
        Bot.slots,
        ready_for(kind),
        Bot.usual_think_ms,
    )
    return (
        select(*columns)
        .join(Bot, Bot.id == Seat.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id == bindparam("match_id"))
        .order_by(Bot.id)
        .with_for_update(key_share=True, of=Bot)
    )


_SEATED: Final = {kind: _seated(kind) for kind in Kind}
"""Built once: to build a statement takes longer than to execute it."""
