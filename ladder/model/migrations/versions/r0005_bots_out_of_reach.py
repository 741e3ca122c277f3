"""Since when a bot has been out of reach, and when it is looked for again."""

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision = "r0004"
branch_labels = None
depends_on = None

_COLUMNS = ("unreached_since", "probe_at")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("bots", sa.Column(name, sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        for name in _COLUMNS:
            batch.drop_column(name)
