"""The CPU time of bots in casual games in microseconds: many runs take less than a millisecond."""

import sqlalchemy as sa
from alembic import op

revision = "r0037"
down_revision = "r0036"
branch_labels = None
depends_on = None

_ROWS = sa.table("casual_outputs", sa.column("cpu_us"), sa.column("cpu_ms"))


def upgrade() -> None:
    op.add_column("casual_outputs", sa.Column("cpu_us", sa.BigInteger()))
    op.execute(_ROWS.update().values(cpu_us=sa.cast(_ROWS.c.cpu_ms, sa.BigInteger) * 1000))
    op.drop_column("casual_outputs", "cpu_ms")


def downgrade() -> None:
    op.add_column("casual_outputs", sa.Column("cpu_ms", sa.Integer()))
    op.execute(_ROWS.update().values(cpu_ms=sa.cast(_ROWS.c.cpu_us / 1000, sa.Integer)))
    op.drop_column("casual_outputs", "cpu_us")
