"""Favours: what the decisions in a rated match gave other seats."""

import sqlalchemy as sa
from alembic import op

revision = "r0027"
down_revision = "r0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "favours",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("milli", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_favours_match_id_matches"),
        sa.PrimaryKeyConstraint("match_id", name="pk_favours"),
    )


def downgrade() -> None:
    op.drop_table("favours")
