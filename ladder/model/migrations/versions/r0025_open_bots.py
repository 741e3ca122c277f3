"""Bots whose authors let people play with them; how a seat of a casual game came out."""

import sqlalchemy as sa
from alembic import op

revision = "r0025"
down_revision = "r0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        no = sa.text("false")
        batch.add_column(
            sa.Column("open_to_people", sa.Boolean(), server_default=no, nullable=False)
        )
    with op.batch_alter_table("casual_seats") as batch:
        batch.add_column(sa.Column("fault", sa.String()))
        batch.add_column(sa.Column("rank", sa.Integer()))
        batch.add_column(sa.Column("vp", sa.Integer()))


def downgrade() -> None:
    with op.batch_alter_table("casual_seats") as batch:
        for name in ("vp", "rank", "fault"):
            batch.drop_column(name)
    with op.batch_alter_table("bots") as batch:
        batch.drop_column("open_to_people")
