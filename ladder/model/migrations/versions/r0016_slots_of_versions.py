"""How many games a version plays at once, and how many a bot offers at the gateway."""

import sqlalchemy as sa
from alembic import op

revision = "r0016"
down_revision = "r0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("slots", sa.Integer()))
    op.add_column("bots", sa.Column("joined_slots", sa.Integer()))


def downgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("joined_slots")
    with op.batch_alter_table("versions") as batch:
        batch.drop_column("slots")
