"""Which version a bot behind the gateway said that it is, when it dialled in last.

Revision ID: r0006
Revises: r0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0006"
down_revision = "r0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("bots", sa.Column("joined_version", sa.String(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("joined_version")
