"""Matches are looked up by kind and state: the first of a kind that waits."""

from alembic import op

revision = "r0008"
down_revision = "r0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_matches_kind_state_id", "matches", ["kind", "state", "id"])


def downgrade() -> None:
    op.drop_index("ix_matches_kind_state_id", "matches")
