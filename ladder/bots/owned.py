"""An author's own bots. What belongs to others is answered as what is not there."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.model import Bot, Version
from ladder.people.accounts import Account


def own_bot(session: Session, account: Account, bot_id: int) -> Bot:
    """A bot of this account. Raises NotFound."""
    bot = session.get(Bot, bot_id, populate_existing=True)
    if bot is None or bot.user_id != account.id:
        raise NotFound("you have no bot %(bot)s", bot=bot_id)
    return bot


def own_version(session: Session, account: Account, bot_id: int, version_id: int) -> Version:
    """A version of a bot of this account. Raises NotFound."""
    bot = own_bot(session, account, bot_id)
    version = session.get(Version, version_id, populate_existing=True)
    if version is None or version.bot_id != bot.id:
        raise NotFound("%(bot)s has no version %(version)s", bot=bot.name, version=version_id)
    return version
