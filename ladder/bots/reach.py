"""Bots in reach and out of reach: missed at a match, looked for, or in at the gateway.

A bot that could not be reached before it accepted a game is offline: nothing is dialled for its
sake but a look from time to time, and the first that finds it ends that. Since a bot may say who it
is and yet accept no game, what counts for the pause between looks, and for the grace of a
tournament, is the time since it was first missed; only a game that was played to its end clears it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, and_, bindparam, func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots.submitting import MOST_SLOTS, gateway_address
from ladder.errors import Phrase
from ladder.matches.tables import Player
from ladder.model import Bot, BotState, Version, change_bots, execute, now, write
from ladder.people.notices import notify
from referee.errors import InvalidSetting
from referee.gateway.credentials import token_hash
from referee.seats.description import UNNAMED
from referee.ways import GATEWAY_PREFIX, bot_behind_gateway

_SHORTEST_PAUSE: Final = timedelta(seconds=5)
_LONGEST_PAUSE: Final = timedelta(minutes=5)
_PAUSE_PART: Final = 4  # a pause is one part in four of the time that the bot has been missed
_LONGEST_VERSION: Final = 100


@dataclass(frozen=True, slots=True)
class Look:
    """A bot that may be back, and the address at which it answered. `secret`: encrypted."""

    bot_id: int
    name: str
    address: str
    secret: bytes | None = field(default=None, repr=False)
    house: bool = False


def missed(session: Session, player: Player, why: str) -> datetime:
    """Note that a bot could not be reached before it accepted; return since when it is missed.

    It is offline if its active version was called. Another version is missed by itself: what the
    active one plays meanwhile says nothing of it. The caller commits, here and below.
    """
    write(session)
    version = session.get_one(Version, player.version_id, populate_existing=True)
    if version.active:
        return offline(session, player.bot_id, why)
    version.unreached_since = version.unreached_since or now(session)
    session.flush()
    return version.unreached_since


def offline(session: Session, bot_id: int, why: str) -> datetime:
    """Note that a bot is out of reach; return since when it is missed.

    Its author is told the first time, and not again before it has played a game to its end.
    """
    write(session)
    bot = session.get_one(Bot, bot_id, populate_existing=True)
    at = now(session)
    if bot.unreached_since is None and bot.state is BotState.ACTIVE:
        template = Phrase("%(bot)s could not be reached: %(why)s")
        notify(session, bot.user_id, template, bot_id=bot_id, bot=bot.name, why=why)
    bot.offline_since = bot.offline_since or at
    bot.unreached_since = bot.unreached_since or at
    bot.probe_at = at + pause_between_looks(at - bot.unreached_since)
    session.flush()
    return bot.unreached_since


def lost(session: Session, player: Player) -> None:
    """Note that the platform can't reach a bot now, and have it looked for; it is not missed."""
    write(session)
    at = now(session)
    own = and_(Bot.id == player.bot_id, Bot.offline_since.is_(None))
    away = update(Bot).where(
        own, Bot.versions.any(and_(Version.id == player.version_id, Version.active))
    )
    session.execute(away.values(offline_since=at, probe_at=at + _SHORTEST_PAUSE))


def online(session: Session, bot_id: int) -> None:
    """Note that a bot was reached; the next game shows whether it plays."""
    write(session)
    away = update(Bot).where(Bot.id == bot_id, Bot.offline_since.is_not(None))
    session.execute(away.values(offline_since=None, probe_at=None))


def reached(session: Session, version_ids: Sequence[int]) -> None:
    """Note that these versions have played a game to its end."""
    for statement in _REACHED:
        execute(session, statement, {"version_ids": version_ids})


def look_now(session: Session, bot_ids: Sequence[int]) -> None:
    """Have those of the bots that are offline looked for at once."""
    away = and_(Bot.id.in_(bot_ids), Bot.offline_since.is_not(None))
    change_bots(session, away, probe_at=now(session))


def look(session: Session) -> Look | None:
    """Return a bot that should be looked for now, if there is one; the caller commits and looks.

    Nobody else gets the same one before its next time has come.
    """
    next_look = func.coalesce(Bot.probe_at, Bot.offline_since)
    at = now(session)
    query = (
        select(Bot.id, Bot.name, Version.address, Version.secret, Bot.house)
        .join(Version, Version.bot_id == Bot.id)
        .where(Bot.offline_since.is_not(None), next_look <= at)
        .where(Bot.state == BotState.ACTIVE, Version.active)
        .order_by(next_look)
        .limit(1)
    )
    if session.execute(query).one_or_none() is None:  # mostly so: then nobody waits for a lock
        return None
    write(session)
    row = session.execute(query.with_for_update(skip_locked=True, of=Bot)).one_or_none()
    if row is None:
        return None
    since = session.scalar(select(Bot.unreached_since).where(Bot.id == row.id)) or at
    next_at = at + pause_between_looks(at - since)
    session.execute(update(Bot).where(Bot.id == row.id).values(probe_at=next_at))
    return Look(*row)


def pause_between_looks(missed_for: timedelta) -> timedelta:
    """Return the time until the next look for a bot that has been missed for this time."""
    return min(max(_SHORTEST_PAUSE, missed_for / _PAUSE_PART), _LONGEST_PAUSE)


class Guests:
    """The bots of a ladder as its gateway knows them: by their ids, as names.

    Its methods raise InvalidSetting if the database does not answer.
    """

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def name_of(self, token: str) -> str | None:
        """Return the name of the bot that a token belongs to."""
        query = select(Bot.id).where(
            Bot.gateway_token_hash == token_hash(token), Bot.state != BotState.RETIRED
        )
        with _database(), self._sessions() as session:
            bot_id = session.scalar(query)
        return None if bot_id is None else bot_behind_gateway(gateway_address(bot_id))

    def begin(self) -> None:
        """Note that the gateway starts: no bot is in."""
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
        """Note how many slots the lines of a bot offer now: 0 when it has left."""
        with _database(), self._sessions.begin() as session:
            write(session)
            bot = session.get(Bot, int(name), populate_existing=True)
            if bot is None:
                return
            bot.joined_version = _printable(version) if slots else None
            bot.joined_slots = min(slots, MOST_SLOTS) or None
            if _plays_elsewhere(session, bot.id):
                return
            if bot.joined_slots is not None:
                bot.slots = bot.joined_slots
                online(session, bot.id)
            elif bot.offline_since is None:
                bot.offline_since = now(session)


def _printable(version: str) -> str:
    """Cut a stranger's text so that it can be stored; submitted names stay as they are."""
    cut = version[:_LONGEST_VERSION]
    return "".join(c if c.isprintable() else "?" for c in cut) or UNNAMED


def _plays_elsewhere(session: Session, bot_id: int) -> bool:
    """Return True if the bot's active version is dialled at an address."""
    active = select(Version.address).where(Version.bot_id == bot_id, Version.active)
    address = session.scalar(active)
    return address is not None and bot_behind_gateway(address) is None


@contextmanager
def _database() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise InvalidSetting(f"The database does not answer: {type(error).__name__}.") from None


# Built once: to build a statement takes longer than to execute it.
_PLAYED: Final[BindParameter[Any]] = bindparam("version_ids", expanding=True)
_BOTS: Final = select(Version.bot_id).where(Version.id.in_(_PLAYED), Version.active)
_REACHED: Final = (
    update(Version)
    .where(Version.id.in_(_PLAYED), Version.unreached_since.is_not(None))
    .values(unreached_since=None),
    update(Bot)
    .where(Bot.id.in_(_BOTS), Bot.unreached_since.is_not(None))
    .values(unreached_since=None),
)
