"""From when on a tournament waits for who is missing: its start, or the end of its last pause."""

import sqlalchemy as sa
from alembic import op

revision = "r0018"
down_revision = "r0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("waiting_since", sa.DateTime(timezone=True)))
    op.execute("UPDATE tournaments SET waiting_since = started_at")


def downgrade() -> None:
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("waiting_since")
