"""Casual games, which people play, and their seats."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "r0022"
down_revision = "r0021"
branch_labels = None
depends_on = None

_TIME: Final = sa.DateTime(timezone=True)
_OPEN: Final = sa.text("state IN ('gathering', 'playing')")
_STATES: Final = "state IN ('gathering', 'playing', 'finished', 'closed')"


def upgrade() -> None:
    op.create_table(
        "casual_games",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("pace", sa.String(), nullable=False),
        sa.Column("layout_seed", sa.BigInteger(), nullable=False),
        sa.Column("dice_seed", sa.LargeBinary(), nullable=False),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("move_limit_ms", "bank_ms", "increment_ms", "start_up_ms")
        ),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("deciding", sa.Integer()),
        sa.Column("asked_at", _TIME),
        sa.Column("due_at", _TIME, nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("ended_at", _TIME),
        sa.Column("replay", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("id", name="pk_casual_games"),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name=op.f("ck_casual_games_seats")),
        sa.CheckConstraint(_STATES, name=op.f("ck_casual_games_state")),
        sa.CheckConstraint(
            "pace IN ('none', 'relaxed', 'ladder')", name=op.f("ck_casual_games_pace")
        ),
    )
    op.create_index(
        "ix_casual_games_due",
        "casual_games",
        ["due_at"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_table(
        "casual_seats",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer()),
        sa.Column("key", sa.String()),
        sa.Column("user_id", sa.Integer()),
        sa.Column("nonce", sa.LargeBinary()),
        sa.Column("bank_ms", sa.Integer(), nullable=False),
        sa.Column("left", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_casual_seats"),
        *(
            sa.ForeignKeyConstraint([column], [there], name=f"fk_casual_seats_{column}")
            for column, there in (
                ("game_id", "casual_games.id"),
                ("version_id", "versions.id"),
                ("user_id", "users.id"),
            )
        ),
        sa.UniqueConstraint("key", name="uq_casual_seats_key"),
    )
    op.create_index("ix_casual_seats_user_id", "casual_seats", ["user_id"])


def downgrade() -> None:
    op.execute("DELETE FROM jobs WHERE kind = 'answer'")
    op.drop_table("casual_seats")
    op.drop_table("casual_games")
