"""Authors, their bots, and the versions of a bot: a version is what plays."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ladder.database.models.base import Base


class User(Base):
    """A person who owns bots."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime]


class Bot(Base):
    """A bot keeps its place on the ladders through all its versions."""

    __tablename__ = "bots"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str]
    created_at: Mapped[datetime]

    user: Mapped[User] = relationship()
    versions: Mapped[list[Version]] = relationship(
        back_populates="bot", order_by="Version.id.desc()"
    )


class Version(Base):
    """A version of a bot and the address where it answers. At most one a bot is active."""

    __tablename__ = "versions"
    __table_args__ = (
        UniqueConstraint("bot_id", "name"),
        Index(
            "uq_versions_active",
            "bot_id",
            unique=True,
            sqlite_where=text("active"),
            postgresql_where=text("active"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    name: Mapped[str]
    address: Mapped[str]
    active: Mapped[bool]
    created_at: Mapped[datetime]

    bot: Mapped[Bot] = relationship(back_populates="versions")
