"""Gateway tokens that can change while somebody adds rows of a bot.

On PostgreSQL a change of a column that foreign keys could name waits for all who have added rows
that refer to its row. An index that holds some rows alone is none that they could name.
"""

import sqlalchemy as sa
from alembic import op

revision = "r0040"
down_revision = "r0039"
branch_labels = None
depends_on = None

_HAS_TOKEN = sa.text("gateway_token_hash IS NOT NULL")


def upgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.drop_constraint(op.f("uq_bots_gateway_token_hash"), type_="unique")
    op.create_index(
        "uq_bots_gateway_token",
        "bots",
        ["gateway_token_hash"],
        unique=True,
        sqlite_where=_HAS_TOKEN,
        postgresql_where=_HAS_TOKEN,
    )


def downgrade() -> None:
    op.drop_index("uq_bots_gateway_token", "bots")
    with op.batch_alter_table("bots") as batch:
        batch.create_unique_constraint(op.f("uq_bots_gateway_token_hash"), ["gateway_token_hash"])
