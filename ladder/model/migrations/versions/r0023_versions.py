"""Faults, slots and presence of versions in place of bots; what is in at the gateway, by version.

The addresses of bots behind the gateway name the version, so that several may be in at once.
"""

from typing import Final
from urllib.parse import quote

import sqlalchemy as sa
from alembic import op

revision = "r0023"
down_revision = "r0022"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_ACTIVE: Final = "FROM versions WHERE versions.bot_id = bots.id AND versions.state = 'active'"
_REFEREES: Final = "pause_reason LIKE 'It faulted in %' OR pause_reason LIKE 'The bot reports %'"
"""The reasons for which the referee has paused bots; those of admins begin with other words."""

_TO_VERSIONS: Final = (
    "UPDATE versions SET slots = (SELECT slots FROM bots WHERE bots.id = versions.bot_id) "
    "WHERE slots IS NULL OR state = 'active'",
    *(
        f"UPDATE versions SET {column} = (SELECT {column} FROM bots "
        "WHERE bots.id = versions.bot_id) WHERE state = 'active'"
        for column in ("offline_since", "probe_at", "faulted_in_a_row")
    ),
    "UPDATE versions SET unreached_since = COALESCE(unreached_since, (SELECT unreached_since "
    "FROM bots WHERE bots.id = versions.bot_id)) WHERE state = 'active'",
    "UPDATE versions SET conduct = 'suspended', suspension = (SELECT pause_reason FROM bots "
    "WHERE bots.id = versions.bot_id) WHERE state = 'active' AND bot_id IN (SELECT id FROM bots "
    f"WHERE state = 'paused' AND NOT barred AND ({_REFEREES}))",
    "UPDATE bots SET state = 'active', pause_reason = NULL WHERE id IN (SELECT bot_id "
    "FROM versions WHERE conduct = 'suspended')",
    "INSERT INTO joined (bot_id, version, slots, joined_at) SELECT id, joined_version, "
    "COALESCE(joined_slots, 1), created_at FROM bots WHERE joined_version IS NOT NULL",
    # By way of negative numbers: a version may have the number of another bot at the table.
    "UPDATE holdings SET party = -(SELECT version_id FROM seats WHERE match_id = subject "
    "AND bot_id = party) WHERE kind = 'match'",
    "UPDATE holdings SET party = -party WHERE kind = 'match'",
)
_TO_BOTS: Final = (
    *(
        f"UPDATE bots SET {column} = (SELECT {column} {_ACTIVE}) WHERE EXISTS (SELECT 1 {_ACTIVE})"
        for column in (
            "slots",
            "offline_since",
            "unreached_since",
            "probe_at",
            "faulted_in_a_row",
        )
    ),
    f"UPDATE bots SET state = 'paused', pause_reason = (SELECT suspension {_ACTIVE}) "
    f"WHERE state = 'active' AND EXISTS (SELECT 1 {_ACTIVE} AND versions.conduct = 'suspended')",
    *(
        f"UPDATE bots SET joined_{column} = (SELECT {column} FROM joined WHERE bot_id = bots.id "
        "ORDER BY joined_at DESC LIMIT 1)"
        for column in ("version", "slots")
    ),
    "UPDATE holdings SET party = -(SELECT bot_id FROM seats WHERE match_id = subject "
    "AND version_id = party) WHERE kind = 'match'",
    "UPDATE holdings SET party = -party WHERE kind = 'match'",
)


def upgrade() -> None:
    op.create_table(
        "joined",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("joined_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_joined_bot_id"),
        sa.PrimaryKeyConstraint("bot_id", "version", name="pk_joined"),
    )
    with op.batch_alter_table("versions") as batch:
        batch.add_column(sa.Column("conduct", sa.String(), server_default="good", nullable=False))
        batch.add_column(sa.Column("suspension", sa.String()))
        batch.add_column(
            sa.Column("faulted_in_a_row", sa.Integer(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("offline_since", _TIME))
        batch.add_column(sa.Column("probe_at", _TIME))
    for statement in _TO_VERSIONS:
        op.execute(statement)
    _name_versions()
    with op.batch_alter_table("versions") as batch:
        batch.alter_column("slots", existing_type=sa.Integer(), nullable=False, server_default="2")
        batch.create_check_constraint(
            op.f("ck_versions_conduct"), "conduct IN ('good', 'suspended')"
        )
        batch.create_check_constraint(op.f("ck_versions_slots"), "slots >= 1")
    checks = sa.inspect(op.get_bind()).get_check_constraints("bots")
    with op.batch_alter_table("bots") as batch:
        for check in checks:  # its name depends on the database's age
            if "slots" in check["sqltext"]:
                batch.drop_constraint(op.f(str(check["name"])), type_="check")
        for column in ("slots", "offline_since", "unreached_since", "probe_at"):
            batch.drop_column(column)
        for column in ("faulted_in_a_row", "joined_version", "joined_slots"):
            batch.drop_column(column)


def _name_versions() -> None:
    """Name the version in each address behind the gateway; one that was rejected is not dialled."""
    versions = sa.table("versions", sa.column("id"), sa.column("bot_id"), sa.column("name"))
    address: sa.ColumnClause[str] = sa.column("address")
    found = op.get_bind().execute(
        sa.select(versions.c.id, versions.c.bot_id, versions.c.name).where(
            address == sa.literal("gateway:") + sa.cast(versions.c.bot_id, sa.String)
        )
    )
    for version_id, bot_id, name in found.all():
        op.get_bind().execute(
            sa.text("UPDATE versions SET address = :address WHERE id = :id"),
            {"id": version_id, "address": f"gateway:{bot_id}/{quote(name, safe='')}"},
        )


def downgrade() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.add_column(sa.Column("slots", sa.Integer(), server_default="2", nullable=False))
        batch.add_column(
            sa.Column("faulted_in_a_row", sa.Integer(), server_default="0", nullable=False)
        )
        for column in ("offline_since", "unreached_since", "probe_at"):
            batch.add_column(sa.Column(column, _TIME))
        batch.add_column(sa.Column("joined_version", sa.String()))
        batch.add_column(sa.Column("joined_slots", sa.Integer()))
        batch.create_check_constraint(op.f("ck_bots_slots"), "slots >= 1")
    for statement in _TO_BOTS:
        op.execute(statement)
    op.execute(
        "UPDATE versions SET address = 'gateway:' || bot_id "
        "WHERE address LIKE 'gateway:' || bot_id || '/%'"
    )
    with op.batch_alter_table("versions") as batch:
        for name in ("conduct", "slots"):
            batch.drop_constraint(op.f(f"ck_versions_{name}"), type_="check")
        batch.alter_column("slots", existing_type=sa.Integer(), nullable=True, server_default=None)
        for column in ("conduct", "suspension", "faulted_in_a_row", "offline_since", "probe_at"):
            batch.drop_column(column)
    op.drop_table("joined")
