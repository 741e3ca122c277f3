"""Bots and their versions: a version is what plays. The moves of their states."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from ladder.model import states
from ladder.model.accounts import User
from ladder.model.base import Base, index_where, sql_list, stored
from ladder.model.engine import execute, write
from ladder.model.states import BOT_MOVES, BotState, Conduct, VersionState, check_move

_HAS_TOKEN: Final = sa.text("gateway_token_hash IS NOT NULL")


class Bot(Base):
    """A bot keeps its name and its place on the ladders through all its versions.

    A pinned bot is the ladders' anchor: its rating never moves. A barred one was paused by an
    admin, and only an admin resumes it. A house bot is the operator's own and runs beside the
    workers. If it is `open_to_people`, its author lets people play casual games with it; house bots
    do anyway. Faults, slots and presence are those of its versions.
    """

    __tablename__ = "bots"
    __table_args__ = (
        sa.UniqueConstraint("user_id", "name"),
        sa.CheckConstraint(f"state IN {sql_list(BotState)}", "state"),
        # Not unique on its own: on PostgreSQL its change would wait for all new rows of the bot.
        index_where(_HAS_TOKEN, "uq_bots_gateway_token", "gateway_token_hash", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id"))
    name: Mapped[str]
    state: Mapped[BotState] = mapped_column(stored(BotState), server_default=BotState.ACTIVE)
    pause_reason: Mapped[str | None]
    barred: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    pinned: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    house: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    open_to_people: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    gateway_token_hash: Mapped[str | None]
    usual_think_ms: Mapped[int | None]
    """How long it has thought in recent matches; None before its first one."""
    last_match_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    user: Mapped[User] = relationship()
    versions: Mapped[list[Version]] = relationship(
        back_populates="bot", order_by="Version.id.desc()"
    )


_ACTIVE: Final = sa.text(f"state = '{VersionState.ACTIVE}'")
_GIVEN_UP: Final = " (rejected "


def name_given_up(name: str, version_id: int) -> str:
    """Rename a rejected version whose name is submitted again: names are unique."""
    return f"{name}{_GIVEN_UP}{version_id})"


def submitted_name(name: str) -> str:
    """Return the name as it was submitted; no author's name has brackets."""
    return name.partition(_GIVEN_UP)[0]


class Version(Base):
    """A version of a bot and the address where it answers. At most one of a bot is active.

    Until it has been checked it has a row in `jobs`, which says who may check it. `report` is the
    conformance suite's (JSON), `secret` is shared with the bot, encrypted.
    `trial_match_id` is the newest of its `trials`, the unrated matches that it plays after that.

    `slots` is how many games it plays at once, at most; behind the gateway its lines say so.
    `offline_since` is set when it could not be reached, and cleared when it is back;
    `unreached_since` lasts until it has played a game again; at `probe_at` a worker looks for it;
    at `looked_at` it was last called or looked for in vain.
    After too many rated games with a fault in a row, the ladder suspends it (`conduct`), for the
    reason in `suspension`.

    An uploaded version has a `package` under the file name `package_name`, and the `bundle` that
    was last built of it at `built_at`: both are SHA-256 of blobs. `difference` says what differed
    if it was built twice and came out otherwise. Its source is published if it has a `licence`.
    Its author may remove the package of a version that no longer plays.
    """

    __tablename__ = "versions"
    __table_args__ = (
        sa.UniqueConstraint("bot_id", "name"),
        sa.CheckConstraint(f"state IN {sql_list(VersionState)}", "state"),
        sa.CheckConstraint(f"conduct IN {sql_list(Conduct)}", "conduct"),
        sa.CheckConstraint("slots >= 1", "slots"),
        index_where(_ACTIVE, "uq_versions_active", "bot_id", unique=True),
        sa.Index(None, "state"),
        sa.Index(None, "package"),
        sa.Index(None, "bundle"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    name: Mapped[str]
    language: Mapped[str | None]
    address: Mapped[str]
    secret: Mapped[bytes | None]
    slots: Mapped[int] = mapped_column(server_default="2")
    state: Mapped[VersionState] = mapped_column(stored(VersionState))
    reason: Mapped[str | None]
    conduct: Mapped[Conduct] = mapped_column(stored(Conduct), server_default=Conduct.GOOD)
    suspension: Mapped[str | None]
    faulted_in_a_row: Mapped[int] = mapped_column(server_default="0")
    report: Mapped[str | None]
    trial_match_id: Mapped[int | None]
    trials: Mapped[int] = mapped_column(server_default="0")
    offline_since: Mapped[datetime | None]
    unreached_since: Mapped[datetime | None]
    probe_at: Mapped[datetime | None]
    looked_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    package: Mapped[str | None] = mapped_column(sa.ForeignKey("blobs.sha256"))
    package_name: Mapped[str | None]
    package_removed_at: Mapped[datetime | None]
    bundle: Mapped[str | None] = mapped_column(sa.ForeignKey("blobs.sha256"))
    runtime: Mapped[str | None]
    difference: Mapped[str | None]
    licence: Mapped[str | None]
    built_at: Mapped[datetime | None]
    checked_at: Mapped[datetime | None]
    activated_at: Mapped[datetime | None]

    bot: Mapped[Bot] = relationship(back_populates="versions")

    @property
    def submitted_name(self) -> str:
        """The name as it was submitted: a rejected version gives it up to the next one."""
        return submitted_name(self.name)

    @hybrid_property
    def active(self) -> bool:
        """True if the version plays for the bot now."""
        return self.state == VersionState.ACTIVE


class Joined(Base):
    """A version that is in at the gateway now, by the name that it states.

    It may be one that was not submitted yet. `slots` is how many games its lines offer.
    """

    __tablename__ = "joined"

    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    version: Mapped[str] = mapped_column(primary_key=True)
    slots: Mapped[int]
    joined_at: Mapped[datetime]


def change_rows(
    session: Session, table: type[Bot | Version], which: sa.ColumnElement[bool], **values: Any
) -> None:
    """Set columns of these bots or versions, which stay locked until the end of the transaction.

    They are locked in the order of their ids, as claims lock them: a statement that changes several
    rows locks them as they happen to lie, and two of these could wait for each other. Change bots
    before their versions. Objects in the session do not see the change.
    """
    write(session)
    query = sa.select(table.id).where(which).order_by(table.id).with_for_update(key_share=True)
    ids = session.scalars(query).all()
    if ids:
        execute(session, sa.update(table).where(table.id.in_(ids)).values(values))


def move_version(version: Version, to: VersionState, reason: str | None = None) -> None:
    """Move a version, and tell its author the reason if one is given (a sentence).

    Raises ValueError if it may not move so.
    """
    check_move("version", states.VERSION_MOVES, version.state, to)
    version.state = to
    version.reason = reason or version.reason


def move_conduct(version: Version, to: Conduct, reason: str | None = None) -> None:
    """Suspend a version from the ladder for a reason (a sentence), or end that."""
    version.conduct, version.suspension = to, reason


def shown_state() -> sa.ColumnElement[BotState]:
    """Select the state that everybody sees: paused, too, while its active version is suspended."""
    rests = sa.and_(Bot.state == BotState.ACTIVE, Version.conduct == Conduct.SUSPENDED)
    return sa.case((rests, sa.literal(BotState.PAUSED, Bot.state.type)), else_=Bot.state)


def move_bot(bot: Bot, to: BotState, reason: str | None = None) -> None:
    """Move a bot; do nothing but note the reason if it is in that state already.

    `reason`: why it is paused, if the referee or an admin pauses it. Raises ValueError if the bot
    is retired.
    """
    if bot.state is not to:
        check_move("bot", BOT_MOVES, bot.state, to)
        bot.state = to
    bot.pause_reason = reason
