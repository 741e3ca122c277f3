"""An index of the analyses of casual games that failed, as that of matches has: few among many."""

import sqlalchemy as sa
from alembic import op

revision = "r0042"
down_revision = "r0041"
branch_labels = None
depends_on = None

_FAILED = sa.text("failed IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_casual_analyses_failed",
        "casual_analyses",
        ["failed_at"],
        sqlite_where=_FAILED,
        postgresql_where=_FAILED,
    )


def downgrade() -> None:
    op.drop_index("ix_casual_analyses_failed", "casual_analyses")
