"""Whether a bot was paused by an admin so that only an admin resumes it."""

import sqlalchemy as sa
from alembic import op

revision = "r0012"
down_revision = "r0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "bots",
        sa.Column("barred", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )


def downgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("barred")
