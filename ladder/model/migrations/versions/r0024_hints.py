"""Hints for people in casual games: how many a seat has had, and the newest one."""

import sqlalchemy as sa
from alembic import op

revision = "r0024"
down_revision = "r0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("casual_seats") as batch:
        batch.add_column(sa.Column("hints", sa.Integer(), server_default="0", nullable=False))
        batch.add_column(sa.Column("hint", sa.String()))
        batch.add_column(sa.Column("hint_for", sa.Integer()))


def downgrade() -> None:
    with op.batch_alter_table("casual_seats") as batch:
        for name in ("hint_for", "hint", "hints"):
            batch.drop_column(name)
