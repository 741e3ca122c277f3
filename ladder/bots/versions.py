"""Which version of a bot plays: a new one takes over or is rejected, or the operator registers it.

The states of a version are in `ladder.model.states`. Builds and checks share `Validation`.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from sqlalchemy import ColumnElement, case, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.errors import Phrase, Refused
from ladder.jobs import attempts
from ladder.jobs.kinds import DAY_AGO, Attempt, Claim, Kind
from ladder.matches import debts, lanes
from ladder.model import Bot, BotState, Entry, Job, Tournament, User, Version, VersionState
from ladder.people.accounts import lock_user
from ladder.people.notices import notify
from ladder.ratings import ledger
from ladder.ratings.boards import name_contains
from referee.ways import HOSTED_PREFIX

CHECK: Final = "check"
"""The kind of job that checks a version."""
BUILD: Final = "build"
"""The kind of job that makes the bundle of a hosted version out of its package."""
ATTEMPTS: Final = 5
"""How often a build or check is begun before its version is rejected.

An attempt whose worker died counts in the end only if nothing else was done beside it."""
INTERRUPTIONS: Final = 15
"""How often one is begun that the platform interrupts, such as a gateway or host that ends.

More often than ATTEMPTS, since that is seldom the version's fault; but it may be."""
AGAIN_AFTER: Final = timedelta(seconds=15)
"""The time until one that failed is begun again: four times in a minute."""
WITHOUT_HOST: Final = timedelta(seconds=5)
"""The time until one is begun again that found no host, or no gateway."""
WITHDRAWN: Final = "Its author withdrew it."
"""Why a version was rejected that was still being validated."""
SHELVED: Final = "The bot was retired."
"""The same, for one whose bot its author has retired."""
_C = TypeVar("_C", bound=Claim)
_Row = TypeVar("_Row", Bot, Version)


@dataclass(frozen=True, slots=True)
class RegisteredBot:
    """A bot with its active version, the address at which that listens, and the shown state."""

    id: int
    name: str
    author: str
    version: str
    address: str
    state: BotState
    moved_from: str | None = None
    """Its address before, if it was registered just now, with another one."""

    @property
    def hosted(self) -> bool:
        """Return True if it was uploaded: it plays in a sandbox of the ladder."""
        return self.address.startswith(HOSTED_PREFIX)


@dataclass(frozen=True, slots=True)
class EnteredTournament:
    """A tournament that a version plays to its end, whatever version of the bot is active."""

    tournament_id: int
    tournament: str
    version: str
    address: str
    """The address at which the version has to go on answering."""


def entered(session: Session, bot_id: int) -> tuple[EnteredTournament, ...]:
    """Return the tournaments that versions of a bot have entered and that are not over."""
    query = (
        select(Tournament.id, Tournament.name, Version.name, Version.address)
        .join(Entry, Entry.tournament_id == Tournament.id)
        .join(Version, Version.id == Entry.version_id)
        .where(
            Entry.bot_id == bot_id,
            Entry.state == model.EntryState.ENTERED,
            Tournament.state.not_in(model.TOURNAMENT_OVER),
        )
        .order_by(Tournament.id)
    )
    return tuple(EnteredTournament(*row) for row in session.execute(query))


def register(
    session: Session, *, name: str, author: str, address: str, version: str
) -> RegisteredBot:
    """Make this version the active one of the author's bot, without a check.

    Adds author, bot and version if they are new. Registering a version again only changes its
    address, also for matches that are queued. Raises Refused if it was uploaded: then it has none
    of its own. The caller commits.
    """
    bot = registered_bot(session, name=name, author=author)
    query = select(Version).where(Version.bot_id == bot.id, Version.name == version)
    row = session.scalar(query) or _added(
        session,
        Version(
            bot_id=bot.id,
            name=version,
            address=address,
            state=VersionState.SUBMITTED,
            created_at=model.now(session),
        ),
    )
    if row.package is not None:
        raise Refused(
            "%(bot)s %(version)s was uploaded: let the program report another version",
            bot=name,
            version=version,
        )
    before = row.address if row.address != address else None
    row.address = address
    make_active(session, row)
    return RegisteredBot(bot.id, name, author, version, address, bot.state, before)


def registered_bot(session: Session, *, name: str, author: str) -> Bot:
    """Return the operator's bot of this name; add author and bot if they are new.

    Locks the ledger.
    """
    ledger.lock(session)
    at = model.now(session)
    user = _user(session, author, at)
    lock_user(session, user.id)  # the author may just be submitting the same bot
    return session.scalar(select(Bot).where(Bot.name == name, Bot.user_id == user.id)) or _added(
        session, Bot(name=name, user_id=user.id, created_at=at)
    )


def registered(
    session: Session,
    *,
    search: str = "",
    only: Collection[int] | None = None,
    most: int | None = None,
) -> list[RegisteredBot]:
    """Return all bots that have an active version and are not retired, by name.

    With `search` only those whose name or author contains it, with `only` those with these ids,
    with `most` the first ones.
    """
    query = (
        select(Bot.id, Bot.name, User.name, Version.name, Version.address, model.shown_state())
        .join(Bot.user)
        .join(Version, (Version.bot_id == Bot.id) & Version.active)
        .where(name_contains(search), Bot.state != BotState.RETIRED)
        .order_by(func.lower(Bot.name), Bot.id)
        .limit(most)
    )
    if only is not None:
        query = query.where(Bot.id.in_(only))
    return [RegisteredBot(*row) for row in session.execute(query)]


def take_over(session: Session, version_id: int) -> None:
    """Make a version the active one of its bot, and tell its author. The caller commits.

    It inherits its predecessor's ratings, and takes its seat in ladder matches that are still
    queued. What the predecessor is playing counts for the predecessor; in tournaments it stays on
    the entry list. The predecessor's suspension is not the new version's. An admin's pause ends;
    one by the author, and a bar by an admin, do not. Nothing of a retired bot takes over.
    """
    ledger.lock(session)
    version = session.get_one(Version, version_id)
    make_active(session, version)
    bot = version.bot
    if bot.pause_reason is not None and not bot.barred:
        model.move_bot(bot, BotState.ACTIVE)
    names = {"version": version.name, "bot": bot.name}
    notify(session, bot.user_id, model.NoticeTone.GOOD, _news(bot), bot_id=bot.id, **names)
    version.unreached_since = None  # it has just played its trial


def make_active(session: Session, new: Version) -> None:
    """Make `new` its bot's active version; do nothing if it already is. Lock the ledger first."""
    session.flush()
    before = select(Version).where(Version.bot_id == new.bot_id, Version.active)
    old = session.scalars(before).one_or_none()
    if old is new:
        return
    if old is not None:
        model.move_version(old, VersionState.SUPERSEDED)
        session.flush()
    model.move_version(new, VersionState.ACTIVE)
    new.activated_at = model.now(session)
    session.flush()
    if old is not None:
        ledger.inherit(session, old=old.id, new=new.id)
        debts.reseat(session)


def reject(session: Session, version: Version, reason: str) -> None:
    """Reject a version, and tell its author the reason (a sentence; best a Phrase)."""
    model.move_version(version, VersionState.REJECTED, str(reason))
    notify(
        session,
        version.bot.user_id,
        model.NoticeTone.BAD,
        "Version %(version)s of %(bot)s was rejected. %(reason)s",
        bot_id=version.bot_id,
        version=version.name,
        bot=version.bot.name,
        reason=reason,
    )


def version_of(session: Session, attempt: Attempt) -> Version:
    """Return the version that is built or checked in an attempt, as it is now."""
    return session.get_one(Version, attempt.subject, populate_existing=True)


def owner_has(which: Callable[[type[Version]], ColumnElement[bool]]) -> ColumnElement[bool]:
    """Return the condition that a version's owner has one, of any bot, for which `which` holds."""
    other, others, own = aliased(Version), aliased(Bot), aliased(Bot)
    return (
        select(other.id)
        .join(others, others.id == other.bot_id)
        .join(own, own.user_id == others.user_id)
        .where(own.id == Version.bot_id, which(other))
        .correlate(Version)
        .exists()
    )


def put_off(
    session: Session, claim: Claim, why: Phrase | None = None, *, later: timedelta = WITHOUT_HOST
) -> None:
    """Put a build or check back that found no host, room or gateway; no failure. Raises Stale.

    The author is told `why`. The caller commits.
    """
    ledger.lock(session)
    put_back(session, claim.held, why, later=later, counts=False)


def put_back(
    session: Session,
    attempt: Attempt,
    why: Phrase | None = None,
    *,
    later: timedelta | None = None,
    counts: bool = True,
    alone: bool = False,
) -> None:
    """Put a build or check back into its queue, to begin `later` if given. Raises Stale.

    The author is told `why`. The ledger must be locked. `counts` and `alone` are as for
    `attempts.release`.
    """
    not_before = None if later is None else model.now(session) + later
    attempts.release(session, attempt, not_before=not_before, counts=counts, alone=alone)
    version = version_of(session, attempt)
    if version.state in (VersionState.BUILDING, VersionState.CHECKING):
        model.move_version(version, VersionState.SUBMITTED, why and str(why))
    session.flush()


class Validation(Kind[_C]):
    """Builds and checks: what follows if an attempt comes to nothing is the same for both."""

    failed: Phrase
    """Tells an author that workers failed ATTEMPTS times."""
    interrupted: Phrase

    @abstractmethod
    def give_up(self, session: Session, attempt: Attempt, why: Phrase) -> None:
        """End an attempt, after which there is no other one. The ledger must be locked."""

    def order(self) -> tuple[ColumnElement[int], ...]:
        """Whose author has submitted fewer versions in a day goes first, so that all get a turn.

        Of those with as many, authors go first of whom a version has played on the ladder: who
        makes one account after the other does not hold them up.
        """
        return _EARLIER.correlate(Job).scalar_subquery(), case((_PLAYED, 0), else_=1)

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:  # noqa: ARG002
        return lanes.slots(session)

    def give_back(self, session: Session, claim: _C) -> None:
        ledger.lock(session)
        put_back(session, claim.held, counts=False)

    def fail(self, session: Session, claim: _C, why: str) -> None:  # noqa: ARG002
        """Try again after a while, but not for ever, since each attempt may call the bot."""
        self._again(session, claim.held, ATTEMPTS, self.failed)

    def interrupt(self, session: Session, claim: _C) -> None:
        """Try again after a while, more often than if the worker failed. Raises Stale."""
        why = Phrase(self.interrupted.template, times=claim.held.number)
        self._again(session, claim.held, INTERRUPTIONS, why)

    def lapse(self, session: Session, attempt: Attempt) -> None:
        """Try again at once, soon alone: the worker may have died of what was done beside it."""
        if attempt.is_last(ATTEMPTS):
            self.give_up(session, attempt, self.interrupted)
        else:
            put_back(session, attempt, alone=attempt.next_alone)

    def lock(self, session: Session) -> None:
        ledger.lock(session)

    def _again(self, session: Session, attempt: Attempt, most: int, why: Phrase) -> None:
        """Put an attempt back for a while; end it, and say why, if it was one of `most`."""
        ledger.lock(session)
        if attempt.number < most:
            put_back(session, attempt, later=AGAIN_AFTER)
        else:
            self.give_up(session, attempt, why)


def drop_jobs(session: Session, version: Version) -> None:
    """Drop what was to be done to validate a version: nothing may come of it any more."""
    for kind in (BUILD, CHECK):
        attempts.drop(session, kind, version.id)


def _user(session: Session, name: str, at: datetime) -> User:
    """Return the user of this name; add one if there is none, also if one signs up meanwhile."""
    named = select(User).where(User.name == name)
    user = session.scalar(named)
    if user is None:
        with suppress(IntegrityError), session.begin_nested():
            session.add(User(name=name, created_at=at))
        user = session.scalars(named).one()
    return user


def _added(session: Session, row: _Row) -> _Row:
    session.add(row)
    session.flush()
    return row


def _news(bot: Bot) -> Phrase:
    """Return the sentence that tells an author that a version has become active."""
    if bot.barred:
        return Phrase(
            "Version %(version)s of %(bot)s is accepted; it will play once an admin resumes "
            "the bot."
        )
    if bot.state is BotState.PAUSED:
        return Phrase(
            "Version %(version)s of %(bot)s is accepted, but the bot is paused: resume it to play."
        )
    return Phrase("%(bot)s %(version)s is now active.")


# Built once: to build a statement takes longer than to execute it.
_THIS: Final = aliased(Version)
_OWN: Final = aliased(Bot)
_OWNERS: Final = aliased(Bot)
_BEFORE: Final = aliased(Version)
_OF_AUTHOR: Final = (
    select(_BEFORE.id)
    .select_from(_THIS)
    .join(_OWN, _OWN.id == _THIS.bot_id)
    .join(_OWNERS, _OWNERS.user_id == _OWN.user_id)
    .join(_BEFORE, _BEFORE.bot_id == _OWNERS.id)
    .where(_THIS.id == Job.subject)
)
_EARLIER: Final = _OF_AUTHOR.with_only_columns(func.count()).where(
    _BEFORE.id < _THIS.id, _BEFORE.created_at > DAY_AGO
)
"""Counts the versions that a job's author has submitted in a day before the job's own."""
_PLAYED: Final = _OF_AUTHOR.where(_BEFORE.activated_at.is_not(None)).correlate(Job).exists()
"""The condition that a version of a job's author was active once."""
