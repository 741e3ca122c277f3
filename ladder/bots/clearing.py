"""Drops uploads and bundles that no version needs any more, and old output.

A bundle is needed while its version may play: under validation, active, in a tournament or a match
that is not over, or one of the bot's newest (SANTIAGO_KEPT_BUNDLES). A package stays, so that its
author can download it and it can be built again, but for those of

- rejected versions, once the bot has a newer one;
- versions that no longer play, if their author removes it (`remove`);
- deleted accounts.

What an author has published under a licence stays in any case. What is dropped no longer counts for
the quota; the row of the blob stays.

No quota counts what builds and bots print, so only the newest of it is kept.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.bots import own
from ladder.config import HostingSettings
from ladder.errors import NotFound, Refused
from ladder.model import (
    Blob,
    Bot,
    BuildLine,
    Entry,
    Match,
    Seat,
    SeatOutput,
    Tournament,
    User,
    Version,
    VersionState,
)
from ladder.people.accounts import Account
from ladder.ratings import ledger

OUTPUTS: Final = 100
"""The number of a bot's newest matches of which what it wrote is kept."""
AT_ONCE: Final = 1000
"""Rows of output that are deleted in one transaction."""
_GRACE: Final = timedelta(minutes=30)
"""A bundle is stored some time before its version names it."""


def drop_unneeded(session: Session) -> list[str]:
    """Drop the bytes of all blobs that no version needs; return their hashes.

    The scheduler repeats it. Must have its transaction for itself; the caller commits.
    """
    unneeded = _unneeded(model.now(session) - _GRACE)
    if session.scalar(select(Blob.sha256).where(unneeded).limit(1)) is None:
        return []
    model.write(session)
    rows = select(Blob.sha256).where(unneeded).order_by(Blob.sha256)
    locked = session.scalars(rows.with_for_update(key_share=True)).all()
    # Who uploads the same bytes locks this row, too: now his version shows, if he came first.
    dropped = list(session.scalars(rows.where(Blob.sha256.in_(locked))))
    model.execute(session, delete(model.BlobChunk).where(model.BlobChunk.sha256.in_(dropped)))
    gone = update(Blob).where(Blob.sha256.in_(dropped))
    model.execute(session, gone.values(dropped_at=model.now(session)))
    return dropped


def forget_logs(session: Session) -> None:
    """Delete the build logs of versions without bundle that are not a bot's newest.

    The caller commits.
    """
    model.write(session)
    logged = exists().where(BuildLine.version_id == Version.id)
    old = select(Version.id).where(logged, ~_keeps_log())
    model.execute(session, delete(BuildLine).where(BuildLine.version_id.in_(old)))


def forget_outputs(session: Session) -> int:
    """Delete what bots wrote in all but their newest matches; return of how many seats.

    That is of AT_ONCE at most. The caller commits.
    """
    model.write(session)
    latest = Match.finished_at.is_(None).desc(), Match.finished_at.desc(), Match.id.desc()
    place = func.row_number().over(partition_by=Seat.bot_id, order_by=latest).label("place")
    placed = (
        select(*_SEAT, place)
        .join(Seat, and_(Seat.match_id == SeatOutput.match_id, Seat.seat == SeatOutput.seat))
        .join(Match, Match.id == SeatOutput.match_id)
        .subquery()
    )
    old = select(placed.c.match_id, placed.c.seat).where(placed.c.place > OUTPUTS).limit(AT_ONCE)
    seats = [tuple(row) for row in session.execute(old)]
    model.execute(session, delete(SeatOutput).where(tuple_(*_SEAT).in_(seats)))
    return len(seats)


def remove(session: Session, account: Account, bot_id: int, version_id: int) -> None:
    """Remove the upload of an own version that no longer plays. Raises NotFound, Refused.

    Its games, log and report stay. The caller commits.
    """
    ledger.lock(session)
    version = own.version_row(session, account, bot_id, version_id)
    if version.package is None or version.package_removed_at is not None:
        raise NotFound("there is no package of version %(version)s", version=version.submitted_name)
    if session.scalar(select(Version.id).where(Version.id == version_id, _may_play())) is not None:
        raise Refused(
            "version %(version)s may still play: its upload can't be removed yet",
            version=version.submitted_name,
        )
    version.package_removed_at, version.licence = model.now(session), None
    session.flush()


def _unneeded(before: datetime) -> ColumnElement[bool]:
    """Return the condition that a blob is here, and that no version needs it.

    One that no version names may be a bundle whose version will, unless it is from `before`.
    """
    return and_(
        Blob.dropped_at.is_(None),
        ~exists().where(Version.package == Blob.sha256, _keeps_package()),
        ~exists().where(Version.bundle == Blob.sha256, _keeps_bundle()),
        or_(Blob.kind == model.BlobKind.PACKAGE, Blob.created_at < before),
    )


def _keeps_package() -> ColumnElement[bool]:
    deleted = exists().where(
        Bot.id == Version.bot_id, User.id == Bot.user_id, User.deleted_at.is_not(None)
    )
    rejected = and_(Version.state == VersionState.REJECTED, _is_outdated())
    removed = Version.package_removed_at.is_not(None)
    return or_(Version.licence.is_not(None), ~or_(rejected, deleted, removed))


def _keeps_bundle() -> ColumnElement[bool]:
    removed = Version.package_removed_at.is_not(None)
    return or_(_may_play(), and_(_is_recent(), ~or_(_of_retired(), removed)))


def _keeps_log() -> ColumnElement[bool]:
    return or_(_keeps_bundle(), ~or_(_is_outdated(), _of_retired()))


def _is_outdated() -> ColumnElement[bool]:
    """Return the condition that the bot has a newer version."""
    newer = aliased(Version)
    return exists().where(newer.bot_id == Version.bot_id, newer.id > Version.id)


def _is_recent() -> ColumnElement[bool]:
    """Return the condition that a version is one of its bot's newest with a bundle that played."""
    newer = aliased(Version)
    played = (VersionState.ACTIVE, VersionState.SUPERSEDED)
    count = (
        select(func.count())
        .where(newer.bot_id == Version.bot_id, newer.id > Version.id, newer.state.in_(played))
        .correlate(Version)
        .scalar_subquery()
    )
    most = HostingSettings.from_environment().kept_bundles
    return and_(Version.state.in_(played), count < most)


def _may_play() -> ColumnElement[bool]:
    """Return the condition that a version plays, or may have to play."""
    entered = (
        select(Entry.version_id)
        .join(Tournament, Tournament.id == Entry.tournament_id)
        .where(
            Entry.state == model.EntryState.ENTERED, Tournament.state.not_in(model.TOURNAMENT_OVER)
        )
    )
    seated = (
        select(Seat.version_id)
        .join(Match, Match.id == Seat.match_id)
        .where(Match.state.in_(model.MATCH_UNDER_WAY))
    )
    return or_(
        Version.state.in_(model.UNDER_VALIDATION),
        and_(Version.state == VersionState.ACTIVE, ~_of_retired()),
        Version.id.in_(entered),
        Version.id.in_(seated),
    )


def _of_retired() -> ColumnElement[bool]:
    return exists().where(Bot.id == Version.bot_id, Bot.state == model.BotState.RETIRED)


_SEAT: Final = (SeatOutput.match_id, SeatOutput.seat)
