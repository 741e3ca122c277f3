"""An author's own bots, with all that is nobody else's business."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from ladder.accounts import Account
from ladder.bots.keeping import UNDER_VALIDATION
from ladder.bots.owned import own_bot
from ladder.bots.reports import Report
from ladder.database import models
from ladder.errors import NotFound
from referee.ways import bot_behind_gateway


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """A version as its author sees it; `state` as in `database.models.Version`.

    `report` is what the conformance suite found, `trial` the id of its newest trial match.
    """

    id: int
    name: str
    state: str
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
    """A bot as its author sees it. `versions`: newest first.

    `barred`: only an admin can resume it. `joined_version` is what a bot tells that has dialled
    into the gateway, while it is in.
    """

    id: int
    name: str
    state: str
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
        return next((version for version in self.versions if version.state == "active"), None)

    @property
    def behind_gateway(self) -> bool:
        """Whether its newest version comes through the gateway."""
        return bool(self.versions) and bot_behind_gateway(self.versions[0].address) is not None

    def version(self, version_id: int) -> OwnVersion:
        """One of its versions; raises NotFound."""
        for version in self.versions:
            if version.id == version_id:
                return version
        raise NotFound("%(bot)s has no version %(version)s", bot=self.name, version=version_id)


def mine(session: Session, account: Account) -> tuple[OwnBot, ...]:
    """The account's bots by name; those that are retired last."""
    query = (
        select(models.Bot)
        .options(selectinload(models.Bot.versions))
        .where(models.Bot.user_id == account.id)
        .order_by(models.Bot.state == "retired", models.Bot.name)
    )
    return tuple(_own(bot) for bot in session.scalars(query).all())


def own(session: Session, account: Account, bot_id: int) -> OwnBot:
    """One of the account's bots. Raises NotFound."""
    return _own(own_bot(session, account, bot_id))


def _own(bot: models.Bot) -> OwnBot:
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
        versions=tuple(_version(version) for version in bot.versions),
    )


def _version(version: models.Version) -> OwnVersion:
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
