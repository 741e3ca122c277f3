"""The trial of a version that has passed its check: one unrated match against house bots.

A version waits in the state `trial` until its match is over. The scheduler looks at it again and
again, so nothing is lost if a process dies in between. If no house bot is in reach the trial is put
off: the version has no match then, and holds up no other one.

A version that has passed takes over once its predecessor's rated matches are over. Else an author,
who sees a match being lost, could let the loss count for the version before alone.

Versions that are checked or have a trial match hold places: one of an owner at a time, and all
together no more than their part of the workers' places.
"""

import secrets
from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, Integer, Row, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.bots.versions import owner_has, reject, take_over
from ladder.errors import Phrase
from ladder.jobs import room, workers
from ladder.matches import lanes, queue, states, tables
from ladder.model import Bot, Conduct, Match, MatchKind, MatchState, Seat, Version, VersionState
from ladder.people.notices import notify

PART: Final = 10
"""Versions that are being validated take one in this number of places, and at least one."""
OPPONENTS: Final = 2
"""House bots at the table of a trial, at most."""
TRIALS: Final = 2
"""Trial matches that may fail on nobody's account before the version is rejected."""
NO_OPPONENT: Final = Phrase("Waiting for its trial match: no house bot is reachable.")
NO_PLACE: Final = Phrase("Waiting for its trial match: other versions are being validated.")
PLAYS_ON: Final = Phrase("Waiting until the rated matches of the version before it are over.")
"""Why a version that has passed its trial does not take over yet."""


def holds_place(version: type[Version] = Version) -> ColumnElement[bool]:
    """Return the condition that a version is being checked, or has a trial match to play."""
    return or_(version.state == VersionState.CHECKING, _has_match(version))


def has_heir() -> ColumnElement[bool]:
    """Return the condition that a version of a bot has its trial behind it, to take over next."""
    return Bot.id.in_(select(_HEIR.bot_id).where(_IS_HEIR))  # read once, not for each bot


def is_heir(session: Session, version: Version) -> bool:
    """Return True if a version has its trial behind it, and waits to take over."""
    heir = select(_HEIR.id).where(_HEIR.id == version.id, _IS_HEIR)
    return session.scalar(heir) is not None


def count(session: Session) -> int:
    """Count the versions that have a trial match to play."""
    return int(model.execute(session, _COUNT).scalar_one())


def tend(session: Session) -> None:
    """Make the trial matches that are missing, and settle the trials whose match is over.

    Lock the ledger first; the caller commits.
    """
    session.flush()
    _drop_left_over(session)
    waiting = select(Version).where(Version.state == VersionState.TRIAL).order_by(Version.id)
    for version in session.scalars(waiting).all():
        _tend(session, version)


def drop(session: Session, version: Version, why: str) -> bool:
    """Cancel a version's trial match; return False if it has begun, or there is none."""
    return states.cancel_queued(session, Match.id == version.trial_match_id, reason=why) == 1


def _drop_left_over(session: Session) -> None:
    """Cancel queued trial matches whose version was withdrawn, or whose bot was retired."""
    rejected = exists().where(
        Seat.match_id == Match.id,
        Version.id == Seat.version_id,
        Version.state == VersionState.REJECTED,
    )
    trial = Match.kind == MatchKind.VALIDATION
    reason = "the version was withdrawn, or its bot retired"
    states.cancel_queued(session, trial, rejected, reason=reason)


def _tend(session: Session, version: Version) -> None:
    if version.trial_match_id is None:
        _begin(session, version)
        return
    match = session.get_one(Match, version.trial_match_id, populate_existing=True)
    if match.state is MatchState.FINISHED:
        _judge(session, version, match.id)
    elif match.state is MatchState.QUEUED:
        away = "the other bot of the trial could not be reached"
        if _opponent_is_away(session, match) and drop(session, version, away):
            _begin_instead(session, version)
    elif match.state in (MatchState.FAILED, MatchState.CANCELLED):
        _try_again(session, version, match)


def _try_again(session: Session, version: Version, match: Match) -> None:
    """Begin anew after a match that was not played, or reject the version after too many."""
    if match.state is MatchState.CANCELLED and _missed_opponent(session, match):
        _begin_instead(session, version)
    elif version.trials < TRIALS:
        _begin(session, version)
    else:
        said = _own_seat(session, version, match.id).fault_sentence or match.reason or ""
        why = Phrase("Its trial match could not be played: %(why)s.", why=said.removesuffix("."))
        reject(session, version, why)


def _opponent_is_away(session: Session, match: Match) -> bool:
    """Return True if a house bot is out of reach; the new version itself is always dialled."""
    gone = tables.at_table(Bot.house.is_(True), ~_is_there(session))
    away = or_(tables.absent(MatchKind.VALIDATION), gone)
    return session.scalar(select(Match.id).where(Match.id == match.id, away)) is not None


def _is_there(session: Session) -> ColumnElement[bool]:
    """Return the condition that a house bot is in reach, with a host if it needs one."""
    hosted = tables.can_start() if lanes.lanes(session) else ~tables.needs_host()
    return and_(Version.offline_since.is_(None), hosted)


def _missed_opponent(session: Session, match: Match) -> bool:
    """Return True if the match was cancelled because a house bot could not be reached."""
    missed = Match.table.any(Seat.fault_sentence.is_not(None) & Seat.bot.has(house=True))
    return session.scalar(select(Match.id).where(Match.id == match.id, missed)) is not None


def _judge(session: Session, version: Version, match_id: int) -> None:
    seat = _own_seat(session, version, match_id)
    if seat.fault is None:
        _succeed(session, version)
    else:
        said = seat.fault_sentence or seat.fault
        reject(
            session,
            version,
            Phrase("It faulted in its trial, match %(match)s: %(said)s", match=match_id, said=said),
        )


def _succeed(session: Session, version: Version) -> None:
    """Let a version take over, or wait until its predecessor's rated matches are over.

    Matches of tournaments that begin after the trial do not count: there the predecessor plays on.
    """
    if session.scalar(_PREDECESSOR_PLAYS, {"bot": version.bot_id, "trial": version.trial_match_id}):
        version.reason = str(PLAYS_ON)
        session.flush()
        return
    version.reason = None
    take_over(session, version.id)


def _own_seat(session: Session, version: Version, match_id: int) -> Seat:
    own = select(Seat).where(Seat.match_id == match_id, Seat.version_id == version.id)
    return session.scalars(own, execution_options={"populate_existing": True}).one()


def _begin_instead(session: Session, version: Version) -> None:
    """Begin a trial in place of one that does not count, since the opponent was away."""
    version.trials -= 1
    _begin(session, version)


def _begin(session: Session, version: Version) -> None:
    """Queue a match, or put it off; without any house bot there is no trial."""
    house = _HOUSE.where(Bot.id != version.bot_id)
    version.trial_match_id = None
    if session.execute(house).first() is None:
        _succeed(session, version)
        return
    version.reason, waited_for = None, version.reason
    there = _together(session, version, session.execute(house.where(_is_there(session))).all())
    if there and _may_go_on(session, version):
        _queue(session, version, there)
        return
    why = NO_PLACE if there else NO_OPPONENT
    if waited_for is None:
        _notify_of_wait(session, version, why)
    version.reason = str(why)
    session.flush()


def _together(
    session: Session, version: Version, house: Sequence[Row[int, int, str | None]]
) -> list[tuple[int, int]]:
    """Return the first (bot id, version id) of these bots that one host takes with a version."""
    hosts = lanes.by_runtime(session)
    table: list[tuple[int, int]] = []
    taken = [hosts.get(version.runtime or "")]
    for bot_id, version_id, runtime in house:
        if len(table) < OPPONENTS and lanes.take_all((*taken, hosts.get(runtime or ""))):
            table.append((bot_id, version_id))
            taken.append(hosts.get(runtime or ""))
    return table


def _queue(session: Session, version: Version, table: list[tuple[int, int]]) -> None:
    """Queue a match of a version on a seat drawn by lot, against these (bot id, version id)."""
    table.insert(secrets.randbelow(len(table) + 1), (version.bot_id, version.id))
    match = queue.queue_unrated(session, MatchKind.VALIDATION, table)
    version.trial_match_id, version.trials = match.id, version.trials + 1
    session.flush()


def _may_go_on(session: Session, version: Version) -> bool:
    """Return True if there is a free place, and no other version of the owner holds one."""
    busy = select(func.count()).where(holds_place())
    if session.scalars(busy).one() >= room.part_of(workers.places(session), PART):
        return False
    own = select(Version.id).where(Version.id == version.id, owner_has(holds_place))
    return session.scalar(own) is None


def _notify_of_wait(session: Session, version: Version, why: Phrase) -> None:
    """Tell the author once; the version's page goes on showing what it waits for."""
    notify(
        session,
        version.bot.user_id,
        model.NoticeTone.GOOD,
        "Version %(version)s of %(bot)s passed its check. %(why)s",
        bot_id=version.bot_id,
        version=version.name,
        bot=version.bot.name,
        why=why,
    )


_HOUSE: Final = (
    select(Bot.id, Version.id, Version.runtime)
    .join(Version, (Version.bot_id == Bot.id) & Version.active)
    .where(Bot.house, Bot.state == model.BotState.ACTIVE, Version.conduct == Conduct.GOOD)
    .order_by(Bot.pinned.desc(), Bot.id)
)
"""The house bots that play, those that hold the ladders' anchor first."""


def _has_match(version: type[Version] = Version) -> ColumnElement[bool]:
    has_one = version.trial_match_id.is_not(None)
    return and_(version.state == VersionState.TRIAL, has_one, ~_played(version))


def _played(version: type[Version]) -> ColumnElement[bool]:
    played = exists().where(Match.id == version.trial_match_id, Match.state == MatchState.FINISHED)
    return played.correlate(version)


_COUNT: Final = select(func.count()).where(_has_match())
"""Built once: the scheduler asks all the time."""

_HEIR: Final = aliased(Version)
_IS_HEIR: Final = and_(
    _HEIR.state == VersionState.TRIAL,
    or_(
        _played(_HEIR),
        and_(
            _HEIR.trial_match_id.is_(None),  # as without any house bot there is no trial
            ~_HOUSE.where(Bot.id != _HEIR.bot_id).correlate(_HEIR).exists(),
        ),
    ),
)
_TRIAL: Final = aliased(Match)
_PREDECESSOR_PLAYS: Final = select(
    exists()
    .where(Match.state == MatchState.RUNNING, Match.rated)
    .where(tables.at_table(Seat.bot_id == bindparam("bot"), Version.state == VersionState.ACTIVE))
    .where(
        or_(
            Match.kind == MatchKind.LADDER,
            exists()
            .where(_TRIAL.id == bindparam("trial", type_=Integer))
            .where(_TRIAL.finished_at > Match.started_at)
            .correlate(Match),
        )
    )
)
