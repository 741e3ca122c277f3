"""How long bots usually think, and so who takes the time of a table.

A match with a slow bot is held up by that bot: it counts against the slow one's part of the
places, and not against that of the others, who may play elsewhere meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Integer, bindparam, case, update
from sqlalchemy.orm import Session

from ladder.model import Bot, execute

_SLOWER: Final = 4  # times as long as another one
_LEAST_MS: Final = 1000  # of thinking in a match; less holds nobody up
_UNKNOWN_MS: Final = _SLOWER * _LEAST_MS  # enough to hold up those who hold up nobody
_PART: Final = 4  # the newest match counts one part in so many


def holders(table: Sequence[tuple[int, int | None]]) -> tuple[int, ...]:
    """Of (bot, its usual thinking in ms, None if unknown): whose place this match takes.

    Everybody's but of those that another one, who is far slower, holds up. Of a bot of which
    nothing is known yet the worst is expected.
    """
    slowest = max(_UNKNOWN_MS if usual is None else usual for _, usual in table)
    return tuple(
        bot_id
        for bot_id, usual in table
        if usual is None or _SLOWER * max(usual, _LEAST_MS) > slowest
    )


def note(session: Session, thought: Iterable[tuple[int, int | None]]) -> None:
    """These bots thought for so many ms in a match that has ended. Their rows must be locked."""
    told = [{"bot": bot_id, "ms": ms} for bot_id, ms in thought if ms is not None]
    if told:
        execute(session, _NOTED, told)


_MS: Final = bindparam("ms", type_=Integer)
_NOTED: Final = (
    update(Bot.__table__)  # type: ignore[arg-type]
    .where(Bot.id == bindparam("bot"))
    .values(
        usual_think_ms=case(
            (Bot.usual_think_ms.is_(None), _MS),
            else_=((_PART - 1) * Bot.usual_think_ms + _MS) // _PART,
        )
    )
)
