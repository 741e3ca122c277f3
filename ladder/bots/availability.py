"""Pausing, resuming and retiring bots: by their authors, by admins, and for what a version does.

The states of bots, and of the conduct of versions, are in `ladder.model.states`. Beside that a
version is offline while it cannot be reached (see `reach`). A bot that an admin has barred is
paused until an admin resumes it. A pause is the bot's and stops all its versions; the suspension
after faults is the active version's, and keeps it from the ladder only.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.own import bot_row
from ladder.bots.versions import SHELVED, drop_jobs
from ladder.errors import Phrase, Refused
from ladder.matches import job, misses, states
from ladder.matches.misses import MissedCall
from ladder.model import Bot, BotState, Conduct, Match, MatchKind, MatchState, NoticeTone, Version
from ladder.people import roles, signing, tickets
from ladder.people.accounts import Account, deleted_name
from ladder.people.notices import notify
from ladder.ratings import ledger

FAULTS_IN_A_ROW: Final = 5
"""A version is suspended after this number of rated matches in a row with a fault."""


def pause(session: Session, account: Account, bot_id: int) -> None:
    """Pause one of the account's bots until it is resumed. Raises NotFound, Refused.

    Games that it plays are played to their end; it owes its ladder matches in the queue, and in
    tournaments it counts as out of reach. The caller commits, here and below.
    """
    bot = _changeable(session, account, bot_id)
    _stop(session, bot, BotState.PAUSED, {MatchKind.CHALLENGE})


def resume(session: Session, account: Account, bot_id: int) -> None:
    """Let one of the account's bots play again. Raises NotFound, Refused."""
    _changeable(session, account, bot_id)
    resume_for(session, bot_id)


def open_to_people(session: Session, account: Account, bot_id: int) -> None:
    """Let people play casual games with one of the account's bots. Raises NotFound, Refused."""
    _changeable(session, account, bot_id).open_to_people = True
    session.flush()


def close_to_people(session: Session, account: Account, bot_id: int) -> None:
    """Let nobody begin a casual game with an own bot any more. Raises NotFound, Refused.

    The games that it plays are played to their end.
    """
    _changeable(session, account, bot_id).open_to_people = False
    session.flush()


def retire(session: Session, account: Account, bot_id: int) -> None:
    """Take an own bot from the ladder for good; its games and its page stay. Raises NotFound.

    Its gateway token is void from now on, its secrets are forgotten, and what is being checked is
    rejected.
    """
    ledger.lock(session)
    bot = bot_row(session, account, bot_id)
    _stop(session, bot, BotState.RETIRED, set(MatchKind) - {MatchKind.TOURNAMENT})
    for version in bot.versions:
        _shelve(session, version)


def leave(session: Session, account: Account, *, password: str) -> None:
    """Delete the account: retire its bots, end its tokens and sign-ins, make its name a number.

    The games and ratings of its bots stay. Raises Invalid, naming the field `password`, and Refused
    for the last admin.
    """

    def lock(session: Session) -> None:
        ledger.lock(session)
        roles.keep_an_admin(session, account.id, stays=False)

    user = signing.confirm_password(session, account, password, field="password", lock=lock)
    own = select(Bot.id).where(Bot.user_id == user.id).order_by(Bot.id)
    for bot_id in session.scalars(own).all():
        retire(session, account, bot_id)
    _forget(session, user.id)
    user.name, user.role = deleted_name(user.id), "author"
    user.password_hash, user.deleted_at = None, model.now(session)
    session.flush()


def pause_for(session: Session, bot_id: int, reason: str, *, bar: bool = False) -> None:
    """Pause a bot for an admin, and tell its author why (a sentence; best a Phrase).

    It owes its ladder matches in the queue. With `bar`, only `resume_for` ends the pause.
    """
    model.write(session)
    bot = session.get_one(Bot, bot_id)
    bot.barred |= bar
    model.move_bot(bot, BotState.PAUSED, str(reason))
    _notify_of_pause(session, bot, reason)


def resume_for(session: Session, bot_id: int) -> None:
    """Resume a bot after any pause; end its active version's suspension, and forget its faults.

    Its uploaded versions count as within reach again: nobody looks for them.
    """
    model.write(session)
    bot = session.get_one(Bot, bot_id)
    model.move_bot(bot, BotState.ACTIVE)
    bot.barred = False
    session.flush()
    uploaded = and_(Version.bot_id == bot_id, Version.package.is_not(None))
    model.change_rows(session, Version, uploaded, offline_since=None)
    active = select(Version).where(Version.bot_id == bot_id, Version.active)
    version = session.scalars(active, execution_options={"populate_existing": True}).one_or_none()
    if version is not None:
        model.move_conduct(version, Conduct.GOOD)
        version.faulted_in_a_row = 0
        version.offline_since = version.probe_at = None
        session.flush()


def suspend(session: Session, version: Version, reason: str) -> None:
    """Suspend an active version from the ladder for the referee, and tell its author why.

    `reason`: a sentence, best a Phrase. It owes its ladder matches in the queue; in tournaments it
    plays on.
    """
    model.write(session)
    model.move_conduct(version, Conduct.SUSPENDED, str(reason))
    _notify_of_pause(session, version.bot, reason)


def conduct(session: Session, seats: Collection[tuple[int, int, bool]]) -> None:
    """Count the faults of a rated match: (bot id, version id, faulted) by seat.

    Some faulted matches in a row suspend an active version from the ladder; one without a fault
    begins anew. What another version does says nothing of it. Lock the ledger first.
    """
    faulted = {version for _, version, faulted in seats if faulted}
    everybody = {version for _, version, _ in seats}
    query = (
        select(Version)
        .where(
            Version.id.in_(everybody), or_(Version.faulted_in_a_row > 0, Version.id.in_(faulted))
        )
        .order_by(Version.id)
        .with_for_update(key_share=True, of=Version)
    )
    for version in session.scalars(query, execution_options={"populate_existing": True}).all():
        times = version.faulted_in_a_row + 1 if version.id in faulted else 0
        version.faulted_in_a_row = times
        if times >= FAULTS_IN_A_ROW and _plays_on_ladder(version):
            reason = Phrase(
                "It faulted in %(times)s rated matches in a row; see its log. Resume it when "
                "this is fixed.",
                times=times,
            )
            suspend(session, version, reason)


def other_version(
    session: Session, claim: job.MatchClaim, *, seat: int, why: str, said: str
) -> None:
    """Suspend a version in whose place another one answers; it has missed the match.

    `said`: the name of the version that answered. If that one is being checked, nothing is
    suspended: it will take over, and until then the other counts as out of reach, as it does in a
    tournament; a trial or a challenge is cancelled. Raises Stale. Must have its transaction for
    itself; the caller commits.
    """
    match = job.locked(session, claim.held)
    player = claim.players[seat]
    expected = session.get_one(Version, player.version_id, populate_existing=True)
    awaited = expected.active and _is_under_validation(session, player.bot_id, said)
    if _plays_on_ladder(expected) and not awaited:
        reason = Phrase(
            "The bot reports version %(told)s, but version %(version)s is active. Submit "
            "version %(told)s, or start version %(version)s again and resume the bot.",
            told=said,
            version=player.version,
        )
        suspend(session, expected, reason)
    if awaited or match.kind in (MatchKind.TOURNAMENT, MatchKind.LADDER):
        misses.not_accepted(session, claim, seat, MissedCall(why, answered=not awaited))
        return
    states.move_match(
        session,
        MatchState.RUNNING,
        MatchState.CANCELLED,
        Match.id == match.id,
        reason=f"{player.name} {player.version} did not play: {why}",
        finished_at=model.now(session),
    )


def _changeable(session: Session, account: Account, bot_id: int) -> Bot:
    """Lock the ledger and return an own bot; raises Refused if its author may not change it."""
    ledger.lock(session)
    bot = bot_row(session, account, bot_id)
    if bot.state is BotState.RETIRED:
        raise Refused("%(bot)s is retired: submit a bot with another name", bot=bot.name)
    if bot.barred:
        raise Refused(
            "%(bot)s was paused by an admin, and only an admin can resume it: its page says why",
            bot=bot.name,
        )
    return bot


def _stop(session: Session, bot: Bot, state: BotState, kinds: Collection[MatchKind]) -> None:
    """Cancel a bot's queued matches, then move it: claims lock in this order, too."""
    own = select(model.Seat.match_id).where(model.Seat.bot_id == bot.id)
    of_kinds = Match.id.in_(own), Match.kind.in_(kinds)
    states.cancel_queued(session, *of_kinds, reason=f"{bot.name} was {state}")
    model.move_bot(bot, state)


def _shelve(session: Session, version: Version) -> None:
    """Forget the secret of a retired bot's version; reject it if it is being validated."""
    version.secret = None
    if version.state in model.UNDER_VALIDATION:
        model.move_version(version, model.VersionState.REJECTED, SHELVED)
        drop_jobs(session, version)


def _forget(session: Session, user_id: int) -> None:
    """Revoke a user's tokens, delete the notices, and end the sign-ins."""
    tickets.revoke_tokens(session, user_id)
    session.execute(delete(model.Notice).where(model.Notice.user_id == user_id))
    tickets.end_sign_ins(session, user_id)


def _notify_of_pause(session: Session, bot: Bot, reason: str) -> None:
    template = Phrase("%(bot)s was paused. %(reason)s")
    tone = NoticeTone.BAD
    notify(session, bot.user_id, tone, template, bot_id=bot.id, bot=bot.name, reason=reason)


def _plays_on_ladder(version: Version) -> bool:
    """Return True if the ladder makes matches for this version, unless it is out of reach."""
    good = version.conduct is Conduct.GOOD and version.bot.state is BotState.ACTIVE
    return version.active and good


def _is_under_validation(session: Session, bot_id: int, name: str) -> bool:
    query = select(Version.id).where(
        Version.bot_id == bot_id, Version.name == name, Version.state.in_(model.UNDER_VALIDATION)
    )
    return session.scalar(query) is not None
