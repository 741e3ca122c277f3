"""Drops uploads and bundles that no version needs any more; bans of files by their hash.

A bundle is needed while its version may play: under validation, active, in a tournament or a match
that is not over, or one of the bot's newest (SANTIAGO_KEPT_BUNDLES). A package stays, so that its
author can download it and it can be built again, but for those of

- rejected versions, once the bot has a newer one;
- versions that no longer play, if their author removes it (`remove`);
- deleted accounts.

What an author has published under a licence stays in any case. What is dropped no longer counts for
the quota; the row of the blob stays.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from ladder import model
from ladder.bots import keeping, own
from ladder.bots.versions import drop_jobs, reject
from ladder.config import HostingSettings
from ladder.errors import NotFound, Phrase, Refused
from ladder.model import (
    TOURNAMENT_OVER,
    UNDER_VALIDATION,
    Blob,
    BlobChunk,
    BlobKind,
    Bot,
    BotState,
    Entry,
    EntryState,
    Match,
    MatchState,
    Seat,
    Tournament,
    Upsert,
    User,
    Version,
    VersionState,
)
from ladder.people.accounts import Account
from ladder.ratings import ledger

_GRACE: Final = timedelta(minutes=30)
"""A bundle is stored some time before its version names it."""
_BANNED: Final = Upsert(Blob, replace=("banned_at", "ban_reason"))


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
    model.execute(session, delete(BlobChunk).where(BlobChunk.sha256.in_(dropped)))
    gone = update(Blob).where(Blob.sha256.in_(dropped))
    model.execute(session, gone.values(dropped_at=model.now(session)))
    return dropped


def remove(session: Session, account: Account, bot_id: int, version_id: int) -> None:
    """Remove the upload of an own version that no longer plays. Raises NotFound, Refused.

    Its games, log and report stay. The caller commits.
    """
    ledger.lock(session)
    version = own.version_row(session, account, bot_id, version_id)
    if version.package is None:
        raise NotFound("version %(version)s was not uploaded", version=version.submitted_name)
    if session.scalar(select(Version.id).where(Version.id == version_id, _may_play())) is not None:
        raise Refused(
            "version %(version)s may still play: what was uploaded is needed",
            version=version.submitted_name,
        )
    version.package = version.package_name = version.bundle = version.licence = None
    session.flush()


def ban(session: Session, sha256: str, reason: str) -> tuple[str, ...]:
    """Ban a package or bundle by its hash, with all that was built of it or it was built of.

    The hash may be one that was never seen. Versions under validation that have it are rejected; of
    others that are active the bot is paused until an admin resumes it. Return all hashes that are
    banned now, for the hosts to forget. The caller commits.
    """
    ledger.lock(session)
    having = select(Version).where(or_(Version.package == sha256, Version.bundle == sha256))
    fresh = {"populate_existing": True}
    versions = session.scalars(having.order_by(Version.id), execution_options=fresh).all()
    built = {one for version in versions for one in (version.package, version.bundle) if one}
    _put_bans(session, hashes := sorted(built | {sha256}), reason)
    why = Phrase("The operator has banned its files: %(reason)s", reason=reason)
    for version in versions:
        if version.state in UNDER_VALIDATION:
            drop_jobs(session, version)
            reject(session, version, why)
        elif version.active and version.bot.state is not BotState.RETIRED:
            keeping.bar_for(session, version.bot_id, why)
    session.flush()
    return tuple(hashes)


def lift_ban(session: Session, sha256: str) -> None:
    """Lift the ban of this hash alone; bots stay paused. Raises NotFound. The caller commits."""
    model.write(session)
    lifting = update(Blob).where(Blob.sha256 == sha256, Blob.banned_at.is_not(None))
    if not model.execute(session, lifting.values(banned_at=None, ban_reason=None)).rowcount:
        raise NotFound("%(sha256)s is not banned", sha256=sha256)


def bans(session: Session) -> dict[str, str]:
    """Return the reasons of all bans, by hash."""
    query = select(Blob.sha256, Blob.ban_reason).where(Blob.banned_at.is_not(None))
    return {sha256: reason or "" for sha256, reason in session.execute(query)}


def _put_bans(session: Session, hashes: list[str], reason: str) -> None:
    at = model.now(session)
    unseen = {"size": 0, "kind": BlobKind.PACKAGE, "created_at": at, "dropped_at": at}
    ban = {"banned_at": at, "ban_reason": reason}
    _BANNED.put(session, [{"sha256": sha256, **unseen, **ban} for sha256 in hashes])


def _unneeded(before: datetime) -> ColumnElement[bool]:
    """Return the condition that a blob is here, and that no version needs it.

    One that no version names may be a bundle whose version will, unless it is from `before`.
    """
    return and_(
        Blob.dropped_at.is_(None),
        ~exists().where(Version.package == Blob.sha256, _keeps_package()),
        ~exists().where(Version.bundle == Blob.sha256, _keeps_bundle()),
        or_(Blob.kind == BlobKind.PACKAGE, Blob.created_at < before),
    )


def _keeps_package() -> ColumnElement[bool]:
    newer = aliased(Version)
    outdated = exists().where(newer.bot_id == Version.bot_id, newer.id > Version.id)
    deleted = exists().where(
        Bot.id == Version.bot_id, User.id == Bot.user_id, User.deleted_at.is_not(None)
    )
    rejected = and_(Version.state == VersionState.REJECTED, outdated)
    return or_(Version.licence.is_not(None), ~or_(rejected, deleted))


def _keeps_bundle() -> ColumnElement[bool]:
    return or_(_may_play(), and_(_is_recent(), ~_of_retired()))


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
    kept = HostingSettings.from_environment().kept_bundles
    return and_(Version.state.in_(played), count < kept)


def _may_play() -> ColumnElement[bool]:
    """Return the condition that a version plays, or may have to play."""
    entered = (
        select(Entry.version_id)
        .join(Tournament, Tournament.id == Entry.tournament_id)
        .where(Entry.state == EntryState.ENTERED, Tournament.state.not_in(TOURNAMENT_OVER))
    )
    seated = (
        select(Seat.version_id)
        .join(Match, Match.id == Seat.match_id)
        .where(Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)))
    )
    return or_(
        Version.state.in_(UNDER_VALIDATION),
        and_(Version.state == VersionState.ACTIVE, ~_of_retired()),
        Version.id.in_(entered),
        Version.id.in_(seated),
    )


def _of_retired() -> ColumnElement[bool]:
    return exists().where(Bot.id == Version.bot_id, Bot.state == BotState.RETIRED)
