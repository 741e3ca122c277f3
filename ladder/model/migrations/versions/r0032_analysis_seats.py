"""What analyses say of each seat, for the profiles of bots."""

import sqlalchemy as sa
from alembic import op

revision = "r0032"
down_revision = "r0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analysis_seats",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("loss_milli", sa.Integer(), nullable=False),
        sa.Column("luck_milli", sa.Integer(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_analysis_seats_bot_id_bots"),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name="fk_analysis_seats_match_id_matches"
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_analysis_seats"),
    )
    op.create_index("ix_analysis_seats_bot_id_match_id", "analysis_seats", ["bot_id", "match_id"])


def downgrade() -> None:
    op.drop_table("analysis_seats")
