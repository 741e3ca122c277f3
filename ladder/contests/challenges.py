"""Challenges: an author lets one of their bots play an unrated match against chosen bots."""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session

from ladder.bots.own import bot_row
from ladder.errors import Invalid, NotFound, Refused
from ladder.matches import lanes
from ladder.matches.queue import queue_unrated
from ladder.matches.tables import ready_for
from ladder.model import MATCH_UNDER_WAY, Bot, Match, MatchKind, Seat, User, Version, now, write
from ladder.people.accounts import Account, lock_user, printable
from ladder.ratings.boards import name_contains

MOST_OPPONENTS: Final = 3
MOST_WAITING: Final = 3
"""The largest number of challenges of one author that wait or run."""
MOST_OF_A_BOT: Final = 10
"""The largest number of challenges, of all authors, that wait or run for one opponent."""

_MOST_FOUND: Final = 20
_NEWEST: Final = 1000  # matches among which one that was just asked for is: no index has the time


@dataclass(frozen=True, slots=True)
class Opponent:
    """A bot that can be challenged now, or challenge others."""

    id: int
    name: str
    author: str
    version: str


def find(session: Session, search: str) -> tuple[Opponent, ...]:
    """Find active bots whose name or author contains `search`, in the order of their names."""
    query = _ready().where(name_contains(search)).order_by(func.lower(Bot.name), Bot.id)
    return _opponents(session, query.limit(_MOST_FOUND))


def opponents(session: Session, bot_ids: Collection[int]) -> tuple[Opponent, ...]:
    """Return those of these bots that can be challenged now, in the order of their ids."""
    query = _ready().where(Bot.id.in_(bot_ids)).order_by(Bot.id)
    return _opponents(session, query)


def challengers(
    session: Session, account: Account, *, search: str = "", chosen: int | None = None, most: int
) -> tuple[Opponent, ...]:
    """Return up to `most` of the account's bots that can challenge others now, by name.

    `chosen` comes first, whatever its name; of the others those whose names contain `search`.
    """
    wanted = or_(Bot.id == chosen, Bot.name.icontains(printable(search), autoescape=True))
    query = _ready().where(Bot.user_id == account.id, wanted).order_by(Bot.id != chosen, Bot.name)
    return _opponents(session, query.limit(most))


def challenge(
    session: Session,
    account: Account,
    bot_id: int,
    opponent_ids: Sequence[int],
    *,
    same_within: timedelta | None = None,
) -> int:
    """Queue an unrated match of an own bot against one to three others; return the match's id.

    Seats and layout are random; the clock is the ladder's. The match comes before those of
    tournaments and of the ladder. If the author has asked for the same bots in the time
    `same_within`, it is that match: a form was sent twice. Raises NotFound, Invalid (`opponents`)
    and Refused; the caller commits.
    """
    write(session)
    own = bot_row(session, account, bot_id)
    lock_user(session, account.id)
    table = [own.id, *opponent_ids]
    if not 2 <= len(table) <= 1 + MOST_OPPONENTS or len(set(table)) < len(table):
        raise Invalid("opponents", "choose 1 to %(most)s different opponents", most=MOST_OPPONENTS)
    if same_within and (same := _asked_since(session, account, table, now(session) - same_within)):
        return same
    opposed = select(Bot.id).where(Bot.id.in_(table)).order_by(Bot.id)
    session.execute(opposed.with_for_update(key_share=True))  # so that nobody else counts now
    ready = session.execute(_ready().where(Bot.id.in_(table))).all()
    versions = {row.id: row.version_id for row in ready}
    _refuse_absent(session, table, versions)
    lanes.refuse_apart(session, [row.runtime for row in ready], len(table))
    _refuse_too_many(session, account, table)
    secrets.SystemRandom().shuffle(table)
    seated = [(bot, versions[bot]) for bot in table]
    return queue_unrated(session, MatchKind.CHALLENGE, seated, asked_by=account.id).id


def _asked_since(
    session: Session, account: Account, table: Collection[int], since: datetime
) -> int | None:
    """Return the newest challenge of an author to these bots, if it is not older than `since`."""
    newest = select(Match.id).order_by(Match.id.desc()).limit(_NEWEST)
    asked = Match.kind == MatchKind.CHALLENGE, Match.asked_by == account.id
    query = select(Match).where(Match.id.in_(newest), *asked, Match.created_at >= since)
    for match in session.scalars(query.order_by(Match.id.desc())):
        if {seat.bot_id for seat in match.table} == set(table):
            return match.id
    return None


def _opponents(session: Session, query: Select[Any]) -> tuple[Opponent, ...]:
    return tuple(Opponent(*row[:4]) for row in session.execute(query))


def _ready() -> Select[Any]:
    """Select the bots that can play, each with its author and version."""
    columns: tuple[Any, ...] = (
        Bot.id,
        Bot.name,
        User.name,
        Version.name,
        Version.id.label("version_id"),
        Version.runtime,
    )
    return (
        select(*columns)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.bot_id == Bot.id)
        .where(ready_for(MatchKind.LADDER))
    )


def _refuse_absent(session: Session, table: Sequence[int], versions: Collection[int]) -> None:
    missing = [bot for bot in table if bot not in versions]
    if not missing:
        return
    bot = session.get(Bot, missing[0])
    if bot is None:
        raise NotFound("there is no bot %(bot)s", bot=missing[0])
    raise Refused(
        "%(bot)s can't play now: it is paused, unreachable, or not checked yet", bot=bot.name
    )


def _refuse_too_many(session: Session, account: Account, table: Sequence[int]) -> None:
    """Raise Refused if the author or an opponent has too many challenges that wait or run."""
    open_ = (Match.kind == MatchKind.CHALLENGE, Match.state.in_(MATCH_UNDER_WAY))
    own = select(func.count()).where(*open_, Match.asked_by == account.id)
    if (session.scalar(own) or 0) >= MOST_WAITING:
        raise Refused(
            "you already have %(most)s open challenges: wait until one is over", most=MOST_WAITING
        )
    query = (
        select(Bot.name)
        .join(Seat, Seat.bot_id == Bot.id)
        .join(Match, Match.id == Seat.match_id)
        .where(*open_, Bot.id.in_(table[1:]))
        .group_by(Bot.id, Bot.name)
        .having(func.count() >= MOST_OF_A_BOT)
    )
    busy = session.scalars(query.limit(1)).one_or_none()
    if busy is not None:
        raise Refused(
            "%(bot)s already has %(most)s challenges to play: try again later",
            bot=busy,
            most=MOST_OF_A_BOT,
        )
