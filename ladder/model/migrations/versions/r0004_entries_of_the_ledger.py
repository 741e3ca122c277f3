"""Whom a version inherited from, pinned ratings, and tributes by table."""

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations

revision = "r0004"
down_revision = "r0003"
branch_labels = None
depends_on = None

_KINDS = "kind IN ('result', 'inheritance', 'annulment', 'pin')"
_KINDS_BEFORE = "kind IN ('result', 'inheritance', 'annulment')"
_MATCH = "kind IN ('inheritance', 'pin') OR match_id IS NOT NULL"
_MATCH_BEFORE = "kind = 'inheritance' OR match_id IS NOT NULL"


def upgrade() -> None:
    op.add_column("seats", sa.Column("tributes", sa.String(), nullable=True))
    with op.batch_alter_table("rating_changes") as batch:
        batch.add_column(sa.Column("from_version_id", sa.Integer(), nullable=True))
        batch.create_foreign_key(
            "fk_rating_changes_from_version_id", "versions", ["from_version_id"], ["id"]
        )
        _check(batch, _KINDS, _MATCH)
    op.execute(
        "UPDATE rating_changes SET from_version_id = (SELECT MAX(id) FROM versions"
        " WHERE versions.bot_id = rating_changes.bot_id"
        " AND versions.id < rating_changes.version_id) WHERE kind = 'inheritance'"
    )


def downgrade() -> None:
    op.execute("DELETE FROM rating_changes WHERE kind = 'pin'")
    with op.batch_alter_table("rating_changes") as batch:
        _check(batch, _KINDS_BEFORE, _MATCH_BEFORE)
        batch.drop_constraint("fk_rating_changes_from_version_id", type_="foreignkey")
        batch.drop_column("from_version_id")
    with op.batch_alter_table("seats") as batch:
        batch.drop_column("tributes")


def _check(batch: BatchOperations, kinds: str, match: str) -> None:
    for name, condition in (("ck_rating_changes_kind", kinds), ("ck_rating_changes_match", match)):
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, condition)
