"""What the authors of the bots on an entry list are told: that it has begun, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.contests.cross_table import cross_table
from ladder.contests.tournaments.reading import found
from ladder.errors import Phrase
from ladder.model import Bot, Entry, User
from ladder.people.notices import notify


def tell_begun(session: Session, tournament_id: int) -> None:
    """To the author of each bot, that its matches are played from now on."""
    name = found(session, tournament_id).name
    for bot in _entered(session, tournament_id):
        template = Phrase("The tournament %(tournament)s has begun: %(bot)s plays in it.")
        notify(session, bot.user_id, template, bot_id=bot.id, tournament=name, bot=bot.name)


def tell_over(session: Session, tournament_id: int) -> None:
    """To the author of each bot, where it stands in the end."""
    name = found(session, tournament_id).name
    rows = cross_table(session, tournament_id).rows
    ranks = {row.bot_id: row.rank for row in rows}
    for bot in _entered(session, tournament_id):
        notify(
            session,
            bot.user_id,
            "The tournament %(tournament)s is over: %(bot)s has rank %(rank)s of %(bots)s.",
            bot_id=bot.id,
            tournament=name,
            bot=bot.name,
            rank=ranks[bot.id],
            bots=len(rows),
        )


def tell_cancelled(session: Session, tournament_id: int) -> None:
    """To the author of each bot, that no more of its matches are played."""
    name = found(session, tournament_id).name
    for bot in _entered(session, tournament_id):
        template = Phrase("The tournament %(tournament)s, in which %(bot)s played, was cancelled.")
        notify(session, bot.user_id, template, bot_id=bot.id, tournament=name, bot=bot.name)


def _entered(session: Session, tournament_id: int) -> Iterator[Bot]:
    """The bots on the entry list whose author reads notices: house bots have none."""
    query = (
        select(Bot)
        .join(Entry, Entry.bot_id == Bot.id)
        .join(User, User.id == Bot.user_id)
        .where(Entry.tournament_id == tournament_id, ~Bot.house, User.deleted_at.is_(None))
        .order_by(Entry.number)
    )
    return iter(session.scalars(query).all())
