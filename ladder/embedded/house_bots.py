"""The house bots: the sample bots, which stand on every ladder and play whenever others wait.

They belong to a user who cannot sign in, are started by the operator, and may meet one another. One
of them is the anchor: its rating never moves, so that ratings mean the same next year.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import bots
from ladder.model import Bot, BotState
from ladder.people.accounts import HOUSE
from ladder.ratings import ledger

ANCHOR: Final = "random"
"""The name of the bot whose rating is pinned."""
SLOTS: Final = 16
"""Games that a house bot plays at the same time: more than its part of any laptop's places."""


def register(session: Session, *, name: str, version: str, address: str) -> int:
    """Let a house bot play from now on, at this address; its id. The caller commits.

    Whatever it was before: it has just been started.
    """
    bot_id = bots.register(session, name=name, author=HOUSE, address=address, version=version).id
    session.execute(
        update(Bot)
        .where(Bot.id == bot_id)
        .values(
            house=True,
            slots=SLOTS,
            state=BotState.ACTIVE,
            offline_since=None,
            unreached_since=None,
            faulted_in_a_row=0,
        )
    )
    if name == ANCHOR:
        ledger.pin(session, bot_id)
    return bot_id
