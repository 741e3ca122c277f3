"""Who holds a place of those that are there for new versions: whoever is checked, or plays a trial.

A trial that waits for its opponents holds none. One version of an owner at a time, and all together
no more than their part of the places.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, and_, func, or_, select
from sqlalchemy.orm import Session

from ladder.jobs import workers
from ladder.jobs.room import part_of
from ladder.model import Bot, Version, VersionState

PART: Final = 10
"""Versions that are being validated take one place in so many; one may always be."""


def holds_place(version: type[Version] = Version) -> ColumnElement[bool]:
    """Whether it is checked, or has a trial match."""
    return or_(version.state == VersionState.CHECKING, _on_trial(version))


def on_trial(session: Session) -> int:
    """How many versions have a trial match."""
    return session.scalars(select(func.count()).select_from(Version).where(_on_trial())).one()


def room(session: Session) -> int:
    """How many more versions may be validated at this time; none if workers have left."""
    busy = select(func.count()).select_from(Version).where(holds_place())
    return max(0, part_of(workers.places(session), PART) - session.scalars(busy).one())


def may_go_on(session: Session, version: Version) -> bool:
    """Whether a version that holds no place may take one: there is room, and its owner has none."""
    of_owner = (
        select(Version.id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.user_id == version.bot.user_id, holds_place())
    )
    return room(session) >= 1 and session.scalars(of_owner.limit(1)).one_or_none() is None


def _on_trial(version: type[Version] = Version) -> ColumnElement[bool]:
    return and_(version.state == VersionState.TRIAL, version.trial_match_id.is_not(None))
