"""The bots of a ladder as its gateway knows them: whose token it is, and which versions are in.

Several versions of a bot may be in at once; each is known by the name that it states, and has the
slots that all its lines offer together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Final

from sqlalchemy import ColumnElement, and_, bindparam, delete, or_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots.reach import has_matches
from ladder.bots.terms import MOST_SLOTS
from ladder.model import UNDER_VALIDATION, Bot, BotState, Joined, NoticeTone, Version
from ladder.people.notices import notify
from referee.errors import InvalidSetting
from referee.gateway.credentials import token_hash
from referee.gateway.lines import BACK_WITHIN
from referee.seats.description import UNNAMED
from referee.ways import GATEWAY_PREFIX, behind_gateway

_LONGEST_VERSION: Final = 100
_JOINED: Final = model.Upsert(Joined, replace=("slots", "joined_at"))


class Guests:
    """The bots of a ladder as its gateway knows them: by their ids, as names.

    Its methods raise InvalidSetting if the database does not answer.
    """

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions
        self._early_until = -inf  # by `monotonic`: bots come back that were in before the start

    def name_of(self, token: str) -> str | None:
        """Return the name of the bot that a token belongs to."""
        query = select(Bot.id).where(
            Bot.gateway_token_hash == token_hash(token), Bot.state != BotState.RETIRED
        )
        with _database(), self._sessions() as session:
            bot_id = session.scalar(query)
        return None if bot_id is None else str(bot_id)

    def begin(self) -> None:
        """Note that the gateway starts: no bot is in."""
        here = and_(Version.address.startswith(GATEWAY_PREFIX), Version.offline_since.is_(None))
        with _database(), self._sessions.begin() as session:
            model.write(session)
            session.execute(delete(Joined))
            model.change_rows(session, Version, here, offline_since=model.now(session))
        self._early_until = monotonic() + BACK_WITHIN

    def watch(self, name: str, slots: int, version: str) -> None:
        """Note how many slots the lines of a version offer now: 0 when it has left.

        A bot may join before its version is submitted.
        """
        stated = _printable(version)
        with _database(), self._sessions.begin() as session:
            model.write(session)
            bot = session.get(Bot, int(name))
            if bot is None:
                return
            own = and_(Version.bot_id == bot.id, Version.address == gateway_address(bot.id, stated))
            if slots:
                _arrived(session, bot, stated, own, min(slots, MOST_SLOTS))
                if monotonic() > self._early_until:
                    _tell_of_other(session, bot, stated)
            else:
                _left(session, bot, stated, own)


def note_presence(session: Session, version: Version) -> None:
    """Take the slots that a version offers at the gateway now; it is away until it has joined."""
    joined = session.get(Joined, (version.bot_id, version.name), populate_existing=True)
    if joined is None:
        version.offline_since = version.offline_since or model.now(session)
    else:
        version.slots, version.offline_since = joined.slots, None


def gateway_address(bot_id: int, version: str) -> str:
    """Return the address of a version that dials into the gateway."""
    return f"{GATEWAY_PREFIX}{behind_gateway(str(bot_id), version)}"


def _arrived(session: Session, bot: Bot, stated: str, own: ColumnElement[bool], slots: int) -> None:
    row = {"bot_id": bot.id, "version": stated, "slots": slots, "joined_at": model.now(session)}
    _JOINED.put(session, row)
    model.change_rows(session, Version, own, slots=slots, offline_since=None, probe_at=None)


def _left(session: Session, bot: Bot, stated: str, own: ColumnElement[bool]) -> None:
    session.execute(delete(Joined).where(Joined.bot_id == bot.id, Joined.version == stated))
    here = and_(own, Version.offline_since.is_(None))
    model.change_rows(session, Version, here, offline_since=model.now(session))


def _tell_of_other(session: Session, bot: Bot, stated: str) -> None:
    """Notify the author if a version joins that plays nothing, while the active one is away.

    Once only, until the active version has played a game.
    """
    active = session.scalars(_ACTIVE_AWAY, {"bot": bot.id}).one_or_none()
    if active is None or bot.state is not BotState.ACTIVE or _plays(session, bot, stated):
        return
    active.unreached_since = model.now(session)
    names = {"bot": bot.name, "told": stated, "version": active.name}
    notify(
        session,
        bot.user_id,
        NoticeTone.BAD,
        "Version %(told)s of %(bot)s has joined the gateway, but version %(version)s is active and "
        "has not joined: submit version %(told)s, or start version %(version)s again.",
        bot_id=bot.id,
        **names,
    )


def _plays(session: Session, bot: Bot, stated: str) -> bool:
    """Return True if a version of the bot has matches, or will have its trial."""
    version_ids = select(Version.id).where(
        Version.bot_id == bot.id,
        Version.name == stated,
        or_(Version.state.in_(UNDER_VALIDATION), has_matches()),
    )
    return session.scalar(version_ids) is not None


def _printable(version: str) -> str:
    """Cut a stranger's text so that it can be stored; submitted names stay as they are."""
    cut = version[:_LONGEST_VERSION]
    return "".join(c if c.isprintable() else "?" for c in cut) or UNNAMED


@contextmanager
def _database() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise InvalidSetting(f"The database does not answer: {model.own_words(error)}") from None


_ACTIVE_AWAY: Final = select(Version).where(
    Version.bot_id == bindparam("bot"),
    Version.active,
    Version.address.startswith(GATEWAY_PREFIX),
    Version.offline_since.is_not(None),
    Version.unreached_since.is_(None),
)
"""The active version of a bot, if it comes through the gateway and has just left."""
