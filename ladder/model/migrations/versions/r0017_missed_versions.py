"""Since when a version is missed that is no longer, or not yet, its bot's active one."""

import sqlalchemy as sa
from alembic import op

revision = "r0017"
down_revision = "r0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("unreached_since", sa.DateTime(timezone=True)))


def downgrade() -> None:
    with op.batch_alter_table("versions") as batch:
        batch.drop_column("unreached_since")
