"""The house bots: the sample bots, which are on every ladder and play whenever others wait.

They belong to a user who cannot sign in, the operator starts them, and they may meet each other.
One of them is the anchor: its rating never changes, so that ratings mean the same next year.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.embedded.service import EmbeddedService
from ladder.local.entrants import installed_bots
from ladder.model import Bot, BotState
from ladder.people.accounts import HOUSE
from ladder.ratings import ledger
from referee.serving import load

ANCHOR: Final = "random"
"""The bot whose rating is pinned."""
SLOTS: Final = 16
"""Games that a house bot plays at once: more than its share of what a laptop can play."""


def register(session: Session, *, name: str, version: str, address: str) -> int:
    """Make a house bot active at this address, whatever its state was; return its id.

    It has just been started. The caller commits.
    """
    bot_id = versions.register(
        session, name=name, author=HOUSE, address=address, version=version
    ).id
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


def start_house_bots(service: EmbeddedService, extra: Mapping[str, str]) -> list[int]:
    """Start the installed bots and register them as house bots; return their ids.

    `extra` is added to their environment.
    """
    ids = []
    for name, target in sorted(installed_bots().items()):
        bot, address = load(target), service.add_bot(name, target, extra)
        with service.session() as session, session.begin():
            ids.append(register(session, name=bot.name, version=bot.version, address=address))
    return ids
