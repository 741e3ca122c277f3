"""The states of a bot, and what it does that changes them.

active <──resume── paused      paused by its author, or by referee or admin with a reason
   └─────pause────────^
   └──────┬───────────┘
          └─retire──> retired  for good

Beside that a bot is offline while it cannot be reached. One that an admin has barred is paused
until an admin resumes it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from ladder.bots.owned import own_bot
from ladder.bots.versions import CHECK
from ladder.errors import Phrase, Refused
from ladder.jobs import attempts
from ladder.matches.states import move_match
from ladder.model import (
    UNDER_VALIDATION,
    Bot,
    BotState,
    Match,
    MatchState,
    Seat,
    Version,
    VersionState,
    move_bot,
    move_version,
    now,
    write,
)
from ladder.people.accounts import Account
from ladder.people.notices import notify
from ladder.ratings import ledger

FAULTS_IN_A_ROW: Final = 5
"""So many rated matches in a row with a fault, and a bot is paused."""


def pause(session: Session, account: Account, bot_id: int) -> None:
    """Let an own bot play no more until it is resumed. Raises NotFound, Refused.

    Games that it plays are played to their end; its ladder matches in the queue are cancelled, and
    in tournaments it counts as out of reach. The caller commits, here and below.
    """
    ledger.lock(session)
    bot = own_bot(session, account, bot_id)
    _refuse_retired(bot)
    _refuse_barred(bot)
    _stop(session, bot, BotState.PAUSED, ("challenge", "ladder"))


def resume(session: Session, account: Account, bot_id: int) -> None:
    """Let an own bot play again. Raises NotFound, Refused."""
    ledger.lock(session)
    bot = own_bot(session, account, bot_id)
    _refuse_retired(bot)
    _refuse_barred(bot)
    resume_for(session, bot_id)


def retire(session: Session, account: Account, bot_id: int) -> None:
    """Take an own bot from the ladder for good; its games and its page stay. Raises NotFound.

    Its gateway token is void from now on, its secrets are forgotten, and what is being checked is
    rejected.
    """
    ledger.lock(session)
    bot = own_bot(session, account, bot_id)
    _stop(session, bot, BotState.RETIRED, ("validation", "challenge", "ladder"))
    bot.gateway_token_hash = None
    for version in bot.versions:
        version.secret = None
        if version.state in UNDER_VALIDATION:
            move_version(version, VersionState.REJECTED, "The bot was retired.")
            attempts.drop(session, CHECK, version.id)


def pause_for(session: Session, bot_id: int, reason: str) -> None:
    """Pause a bot on the referee's account, and tell its author why (a sentence; best a Phrase).

    Its matches in the queue find out: those of the ladder are cancelled when they are looked at.
    """
    write(session)
    bot = session.get_one(Bot, bot_id)
    if bot.state != BotState.ACTIVE:
        return
    _pause(session, bot, reason)


def bar_for(session: Session, bot_id: int, reason: str) -> None:
    """Pause a bot, also one that is paused, until `resume_for`; its author is told why."""
    write(session)
    bot = session.get_one(Bot, bot_id)
    bot.barred = True
    _pause(session, bot, reason)


def resume_for(session: Session, bot_id: int) -> None:
    """Let a bot play again, whoever wants that; its faults in a row are forgotten."""
    write(session)
    bot = session.get_one(Bot, bot_id)
    move_bot(bot, BotState.ACTIVE)
    bot.faulted_in_a_row, bot.barred = 0, False
    online(session, bot_id)


def conduct(session: Session, seats: Collection[tuple[int, int, bool]]) -> None:
    """Count who faulted in a rated match: (bot id, version id, faulted) by seat.

    Some faulted matches in a row pause a bot; one without a fault, and a new version, begin anew.
    What an older version does late is not counted. The ledger must be locked.
    """
    faulted = {version for _, version, faulted in seats if faulted}
    everybody = {version for _, version, _ in seats}
    query = (
        select(Bot, Version.id)
        .join(Version, Version.bot_id == Bot.id)
        .where(
            Version.id.in_(everybody),
            Version.active,
            or_(Bot.faulted_in_a_row > 0, Version.id.in_(faulted)),
        )
        .order_by(Bot.id)  # in which claims lock them, too
        .with_for_update(key_share=True, of=Bot)
    )
    rows = session.execute(query, execution_options={"populate_existing": True}).all()
    for bot, version in rows:
        bot.faulted_in_a_row = bot.faulted_in_a_row + 1 if version in faulted else 0
        if bot.faulted_in_a_row >= FAULTS_IN_A_ROW:
            pause_for(session, bot.id, _faults(bot.faulted_in_a_row))


def offline(session: Session, bot_id: int, why: str) -> None:
    """A bot could not be reached before it accepted a game.

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


def online(session: Session, bot_id: int) -> None:
    """A bot was reached; whether it plays, the next game shows."""
    write(session)
    session.execute(
        update(Bot)
        .where(Bot.id == bot_id, Bot.offline_since.is_not(None))
        .values(offline_since=None, probe_at=None)
    )


def may_play() -> ColumnElement[bool]:
    """Whether new matches may be made for a bot: it is active, and not offline."""
    return and_(Bot.state == BotState.ACTIVE, Bot.offline_since.is_(None))


def _stop(session: Session, bot: Bot, state: BotState, kinds: Collection[str]) -> None:
    """Matches before the bot's row: in this order claims lock them, too."""
    own = select(Seat.match_id).where(Seat.bot_id == bot.id)
    move_match(
        session,
        MatchState.QUEUED,
        MatchState.CANCELLED,
        Match.id.in_(own),
        Match.kind.in_(kinds),
        reason=f"{bot.name} was {state}",
        finished_at=now(session),
    )
    move_bot(bot, state)


def _pause(session: Session, bot: Bot, reason: str) -> None:
    """Pause a bot, and say why on its page and in a notice."""
    move_bot(bot, BotState.PAUSED, str(reason))
    template = Phrase("%(bot)s was paused. %(reason)s")
    notify(session, bot.user_id, template, bot_id=bot.id, bot=bot.name, reason=reason)


def _faults(times: int) -> Phrase:
    return Phrase(
        "It faulted in %(times)s rated matches in a row; its log says how. "
        "Resume it when that is mended.",
        times=times,
    )


def _refuse_retired(bot: Bot) -> None:
    if bot.state is BotState.RETIRED:
        raise Refused("%(bot)s has been retired: submit a bot of another name", bot=bot.name)


def _refuse_barred(bot: Bot) -> None:
    if bot.barred:
        raise Refused(
            "an admin has paused %(bot)s, and only an admin can resume it: its page says why",
            bot=bot.name,
        )
