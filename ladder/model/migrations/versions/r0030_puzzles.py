"""Puzzles: decisions of analysed games in which one move is better by far."""

import sqlalchemy as sa
from alembic import op

from ladder.model.base import Timestamp

revision = "r0030"
down_revision = "r0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "puzzles",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("moment", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("move", sa.String(), nullable=False),
        sa.Column("missed", sa.Boolean(), nullable=False),
        sa.Column("engine", sa.Integer(), nullable=False),
        sa.Column("looks", sa.Integer(), nullable=True),
        sa.Column("level", sa.Integer(), nullable=True),
        sa.Column("margin_milli", sa.Integer(), nullable=True),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("proposed_at", Timestamp(), nullable=False),
        sa.Column("opened_at", Timestamp(), nullable=True),
        sa.CheckConstraint("state IN ('proposed', 'open', 'retired')", name="ck_puzzles_state"),
        sa.CheckConstraint("(state = 'proposed') = (answer IS NULL)", name="ck_puzzles_answer"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_puzzles_match_id_matches"),
        sa.PrimaryKeyConstraint("id", name="pk_puzzles"),
        sa.UniqueConstraint("match_id", "moment", name="uq_puzzles_match_id_moment"),
    )
    op.create_index("ix_puzzles_state_id", "puzzles", ["state", "id"])


def downgrade() -> None:
    op.drop_table("puzzles")
