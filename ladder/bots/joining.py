"""Bots at the gateway: whose a token is, and which bots are in, by the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots.keeping import online
from ladder.bots.submitting import MOST_SLOTS, gateway_address
from ladder.model import Bot, BotState, Version, change_bots, now, write
from referee.errors import InvalidSetting
from referee.gateway.credentials import token_hash
from referee.seats.description import UNNAMED
from referee.ways import GATEWAY_PREFIX, bot_behind_gateway

_LONGEST_VERSION: Final = 100


class Guests:
    """The bots of a ladder as its gateway knows them: by their ids, as names."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def name_of(self, token: str) -> str | None:
        """The name of the bot that a token belongs to. Raises InvalidSetting without a database."""
        query = select(Bot.id).where(
            Bot.gateway_token_hash == token_hash(token), Bot.state != BotState.RETIRED
        )
        with _database(), self._sessions() as session:
            bot_id = session.scalar(query)
        return None if bot_id is None else bot_behind_gateway(gateway_address(bot_id))

    def begin(self) -> None:
        """The gateway starts, and nobody is in. Raises InvalidSetting."""
        here = select(Version.bot_id).where(
            Version.active, Version.address.startswith(GATEWAY_PREFIX)
        )
        with _database(), self._sessions.begin() as session:
            write(session)
            guests = or_(Bot.joined_version.is_not(None), Bot.id.in_(here))
            change_bots(session, guests, joined_version=None, joined_slots=None)
            away = update(Bot).where(Bot.id.in_(here), Bot.offline_since.is_(None))
            session.execute(away.values(offline_since=now(session)))

    def watch(self, name: str, slots: int, version: str) -> None:
        """A bot's lines offer so many slots now; 0 when it has left. Raises InvalidSetting."""
        with _database(), self._sessions.begin() as session:
            write(session)
            bot = session.get(Bot, int(name), populate_existing=True)
            if bot is None:
                return
            bot.joined_version = _kept(version) if slots else None
            bot.joined_slots = min(slots, MOST_SLOTS) or None
            if not _plays_elsewhere(session, bot.id):
                _note(session, bot)


def _kept(version: str) -> str:
    """What a stranger told, cut and fit to be kept; a version that was submitted stays as it is."""
    cut = version[:_LONGEST_VERSION]
    return "".join(c if c.isprintable() else "?" for c in cut) or UNNAMED


def _plays_elsewhere(session: Session, bot_id: int) -> bool:
    """Whether the bot's active version is dialled at an address."""
    active = select(Version.address).where(Version.bot_id == bot_id, Version.active)
    address = session.scalar(active)
    return address is not None and bot_behind_gateway(address) is None


def _note(session: Session, bot: Bot) -> None:
    if bot.joined_slots is not None:
        bot.slots = bot.joined_slots
        online(session, bot.id)
    elif bot.offline_since is None:
        bot.offline_since = now(session)


@contextmanager
def _database() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise InvalidSetting(f"The database does not answer: {type(error).__name__}.") from None
