"""The time that a bot has to accept a game; ten seconds until now."""

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("start_up_ms", sa.Integer(), nullable=False, server_default="10000")
    op.add_column("matches", column)


def downgrade() -> None:
    op.drop_column("matches", "start_up_ms")
