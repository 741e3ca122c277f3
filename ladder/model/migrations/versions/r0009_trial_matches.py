"""A version knows its trial match, and how many it had."""

import sqlalchemy as sa
from alembic import op

revision = "r0009"
down_revision = "r0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("trial_match_id", sa.Integer(), nullable=True))
    op.add_column("versions", sa.Column("trials", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("versions") as batch:
        batch.drop_column("trials")
        batch.drop_column("trial_match_id")
