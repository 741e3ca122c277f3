"""Bots at the gateway: whose a token is, and which bots are in, by the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots.keeping import online
from ladder.bots.submitting import MOST_SLOTS, gateway_address
from ladder.database import now, write
from ladder.database.models import Bot
from referee.errors import InvalidSetting
from referee.gateway.tokens import token_hash
from referee.seats.description import UNNAMED
from referee.ways import bot_behind_gateway


class Guests:
    """The bots of a ladder as its gateway knows them: by their ids, as names."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def name_of(self, token: str) -> str | None:
        """The name of the bot that a token belongs to. Raises InvalidSetting without a database."""
        query = select(Bot.id).where(
            Bot.gateway_token_hash == token_hash(token), Bot.state != "retired"
        )
        with _database(), self._sessions() as session:
            bot_id = session.scalar(query)
        return None if bot_id is None else bot_behind_gateway(gateway_address(bot_id))

    def watch(self, name: str, slots: int, version: str) -> None:
        """A bot's lines offer so many slots now; 0 when it has left. Raises InvalidSetting."""
        with _database(), self._sessions.begin() as session:
            write(session)
            bot = session.get(Bot, int(name), populate_existing=True)
            if bot is None:
                return
            if slots:
                bot.slots = min(slots, MOST_SLOTS)
                bot.joined_version = version or UNNAMED
                online(session, bot.id)
            elif bot.offline_since is None:
                bot.offline_since = now(session)


@contextmanager
def _database() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise InvalidSetting(f"The database does not answer: {type(error).__name__}.") from None
