"""Analyses of casual games, for who played them."""

import sqlalchemy as sa
from alembic import op

revision = "r0033"
down_revision = "r0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "casual_analyses",
        sa.Column("game_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("engine", sa.Integer(), nullable=True),
        sa.Column("looks", sa.Integer(), nullable=True),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed", sa.String(), nullable=True),
        sa.Column("failed_engine", sa.Integer(), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["game_id"], ["casual_games.id"], name="fk_casual_analyses_game_id_casual_games"
        ),
        sa.PrimaryKeyConstraint("game_id", name="pk_casual_analyses"),
    )


def downgrade() -> None:
    op.drop_table("casual_analyses")
