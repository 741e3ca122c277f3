"""What a notice says as a template with its fields, to say it in the reader's language."""

import sqlalchemy as sa
from alembic import op

revision = "r0015"
down_revision = "r0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("notices", sa.Column("template", sa.String()))
    op.add_column("notices", sa.Column("fields", sa.JSON()))


def downgrade() -> None:
    with op.batch_alter_table("notices") as batch:
        batch.drop_column("fields")
        batch.drop_column("template")
