"""The third rule of rating (`ladder.ratings.elo`), for ledgers without entries.

The scheduler folds all others anew in the background (`ladder.ratings.rebuilding.renew`).
"""

from alembic import op

revision = "r0039"
down_revision = "r0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE ledger SET rule = 3 WHERE last_result = 0")


def downgrade() -> None:
    op.execute("UPDATE ledger SET rule = 2 WHERE last_result = 0")
