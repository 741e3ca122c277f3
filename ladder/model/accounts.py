"""People: their accounts, sign-ins, tokens and notices, and the audit."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ladder.model.base import Base, sql_list, stored


class User(Base):
    """A person who owns bots; without a password nobody can sign in.

    A deleted account keeps its row, so that the games of its bots stay; its name goes.
    """

    __tablename__ = "users"
    __table_args__ = (sa.CheckConstraint("role IN ('author', 'organiser', 'admin')", "role"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    role: Mapped[str] = mapped_column(server_default="author")
    password_hash: Mapped[str | None]
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]


class SignIn(Base):
    """A browser that is signed in. Of its secret only the SHA-256 (hexadecimal) is kept."""

    __tablename__ = "sign_ins"
    __table_args__ = (sa.Index(None, "user_id"),)

    secret_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]

    user: Mapped[User] = relationship()


class ApiToken(Base):
    """A program that acts for a user, within scopes (words with spaces between).

    A token from before tokens had an end has none.
    """

    __tablename__ = "api_tokens"
    __table_args__ = (sa.Index(None, "user_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id"))
    name: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[str]
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    user: Mapped[User] = relationship()


class ResetLink(Base):
    """A link by which a user sets a new password, once. An admin makes it and hands it over."""

    __tablename__ = "reset_links"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id"))
    made_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class NoticeTone(StrEnum):
    """How a notice sounds to its reader."""

    GOOD = "good"
    BAD = "bad"
    NEUTRAL = "neutral"


class Notice(Base):
    """A message to an author, such as that a bot was paused and why.

    `sentence` is English; `template` and `fields`, of which it was made (see
    `ladder.people.notices`), are missing in a notice that is older than they are.
    """

    __tablename__ = "notices"
    __table_args__ = (
        sa.CheckConstraint(f"tone IN {sql_list(NoticeTone)}", "tone"),
        sa.Index(None, "user_id", "id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id"))
    bot_id: Mapped[int | None] = mapped_column(sa.ForeignKey("bots.id"))
    tone: Mapped[NoticeTone] = mapped_column(stored(NoticeTone), server_default=NoticeTone.NEUTRAL)
    sentence: Mapped[str]
    template: Mapped[str | None]
    fields: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    created_at: Mapped[datetime]
    read_at: Mapped[datetime | None]


class AuditEntry(Base):
    """An action that needed the role of organiser or admin: who, to what, and why."""

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    action: Mapped[str]
    subject: Mapped[str]
    reason: Mapped[str | None]
    created_at: Mapped[datetime]
