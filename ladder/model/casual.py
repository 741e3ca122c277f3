"""Casual games, which people play, and their seats. The moves of their states."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ladder.model.accounts import User
from ladder.model.base import Base, index_where, sql_list, stored
from ladder.model.bots import Version
from ladder.model.states import CASUAL_MOVES, CasualPace, CasualState, check_move

_OPEN = sa.text(f"state IN ('{CasualState.GATHERING}', '{CasualState.PLAYING}')")


class CasualGame(Base):
    """A game with people at the table, stored after each move: no process holds it.

    `entries` are those of its replay so far, an encoded Replay without rolls, which follow from the
    seed. `decisions` counts the choices in it: a choice is for one decision, and is made once.
    `deciding` is the seat that has to choose, since `asked_at`; at `due_at` its time is over. The
    `replay` is written when the game ends, and reveals the seed.
    """

    __tablename__ = "casual_games"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.CheckConstraint(f"state IN {sql_list(CasualState)}", "state"),
        sa.CheckConstraint(f"pace IN {sql_list(CasualPace)}", "pace"),
        index_where(_OPEN, "ix_casual_games_due", "due_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    seats: Mapped[int]
    state: Mapped[CasualState] = mapped_column(stored(CasualState))
    pace: Mapped[CasualPace] = mapped_column(stored(CasualPace))
    layout_seed: Mapped[int] = mapped_column(sa.BigInteger)
    dice_seed: Mapped[bytes] = mapped_column(sa.LargeBinary)
    move_limit_ms: Mapped[int]
    bank_ms: Mapped[int]
    increment_ms: Mapped[int]
    start_up_ms: Mapped[int]
    entries: Mapped[bytes] = mapped_column(sa.LargeBinary, default=b"")
    decisions: Mapped[int] = mapped_column(default=0)
    deciding: Mapped[int | None]
    asked_at: Mapped[datetime | None]
    due_at: Mapped[datetime]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    rematch_of: Mapped[int | None] = mapped_column(sa.ForeignKey("casual_games.id"), unique=True)
    """The game that this one repeats on the same layout, with the seats turned by one."""
    replay: Mapped[bytes | None] = mapped_column(sa.LargeBinary, deferred=True)

    table: Mapped[list[CasualSeat]] = relationship(
        order_by="CasualSeat.seat", lazy="selectin", cascade="all, delete-orphan"
    )


class CasualSeat(Base):
    """A seat of a casual game: a bot's if it has a version, else a person's.

    Whoever holds the `key` plays the seat, on any device; `user_id` is the account of a person who
    was signed in, `guest` the number of one who was not. A friend's key is an invitation until it
    is accepted: then it is kept as `invitation`, and the seat gets a key that nobody else knows.

    A person has accepted the game once there is a `nonce`. Who has `left` plays no further
    decision. `bank_ms` is the rest of the seat's bank. `hints` counts those that a person has had;
    the newest one was the move `hint`, for the decision `hint_for`.

    `fault` says (a sentence) why the caretaker plays the seat. `rank` and `vp` are written when the
    game is over.
    """

    __tablename__ = "casual_seats"
    __table_args__ = (sa.Index(None, "user_id"), sa.Index(None, "invitation", unique=True))

    game_id: Mapped[int] = mapped_column(sa.ForeignKey("casual_games.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version_id: Mapped[int | None] = mapped_column(sa.ForeignKey("versions.id"))
    key: Mapped[str | None] = mapped_column(unique=True)
    invitation: Mapped[str | None]
    guest: Mapped[int | None]
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    nonce: Mapped[bytes | None] = mapped_column(sa.LargeBinary)
    bank_ms: Mapped[int]
    left: Mapped[bool] = mapped_column(server_default=sa.text("false"), default=False)
    hints: Mapped[int] = mapped_column(server_default="0", default=0)
    hint: Mapped[str | None]
    hint_for: Mapped[int | None]
    fault: Mapped[str | None]
    rank: Mapped[int | None]
    vp: Mapped[int | None]

    version: Mapped[Version | None] = relationship(lazy="joined")
    user: Mapped[User | None] = relationship(lazy="joined")

    @property
    def is_bot(self) -> bool:
        """True if a bot plays the seat."""
        return self.version_id is not None


class CasualOutput(Base):
    """The output of a hosted bot in a casual game, for its author alone, and what it used.

    As `SeatOutput` in a match, but added up over all runs of its moves, `cpu_us` in microseconds;
    `at` is the newest one.
    """

    __tablename__ = "casual_outputs"
    __table_args__ = (
        sa.ForeignKeyConstraint(["game_id", "seat"], ["casual_seats.game_id", "casual_seats.seat"]),
        sa.Index(None, "bot_id", "game_id"),
    )

    game_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    output: Mapped[bytes] = mapped_column(sa.LargeBinary)
    errors: Mapped[bytes] = mapped_column(sa.LargeBinary)
    peak_memory: Mapped[int | None] = mapped_column(sa.BigInteger)
    cpu_us: Mapped[int | None] = mapped_column(sa.BigInteger)
    at: Mapped[datetime]


def move_casual(game: CasualGame, to: CasualState) -> None:
    """Move a casual game. Raises ValueError if it may not move so."""
    check_move("casual game", CASUAL_MOVES, game.state, to)
    game.state = to
