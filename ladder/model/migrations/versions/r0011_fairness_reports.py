"""The reports on the fairness of the ladders are kept, so that their page costs one row."""

import sqlalchemy as sa
from alembic import op

revision = "r0011"
down_revision = "r0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fairness_reports",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("last_result", sa.Integer(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("seats", name="pk_fairness_reports"),
    )


def downgrade() -> None:
    op.drop_table("fairness_reports")
