"""An author's own bots and versions, with all that others do not see.

The bots of others are answered as if they did not exist.
"""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.reports import Report
from ladder.errors import NotFound
from ladder.matches import lanes
from ladder.model import Blob, Bot, BotState, Conduct, Joined, Version, VersionState
from ladder.people.accounts import Account
from referee.ways import bot_behind_gateway

RECENT: Final = 10
"""How many of a bot's newest versions its page lists."""


@dataclass(frozen=True, slots=True)
class OwnPackage:
    """The package of an uploaded version, and the bundle built of it; sizes are in bytes."""

    name: str
    """The name of the file."""
    sha256: str
    size: int
    runtime: str
    bundle: str | None
    """The SHA-256 of what was built; None before that."""
    bundle_size: int | None
    built_at: datetime | None
    difference: str | None
    """The difference that a second build made; None if it made none."""
    licence: str | None
    """The licence under which its author has published it; None if nobody else may have it."""
    kept: bool
    """True while it can be downloaded; False if it was dropped, removed or banned."""


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """A version as its author sees it."""

    id: int
    name: str
    state: VersionState
    reason: str | None
    language: str | None
    address: str
    report: Report | None
    """The findings of the conformance suite; None before the check is over."""
    trial: int | None
    """The id of its newest trial match."""
    created_at: datetime
    checked_at: datetime | None
    activated_at: datetime | None
    slots: int
    """How many games it plays at once, at most."""
    suspended: bool
    """True if the ladder has suspended it; in tournaments it plays on."""
    offline_since: datetime | None
    faulted_in_a_row: int
    joined: bool
    """True while it is in at the gateway."""
    package: OwnPackage | None
    """The upload; None if its author runs it."""
    waits_for_host: bool
    """True if it is active and hosted, and no host that takes work now has its runtime."""

    @property
    def under_validation(self) -> bool:
        """True while it may still become active, or be rejected."""
        return self.state in model.UNDER_VALIDATION

    @property
    def rejected(self) -> bool:
        """True if its build, its check or its trial failed, or its author withdrew it before."""
        return self.state is VersionState.REJECTED

    @property
    def was_active(self) -> bool:
        """True if it plays, or has played until a newer version replaced it."""
        return self.state in (VersionState.ACTIVE, VersionState.SUPERSEDED)

    @property
    def built(self) -> bool:
        """True if there is a build of its package, and none is under way."""
        built = self.package is not None and self.package.built_at is not None
        return built and self.state is not VersionState.BUILDING

    @property
    def passed(self) -> bool:
        """True if it has passed its check."""
        return self.report is not None and self.report.passed


@dataclass(frozen=True, slots=True)
class OwnBot:
    """A bot as its author sees it."""

    id: int
    name: str
    state: BotState
    """Paused, too, while its active version is suspended."""
    pause_reason: str | None
    barred: bool
    """True if only an admin can resume it."""
    suspended: bool
    """True if the referee suspended the active version from the ladder: its tournaments go on."""
    offline_since: datetime | None
    """The time of the active version, or of the newest if none is active; so for the next two."""
    slots: int
    faulted_in_a_row: int
    joined_versions: tuple[str, ...]
    """The versions that are in at the gateway now, the newest last."""
    has_token: bool
    open_to_people: bool
    """True if people may play casual games with it."""
    versions: tuple[OwnVersion, ...]
    """The newest ones, and the active one; newest first."""

    @property
    def active(self) -> OwnVersion | None:
        """The version that plays."""
        playing = (one for one in self.versions if one.state is VersionState.ACTIVE)
        return next(playing, None)

    @property
    def joined_version(self) -> str | None:
        """The version that has joined the gateway last, of those that are in."""
        return self.joined_versions[-1] if self.joined_versions else None

    @property
    def behind_gateway(self) -> bool:
        """True if its newest version comes through the gateway."""
        return bool(self.versions) and bot_behind_gateway(self.versions[0].address) is not None


@dataclass(frozen=True, slots=True)
class VersionPage:
    """Versions, newest first; `next_before` asks for the page after it, None on the last."""

    versions: tuple[OwnVersion, ...]
    next_before: int | None


def bots(session: Session, account: Account, *, page: int = 1, limit: int) -> tuple[OwnBot, ...]:
    """Return a page of the account's bots by name, those that are retired last.

    Each has its newest version alone, and the active one.
    """
    query = (
        select(Bot)
        .where(Bot.user_id == account.id)
        .order_by(Bot.state == BotState.RETIRED, Bot.name)
        .offset((page - 1) * limit)
        .limit(limit)
    )
    return _all_own(session, session.scalars(query).all(), recent=1)


def count_bots(session: Session, account: Account) -> int:
    """Count the account's bots, retired ones too."""
    query = select(func.count()).where(Bot.user_id == account.id)
    return session.scalar(query) or 0


def has_active_bot(session: Session, account: Account) -> bool:
    """Return True if one of the account's bots has an active version, though it may be paused."""
    query = select(Version.id).join(Bot, Bot.id == Version.bot_id)
    query = query.where(Bot.user_id == account.id, Version.active).limit(1)
    return session.scalar(query) is not None


def newest_bots(
    session: Session, account: Account, *, before: int | None = None, limit: int
) -> tuple[OwnBot, ...]:
    """Return the account's newest bots with a lower id than `before`."""
    query = select(Bot).where(Bot.user_id == account.id, model.below(Bot.id, before))
    return _all_own(session, session.scalars(query.order_by(Bot.id.desc()).limit(limit)).all())


def bot(session: Session, account: Account, bot_id: int) -> OwnBot:
    """Return one of the account's bots. Raises NotFound."""
    return _all_own(session, [bot_row(session, account, bot_id)])[0]


def version(session: Session, account: Account, bot_id: int, version_id: int) -> OwnVersion:
    """Return a version of one of the account's bots. Raises NotFound."""
    row = version_row(session, account, bot_id, version_id)
    joined, blobs = _joined(session, [bot_id])[bot_id], _blobs(session, [row])
    return _version(row, joined, blobs, lanes.by_runtime(session, now_there=True))


def versions(
    session: Session,
    account: Account,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = RECENT,
) -> VersionPage:
    """Return the newest versions of an own bot with a lower id than `before`. Raises NotFound."""
    bot = bot_row(session, account, bot_id)
    query = select(Version).where(Version.bot_id == bot.id, model.below(Version.id, before))
    rows = session.scalars(query.order_by(Version.id.desc()).limit(limit + 1)).all()
    joined = _joined(session, [bot_id])[bot_id]
    blobs, runtimes = _blobs(session, rows), lanes.by_runtime(session, now_there=True)
    shown = tuple(_version(version, joined, blobs, runtimes) for version in rows[:limit])
    return VersionPage(shown, shown[-1].id if len(rows) > limit else None)


def bot_row(session: Session, account: Account, bot_id: int) -> Bot:
    """Return the row of one of the account's bots. Raises NotFound."""
    bot = session.get(Bot, bot_id, populate_existing=True)
    if bot is None or bot.user_id != account.id:
        raise NotFound("you have no bot %(bot)s", bot=bot_id)
    return bot


def version_row(session: Session, account: Account, bot_id: int, version_id: int) -> Version:
    """Return the row of a version of one of the account's bots. Raises NotFound."""
    bot = bot_row(session, account, bot_id)
    version = session.get(Version, version_id, populate_existing=True)
    if version is None or version.bot_id != bot.id:
        raise NotFound("%(bot)s has no version %(version)s", bot=bot.name, version=version_id)
    return version


def _all_own(session: Session, bots: Sequence[Bot], recent: int = RECENT) -> tuple[OwnBot, ...]:
    ids = [bot.id for bot in bots]
    newest, joined = _newest(session, ids, recent), _joined(session, ids)
    blobs = _blobs(session, [version for bot_id in ids for version in newest[bot_id]])
    runtimes = lanes.by_runtime(session, now_there=True)
    return tuple(_own(bot, newest[bot.id], joined[bot.id], blobs, runtimes) for bot in bots)


def _joined(session: Session, bot_ids: Sequence[int]) -> defaultdict[int, list[str]]:
    """Return the versions that are in at the gateway, by bot."""
    query = select(Joined.bot_id, Joined.version).where(Joined.bot_id.in_(bot_ids))
    names: defaultdict[int, list[str]] = defaultdict(list)
    for bot_id, version in session.execute(query.order_by(Joined.joined_at, Joined.version)):
        names[bot_id].append(version)
    return names


def _newest(session: Session, bot_ids: Sequence[int], most: int) -> defaultdict[int, list[Version]]:
    """Return the newest versions and the active one, by bot."""
    place = func.row_number().over(partition_by=Version.bot_id, order_by=Version.id.desc())
    places = select(Version.id, place.label("place")).where(Version.bot_id.in_(bot_ids)).subquery()
    query = (
        select(Version)
        .join(places, places.c.id == Version.id)
        .where(or_(places.c.place <= most, Version.active))
        .order_by(Version.id.desc())
    )
    versions: defaultdict[int, list[Version]] = defaultdict(list)
    for version in session.scalars(query):
        versions[version.bot_id].append(version)
    return versions


def _blobs(session: Session, versions: Sequence[Version]) -> dict[str, Blob]:
    """Return the versions' packages and bundles by their hashes."""
    hashes = {one for version in versions for one in (version.package, version.bundle) if one}
    if not hashes:
        return {}
    query = select(Blob).where(Blob.sha256.in_(hashes))
    fresh = {"populate_existing": True}
    return {blob.sha256: blob for blob in session.scalars(query, execution_options=fresh)}


def _own(
    bot: Bot,
    versions: Sequence[Version],
    joined: Sequence[str],
    blobs: Mapping[str, Blob],
    runtimes: Container[str],
) -> OwnBot:
    playing = next((one for one in versions if one.active), None)
    shown = playing or next(iter(versions), None)
    state, reason = bot.state, bot.pause_reason
    if playing is not None and playing.conduct is Conduct.SUSPENDED:
        state = BotState.PAUSED if state is BotState.ACTIVE else state
        reason = reason or playing.suspension
    return OwnBot(
        id=bot.id,
        name=bot.name,
        state=state,
        pause_reason=reason,
        barred=bot.barred,
        suspended=state is not bot.state,
        offline_since=shown.offline_since if shown else None,
        slots=shown.slots if shown else 2,
        faulted_in_a_row=shown.faulted_in_a_row if shown else 0,
        joined_versions=tuple(joined),
        has_token=bot.gateway_token_hash is not None,
        open_to_people=bot.open_to_people,
        versions=tuple(_version(version, joined, blobs, runtimes) for version in versions),
    )


def _version(
    version: Version, joined: Sequence[str], blobs: Mapping[str, Blob], runtimes: Container[str]
) -> OwnVersion:
    return OwnVersion(
        id=version.id,
        name=version.submitted_name,
        state=version.state,
        reason=version.reason,
        language=version.language,
        address=version.address,
        report=Report.of_json(version.report) if version.report else None,
        trial=version.trial_match_id,
        created_at=version.created_at,
        checked_at=version.checked_at,
        activated_at=version.activated_at,
        slots=version.slots,
        suspended=version.conduct is Conduct.SUSPENDED,
        offline_since=version.offline_since,
        faulted_in_a_row=version.faulted_in_a_row,
        joined=version.name in joined and bot_behind_gateway(version.address) is not None,
        package=_package(version, blobs),
        waits_for_host=_waits_for_host(version, runtimes),
    )


def _waits_for_host(version: Version, runtimes: Container[str]) -> bool:
    hosted = version.package is not None
    return version.active and hosted and version.runtime not in runtimes


def _package(version: Version, blobs: Mapping[str, Blob]) -> OwnPackage | None:
    if version.package is None:
        return None
    package = blobs[version.package]
    return OwnPackage(
        name=version.package_name or "",
        sha256=version.package,
        size=package.size,
        runtime=version.runtime or "",
        bundle=version.bundle,
        bundle_size=blobs[version.bundle].size if version.bundle else None,
        built_at=version.built_at,
        difference=version.difference,
        licence=version.licence,
        kept=version.package_removed_at is None and package.is_here,
    )
