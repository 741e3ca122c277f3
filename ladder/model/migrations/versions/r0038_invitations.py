"""Seats of casual games that were taken by an invitation, and numbers that guests keep."""

import sqlalchemy as sa
from alembic import op

revision = "r0038"
down_revision = "r0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("casual_seats", sa.Column("invitation", sa.String()))
    op.add_column("casual_seats", sa.Column("guest", sa.Integer()))
    op.create_index("ix_casual_seats_invitation", "casual_seats", ["invitation"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_casual_seats_invitation", "casual_seats")
    op.drop_column("casual_seats", "guest")
    op.drop_column("casual_seats", "invitation")
