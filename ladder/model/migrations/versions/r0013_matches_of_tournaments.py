"""The newest matches of a tournament, and its annulled ones, are found by indexes of their own."""

import sqlalchemy as sa
from alembic import op

revision = "r0013"
down_revision = "r0012"
branch_labels = None
depends_on = None

_TOURNAMENTS = sa.text("tournament_id IS NOT NULL")
_ANNULLED = sa.text("annulled_at IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_matches_of_tournaments",
        "matches",
        ["tournament_id", "id"],
        sqlite_where=_TOURNAMENTS,
        postgresql_where=_TOURNAMENTS,
    )
    op.create_index(
        "ix_matches_annulled",
        "matches",
        ["tournament_id"],
        sqlite_where=_ANNULLED,
        postgresql_where=_ANNULLED,
    )


def downgrade() -> None:
    op.drop_index("ix_matches_annulled", "matches")
    op.drop_index("ix_matches_of_tournaments", "matches")
