"""Forfeits at tables of three and four, and withdrawals from tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "r0021"
down_revision = "r0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "seats",
        sa.Column("absent", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column(
        "tournaments", sa.Column("made", sa.Integer(), server_default="0", nullable=False)
    )
    op.execute("UPDATE tournaments SET made = total * round / rounds")
    with op.batch_alter_table("tournament_entries") as batch:
        batch.add_column(sa.Column("state", sa.String(), server_default="entered", nullable=False))
        batch.create_check_constraint(
            op.f("ck_tournament_entries_state"), "state IN ('entered', 'withdrawn')"
        )


def downgrade() -> None:
    with op.batch_alter_table("tournament_entries") as batch:
        batch.drop_constraint(op.f("ck_tournament_entries_state"), type_="check")
        batch.drop_column("state")
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("made")
    with op.batch_alter_table("seats") as batch:
        batch.drop_column("absent")
