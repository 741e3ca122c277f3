"""An index of the deals of each ladder, the newest of which matchmaking asks for all the time."""

import sqlalchemy as sa
from alembic import op

revision = "r0035"
down_revision = "r0034"
branch_labels = None
depends_on = None

_DEALS = sa.text("kind = 'ladder' AND rotation = 0")


def upgrade() -> None:
    op.create_index(
        "ix_matches_ladder_deals",
        "matches",
        ["seats", "id", "created_at"],
        sqlite_where=_DEALS,
        postgresql_where=_DEALS,
    )


def downgrade() -> None:
    op.drop_index("ix_matches_ladder_deals", "matches")
