"""One table of jobs in place of what matches and versions said of their attempts."""

import sqlalchemy as sa
from alembic import op

revision = "r0019"
down_revision = "r0018"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_WAITS = sa.text("lease_until IS NULL")
_RUNS = sa.text("lease_until IS NOT NULL")
_FROM_MATCHES = """
    INSERT INTO jobs (kind, subject, queue, number, token, worker, lease_until, alone, sent_at,
                      not_before)
    SELECT 'match', id, kind, attempt, CASE WHEN state = 'running' THEN token END,
           CASE WHEN state = 'running' THEN claimed_by END, lease_until,
           state = 'running' AND interruptions >= 2, sent_at, not_before
    FROM matches WHERE state IN ('queued', 'running')
"""
_FROM_SEATS = """
    INSERT INTO holdings (kind, subject, party, holds)
    SELECT 'match', matches.id, seats.bot_id, matches.kind = 'ladder'
    FROM matches JOIN seats ON seats.match_id = matches.id WHERE matches.state = 'running'
"""
_FROM_VERSIONS = """
    INSERT INTO jobs (kind, subject, queue, number, token, lease_until, sent_at)
    SELECT 'check', id, 'check', check_attempt,
           CASE WHEN state = 'checking' THEN check_token END, check_lease_until, check_sent_at
    FROM versions WHERE state IN ('submitted', 'checking')
"""
_TO_MATCHES = """
    UPDATE matches SET
        token = (SELECT token FROM jobs WHERE kind = 'match' AND subject = matches.id),
        lease_until = (SELECT lease_until FROM jobs WHERE kind = 'match' AND subject = matches.id),
        sent_at = (SELECT sent_at FROM jobs WHERE kind = 'match' AND subject = matches.id),
        not_before = (SELECT not_before FROM jobs WHERE kind = 'match' AND subject = matches.id)
    WHERE state IN ('queued', 'running')
"""
_TO_VERSIONS = """
    UPDATE versions SET
        check_attempt = (SELECT number FROM jobs WHERE kind = 'check' AND subject = versions.id),
        check_token = (SELECT token FROM jobs WHERE kind = 'check' AND subject = versions.id),
        check_lease_until =
            (SELECT lease_until FROM jobs WHERE kind = 'check' AND subject = versions.id),
        check_sent_at = (SELECT sent_at FROM jobs WHERE kind = 'check' AND subject = versions.id)
    WHERE state IN ('submitted', 'checking')
"""


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("queue", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), server_default="0", nullable=False),
        sa.Column("token", sa.String()),
        sa.Column("worker", sa.String()),
        sa.Column("lease_until", _TIME),
        sa.Column("alone", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("sent_at", _TIME),
        sa.Column("not_before", _TIME),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_jobs"),
        sa.CheckConstraint("(token IS NULL) = (lease_until IS NULL)", name=op.f("ck_jobs_attempt")),
    )
    for name, columns, where in (
        ("ix_jobs_waiting", ["queue", "subject"], _WAITS),
        ("ix_jobs_running", ["queue"], _RUNS),
        ("ix_jobs_of_workers", ["worker"], _RUNS),
        ("ix_jobs_leases", ["lease_until"], _RUNS),
    ):
        op.create_index(name, "jobs", columns, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "holdings",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("party", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("holds", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "subject", "party", name="pk_holdings"),
        sa.ForeignKeyConstraint(
            ["kind", "subject"],
            ["jobs.kind", "jobs.subject"],
            name="fk_holdings_kind_subject",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_holdings_party", "holdings", ["party"])
    for statement in (_FROM_MATCHES, _FROM_SEATS, _FROM_VERSIONS):
        op.execute(statement)
    _drop("matches", "token", "lease_until", "sent_at", "not_before")
    _drop("versions", "check_attempt", "check_token", "check_lease_until", "check_sent_at")


def _drop(table: str, *columns: str) -> None:
    """Drop columns, and the constraint of one of them, whose name depends on the database's age."""
    checks = sa.inspect(op.get_bind()).get_check_constraints(table)
    with op.batch_alter_table(table) as batch:
        for check in checks:
            if "lease_until" in check["sqltext"]:
                batch.drop_constraint(op.f(str(check["name"])), type_="check")
        for column in columns:
            batch.drop_column(column)


def downgrade() -> None:
    with op.batch_alter_table("matches") as batch:
        batch.add_column(sa.Column("token", sa.String()))
        for column in ("lease_until", "sent_at", "not_before"):
            batch.add_column(sa.Column(column, _TIME))
    with op.batch_alter_table("versions") as batch:
        batch.add_column(
            sa.Column("check_attempt", sa.Integer(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("check_token", sa.String()))
        for column in ("check_lease_until", "check_sent_at"):
            batch.add_column(sa.Column(column, _TIME))
    op.execute(_TO_MATCHES)
    op.execute(_TO_VERSIONS)
    with op.batch_alter_table("matches") as batch:
        batch.create_check_constraint(
            op.f("ck_matches_lease"), "(state = 'running') = (lease_until IS NOT NULL)"
        )
    with op.batch_alter_table("versions") as batch:
        batch.create_check_constraint(
            op.f("ck_versions_check_lease"),
            "(state = 'checking') = (check_lease_until IS NOT NULL)",
        )
    op.drop_table("holdings")
    op.drop_table("jobs")
