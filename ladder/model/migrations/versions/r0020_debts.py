"""Matches of the ladder that bots owe, misses, and their kind of ledger entry."""

import sqlalchemy as sa
from alembic import op

revision = "r0020"
down_revision = "r0019"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_KINDS = "kind IN ('result', 'inheritance', 'annulment', 'pin'{})"
_MISSED = sa.text("misses > 0")


def upgrade() -> None:
    op.create_table(
        "debts",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), server_default="match", nullable=False),
        sa.Column("since", _TIME, nullable=False),
        sa.Column("misses", sa.Integer(), server_default="0", nullable=False),
        sa.Column("missed_at", _TIME),
        sa.PrimaryKeyConstraint("match_id", "bot_id", name="pk_debts"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_debts_bot_id"),
        sa.ForeignKeyConstraint(
            ["kind", "match_id"],
            ["jobs.kind", "jobs.subject"],
            name="fk_debts_kind_match_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_debts_bot_id", "debts", ["bot_id"])
    missed = sa.Column("misses", sa.Integer(), server_default="0", nullable=False)
    op.add_column("seats", missed)
    op.create_index(
        "ix_seats_missed",
        "seats",
        ["bot_id", "match_id"],
        sqlite_where=_MISSED,
        postgresql_where=_MISSED,
    )
    _allow(_KINDS.format(", 'missed'"))


def downgrade() -> None:
    op.execute("DELETE FROM rating_changes WHERE kind = 'missed'")
    _allow(_KINDS.format(""))
    op.drop_index("ix_seats_missed", "seats")
    with op.batch_alter_table("seats") as batch:
        batch.drop_column("misses")
    op.drop_table("debts")


def _allow(kinds: str) -> None:
    """Replace the constraint on kinds, whose name depends on the database's age."""
    checks = sa.inspect(op.get_bind()).get_check_constraints("rating_changes")
    with op.batch_alter_table("rating_changes") as batch:
        for check in checks:
            if "annulment" in check["sqltext"]:
                batch.drop_constraint(op.f(str(check["name"])), type_="check")
        batch.create_check_constraint(op.f("ck_rating_changes_kind"), kinds)
