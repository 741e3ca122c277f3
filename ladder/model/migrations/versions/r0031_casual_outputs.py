"""What hosted bots wrote in casual games."""

import sqlalchemy as sa
from alembic import op

revision = "r0031"
down_revision = "r0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "casual_outputs",
        sa.Column("game_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("output", sa.LargeBinary(), nullable=False),
        sa.Column("errors", sa.LargeBinary(), nullable=False),
        sa.Column("peak_memory", sa.BigInteger()),
        sa.Column("cpu_ms", sa.Integer()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_casual_outputs"),
        sa.ForeignKeyConstraint(
            ["game_id", "seat"],
            ["casual_seats.game_id", "casual_seats.seat"],
            name="fk_casual_outputs_game_id_seat",
        ),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_casual_outputs_bot_id"),
    )
    op.create_index("ix_casual_outputs_bot_id_game_id", "casual_outputs", ["bot_id", "game_id"])


def downgrade() -> None:
    op.drop_table("casual_outputs")
