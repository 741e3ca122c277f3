"""Hosted bots: packages and bundles, builds and their logs, what seats wrote, and the hosts."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "r0021"
down_revision = "r0020"
branch_labels = None
depends_on = None

_TIME: Final = sa.DateTime(timezone=True)
_STATES: Final = "state IN ('submitted', {}'checking', 'trial', 'active', 'superseded', 'rejected')"
_TEXTS: Final = ("package_name", "runtime", "difference", "licence")
_TIMES: Final = ("built_at", "package_removed_at")
_BLOBS: Final = ("package", "bundle")


def upgrade() -> None:
    _create_blobs()
    _allow_states(_STATES.format("'building', "))
    with op.batch_alter_table("versions") as batch:
        for column in _TEXTS:
            batch.add_column(sa.Column(column, sa.String()))
        for column in _TIMES:
            batch.add_column(sa.Column(column, _TIME))
        for column in _BLOBS:
            batch.add_column(sa.Column(column, sa.String(64)))
            batch.create_foreign_key(op.f(f"fk_versions_{column}"), "blobs", [column], ["sha256"])
    for column in _BLOBS:
        op.create_index(f"ix_versions_{column}", "versions", [column])
    for table in ("tournaments", "ladders"):
        op.add_column(table, _switch("hosted_only"))
    _create_build_lines()
    _create_seat_outputs()
    _create_hosts()


def _create_blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("dropped_at", _TIME),
        sa.Column("banned_at", _TIME),
        sa.Column("ban_reason", sa.String()),
        sa.PrimaryKeyConstraint("sha256", name="pk_blobs"),
        sa.CheckConstraint("kind IN ('package', 'bundle')", name=op.f("ck_blobs_kind")),
        sa.CheckConstraint("size >= 0", name=op.f("ck_blobs_size")),
    )
    op.create_table(
        "blob_chunks",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", "number", name="pk_blob_chunks"),
        sa.ForeignKeyConstraint(["sha256"], ["blobs.sha256"], name="fk_blob_chunks_sha256"),
    )


def _create_build_lines() -> None:
    op.create_table(
        "build_lines",
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("version_id", "number", name="pk_build_lines"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_build_lines_version_id"),
    )


def _create_seat_outputs() -> None:
    op.create_table(
        "seat_outputs",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("output", sa.LargeBinary(), nullable=False),
        sa.Column("errors", sa.LargeBinary(), nullable=False),
        sa.Column("peak_memory", sa.BigInteger()),
        sa.Column("cpu_ms", sa.Integer()),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seat_outputs"),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seats.match_id", "seats.seat"],
            name="fk_seat_outputs_match_id_seat",
        ),
    )


def _create_hosts() -> None:
    op.create_table(
        "hosts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        *(_count(name) for name in ("processors", "lanes", "sandboxes", "builds")),
        *(
            sa.Column(name, sa.String(), server_default="[]", nullable=False)
            for name in ("guards", "runtimes")
        ),
        sa.Column("cache_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("release", sa.String()),
        sa.Column("trouble", sa.String()),
        _switch("draining"),
        sa.Column("started_at", _TIME),
        sa.Column("seen_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_hosts"),
    )


def downgrade() -> None:
    for table in ("hosts", "seat_outputs", "build_lines"):
        op.drop_table(table)
    for table in ("ladders", "tournaments"):
        with op.batch_alter_table(table) as batch:
            batch.drop_column("hosted_only")
    op.execute("UPDATE versions SET state = 'submitted' WHERE state = 'building'")
    op.execute(
        "UPDATE versions SET state = 'rejected', reason = 'The ladder can host no bots.' "
        "WHERE package IS NOT NULL AND state IN ('submitted', 'checking')"
    )
    op.execute(
        "DELETE FROM jobs WHERE kind = 'build' OR kind = 'check' "
        "AND subject IN (SELECT id FROM versions WHERE package IS NOT NULL)"
    )
    for column in _BLOBS:
        op.drop_index(f"ix_versions_{column}", "versions")
    with op.batch_alter_table("versions") as batch:
        for column in _BLOBS:
            batch.drop_constraint(op.f(f"fk_versions_{column}"), type_="foreignkey")
        for column in (*_TEXTS, *_TIMES, *_BLOBS):
            batch.drop_column(column)
    _allow_states(_STATES.format(""))
    for table in ("blob_chunks", "blobs"):
        op.drop_table(table)


def _allow_states(states: str) -> None:
    """Replace the check of the states of versions; its name depends on the database's age."""
    checks = sa.inspect(op.get_bind()).get_check_constraints("versions")
    with op.batch_alter_table("versions") as batch:
        for check in checks:
            if "superseded" in check["sqltext"]:
                batch.drop_constraint(op.f(str(check["name"])), type_="check")
        batch.create_check_constraint(op.f("ck_versions_state"), states)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default="0", nullable=False)


def _switch(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.text("false"), nullable=False)
