"""Analyses of matches: why each game was won."""

import sqlalchemy as sa
from alembic import op

revision = "r0028"
down_revision = "r0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("engine", sa.Integer(), nullable=True),
        sa.Column("looks", sa.Integer(), nullable=True),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed", sa.String(), nullable=True),
        sa.Column("failed_engine", sa.Integer(), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_analyses_match_id_matches"),
        sa.PrimaryKeyConstraint("match_id", name="pk_analyses"),
    )
    op.create_index("ix_analyses_made_at", "analyses", ["made_at"])


def downgrade() -> None:
    op.drop_table("analyses")
