"""Indexes by which puzzles are chosen, and failed analyses counted, without reading the rest."""

import sqlalchemy as sa
from alembic import op

revision = "r0036"
down_revision = "r0035"
branch_labels = None
depends_on = None

_FAILED = sa.text("failed IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        "ix_puzzles_state_kind_opened_at_id", "puzzles", ["state", "kind", "opened_at", "id"]
    )
    op.create_index(
        "ix_analyses_failed",
        "analyses",
        ["failed_at"],
        sqlite_where=_FAILED,
        postgresql_where=_FAILED,
    )


def downgrade() -> None:
    op.drop_index("ix_analyses_failed", "analyses")
    op.drop_index("ix_puzzles_state_kind_opened_at_id", "puzzles")
