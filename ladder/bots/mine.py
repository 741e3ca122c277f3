"""An author's own bots, with all that is nobody else's business."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import owned
from ladder.bots.reports import Report
from ladder.model import UNDER_VALIDATION, BotState, Version, VersionState
from ladder.people.accounts import Account
from referee.ways import bot_behind_gateway

RECENT: Final = 10
"""So many of its newest versions a bot is shown with."""


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """A version as its author sees it; `state`: a VersionState.

    `report` is what the conformance suite found, `trial` the id of its newest trial match.
    """

    id: int
    name: str
    state: VersionState
    reason: str | None
    language: str | None
    address: str
    report: Report | None
    trial: int | None
    created_at: datetime
    checked_at: datetime | None
    activated_at: datetime | None

    @property
    def under_validation(self) -> bool:
        """Whether it is still to be found good."""
        return self.state in UNDER_VALIDATION


@dataclass(frozen=True, slots=True)
class OwnBot:
    """A bot as its author sees it. `versions`: the newest, and the active one; newest first.

    `barred`: only an admin can resume it. `joined_version` is what a bot tells that has dialled
    into the gateway, while it is in.
    """

    id: int
    name: str
    state: BotState
    pause_reason: str | None
    barred: bool
    offline_since: datetime | None
    slots: int
    faulted_in_a_row: int
    joined_version: str | None
    has_token: bool
    versions: tuple[OwnVersion, ...]

    @property
    def active(self) -> OwnVersion | None:
        """The version that plays."""
        return next(
            (version for version in self.versions if version.state == VersionState.ACTIVE), None
        )

    @property
    def behind_gateway(self) -> bool:
        """Whether its newest version comes through the gateway."""
        return bool(self.versions) and bot_behind_gateway(self.versions[0].address) is not None


@dataclass(frozen=True, slots=True)
class VersionPage:
    """Versions, newest first; `next_before` asks for the page after it, None on the last."""

    versions: tuple[OwnVersion, ...]
    next_before: int | None


def mine(session: Session, account: Account) -> tuple[OwnBot, ...]:
    """The account's bots by name; those that are retired last."""
    query = (
        select(model.Bot)
        .where(model.Bot.user_id == account.id)
        .order_by(model.Bot.state == BotState.RETIRED, model.Bot.name)
    )
    return _all_own(session, session.scalars(query).all())


def own_bots(
    session: Session, account: Account, *, before: int | None = None, limit: int
) -> tuple[OwnBot, ...]:
    """The account's newest bots, of those with a lower id than `before`."""
    query = select(model.Bot).where(model.Bot.user_id == account.id)
    if before is not None:
        query = query.where(model.Bot.id < before)
    query = query.order_by(model.Bot.id.desc()).limit(limit)
    return _all_own(session, session.scalars(query).all())


def own(session: Session, account: Account, bot_id: int) -> OwnBot:
    """One of the account's bots. Raises NotFound."""
    return _all_own(session, [owned.own_bot(session, account, bot_id)])[0]


def own_version(session: Session, account: Account, bot_id: int, version_id: int) -> OwnVersion:
    """A version of one of the account's bots. Raises NotFound."""
    return _version(owned.own_version(session, account, bot_id, version_id))


def own_versions(
    session: Session,
    account: Account,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = RECENT,
) -> VersionPage:
    """The newest versions with a lower id than `before` of one of its bots. Raises NotFound."""
    bot = owned.own_bot(session, account, bot_id)
    query = select(Version).where(Version.bot_id == bot.id).order_by(Version.id.desc())
    if before is not None:
        query = query.where(Version.id < before)
    found = session.scalars(query.limit(limit + 1)).all()
    shown = tuple(_version(version) for version in found[:limit])
    return VersionPage(shown, shown[-1].id if len(found) > limit else None)


def _all_own(session: Session, bots: Sequence[model.Bot]) -> tuple[OwnBot, ...]:
    recent = _recent(session, [bot.id for bot in bots])
    return tuple(_own(bot, recent[bot.id]) for bot in bots)


def _recent(session: Session, bot_ids: Sequence[int]) -> defaultdict[int, list[Version]]:
    """By bot, its newest versions and the active one."""
    place = func.row_number().over(partition_by=Version.bot_id, order_by=Version.id.desc())
    places = select(Version.id, place.label("place")).where(Version.bot_id.in_(bot_ids)).subquery()
    query = (
        select(Version)
        .join(places, places.c.id == Version.id)
        .where(or_(places.c.place <= RECENT, Version.active))
        .order_by(Version.id.desc())
    )
    found: defaultdict[int, list[Version]] = defaultdict(list)
    for version in session.scalars(query):
        found[version.bot_id].append(version)
    return found


def _own(bot: model.Bot, versions: Sequence[Version]) -> OwnBot:
    return OwnBot(
        id=bot.id,
        name=bot.name,
        state=bot.state,
        pause_reason=bot.pause_reason,
        barred=bot.barred,
        offline_since=bot.offline_since,
        slots=bot.slots,
        faulted_in_a_row=bot.faulted_in_a_row,
        joined_version=bot.joined_version,
        has_token=bot.gateway_token_hash is not None,
        versions=tuple(_version(version) for version in versions),
    )


def _version(version: Version) -> OwnVersion:
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
    )
