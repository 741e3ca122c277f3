"""The end of an API token; those that exist have none."""

import sqlalchemy as sa
from alembic import op

revision = "r0022"
down_revision = "r0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("expires_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    with op.batch_alter_table("api_tokens") as batch:
        batch.drop_column("expires_at")
