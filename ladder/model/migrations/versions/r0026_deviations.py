"""Deviations of ratings, and the rule by which the ledger was folded.

What is stored still follows the rule before. The scheduler folds the ledger anew in the background
(`ladder.ratings.rebuilding.renew`): a start must not wait for a million matches.
"""

import sqlalchemy as sa
from alembic import op

revision = "r0026"
down_revision = "r0025"
branch_labels = None
depends_on = None

_UNKNOWN = "350000"  # until the ledger has been folded anew, nobody's rating says anything
_ADDED = (
    ("ledger", "rule", "0"),
    ("rating_changes", "before_deviation_milli", "0"),
    ("rating_changes", "after_deviation_milli", "0"),
    ("ladder_places", "deviation_milli", _UNKNOWN),
)


def upgrade() -> None:
    for table, name, default in _ADDED:
        op.add_column(table, sa.Column(name, sa.Integer(), server_default=default, nullable=False))
    op.execute("UPDATE ledger SET rule = 1 WHERE last_result = 0")
    op.execute(
        "UPDATE ladder_places SET deviation_milli = 0"
        " WHERE bot_id IN (SELECT id FROM bots WHERE pinned)"
    )


def downgrade() -> None:
    for table, name, _ in reversed(_ADDED):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(name)
