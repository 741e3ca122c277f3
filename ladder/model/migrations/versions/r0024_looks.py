"""When a version was last looked for in vain."""

import sqlalchemy as sa
from alembic import op

revision = "r0024"
down_revision = "r0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("looked_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    with op.batch_alter_table("versions") as batch:
        batch.drop_column("looked_at")
