"""The matches of a round are found by an index of their own."""

import sqlalchemy as sa
from alembic import op

revision = "r0014"
down_revision = "r0013"
branch_labels = None
depends_on = None

_ROUNDS = sa.text("round IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_matches_of_rounds",
        "matches",
        ["tournament_id", "round"],
        sqlite_where=_ROUNDS,
        postgresql_where=_ROUNDS,
    )


def downgrade() -> None:
    op.drop_index("ix_matches_of_rounds", "matches")
