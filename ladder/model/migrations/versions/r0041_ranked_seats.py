"""An index of each bot's results, however many of its matches wait or were cancelled.

It holds the rank so that SQLite takes it, not the index of all seats, for a list of matches alone.
"""

import sqlalchemy as sa
from alembic import op

revision = "r0041"
down_revision = "r0040"
branch_labels = None
depends_on = None

_RANKED = sa.text("rank IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_seats_ranked",
        "seats",
        ["bot_id", "match_id", "rank"],
        sqlite_where=_RANKED,
        postgresql_where=_RANKED,
    )


def downgrade() -> None:
    op.drop_index("ix_seats_ranked", "seats")
