"""What results that can be trusted need: debts, forfeits, versions that stand for themselves.

Bots owe the ladder's matches that they miss; tables of three and four play on without an absent
bot, and bots withdraw from tournaments. Versions in place of bots have the faults, slots and
presence, and addresses behind the gateway name the version: several may be in at once. API tokens
may end; those that exist do not. Parts of the service give signs of life.
"""

from typing import Final
from urllib.parse import quote

import sqlalchemy as sa
from alembic import op

revision = "r0020"
down_revision = "r0019"
branch_labels = None
depends_on = None

_TIME: Final = sa.DateTime(timezone=True)
_KINDS: Final = "kind IN ('result', 'inheritance', 'annulment', 'pin'{})"
_MISSED: Final = sa.text("misses > 0")

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
        for column in ("slots", "offline_since", "unreached_since", "probe_at", "faulted_in_a_row")
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
    op.add_column("api_tokens", sa.Column("expires_at", _TIME))
    _allow_kinds(_KINDS.format(", 'missed'"))
    _create_tables()
    _add_misses_and_forfeits()
    _move_to_versions()


def _create_tables() -> None:
    op.create_table(
        "debts",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), server_default="match", nullable=False),
        sa.Column("since", _TIME, nullable=False),
        _count("misses"),
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
    op.create_table(
        "joined",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("joined_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_joined_bot_id"),
        sa.PrimaryKeyConstraint("bot_id", "version", name="pk_joined"),
    )
    op.create_table(
        "parts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("seen_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_parts"),
    )


def _add_misses_and_forfeits() -> None:
    op.add_column("seats", _count("misses"))
    op.add_column(
        "seats", sa.Column("absent", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    op.create_index(
        "ix_seats_missed",
        "seats",
        ["bot_id", "match_id"],
        sqlite_where=_MISSED,
        postgresql_where=_MISSED,
    )
    op.add_column("tournaments", _count("made"))
    op.execute("UPDATE tournaments SET made = total * round / rounds")
    with op.batch_alter_table("tournament_entries") as batch:
        batch.add_column(sa.Column("state", sa.String(), server_default="entered", nullable=False))
        batch.create_check_constraint(
            op.f("ck_tournament_entries_state"), "state IN ('entered', 'withdrawn')"
        )


def _move_to_versions() -> None:
    with op.batch_alter_table("versions") as batch:
        batch.add_column(sa.Column("conduct", sa.String(), server_default="good", nullable=False))
        batch.add_column(sa.Column("suspension", sa.String()))
        batch.add_column(_count("faulted_in_a_row"))
        for column in ("offline_since", "probe_at", "looked_at"):
            batch.add_column(sa.Column(column, _TIME))
    for statement in _TO_VERSIONS:
        op.execute(statement)
    _name_versions()
    with op.batch_alter_table("versions") as batch:
        batch.alter_column("slots", existing_type=sa.Integer(), nullable=False, server_default="2")
        batch.create_check_constraint(
            op.f("ck_versions_conduct"), "conduct IN ('good', 'suspended')"
        )
        batch.create_check_constraint(op.f("ck_versions_slots"), "slots >= 1")
    slots = _checks("bots", "slots")
    with op.batch_alter_table("bots") as batch:
        for check in slots:
            batch.drop_constraint(op.f(check), type_="check")
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
    _move_to_bots()
    with op.batch_alter_table("tournament_entries") as batch:
        batch.drop_constraint(op.f("ck_tournament_entries_state"), type_="check")
        batch.drop_column("state")
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_column("made")
    op.drop_index("ix_seats_missed", "seats")
    with op.batch_alter_table("seats") as batch:
        for column in ("absent", "misses"):
            batch.drop_column(column)
    for table in ("parts", "joined", "debts"):
        op.drop_table(table)
    op.execute("DELETE FROM rating_changes WHERE kind = 'missed'")
    _allow_kinds(_KINDS.format(""))
    with op.batch_alter_table("api_tokens") as batch:
        batch.drop_column("expires_at")


def _move_to_bots() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.add_column(sa.Column("slots", sa.Integer(), server_default="2", nullable=False))
        batch.add_column(_count("faulted_in_a_row"))
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
        for column in ("conduct", "suspension", "faulted_in_a_row"):
            batch.drop_column(column)
        for column in ("offline_since", "probe_at", "looked_at"):
            batch.drop_column(column)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default="0", nullable=False)


def _allow_kinds(kinds: str) -> None:
    checks = _checks("rating_changes", "annulment")
    with op.batch_alter_table("rating_changes") as batch:
        for check in checks:
            batch.drop_constraint(op.f(check), type_="check")
        batch.create_check_constraint(op.f("ck_rating_changes_kind"), kinds)


def _checks(table: str, word: str) -> list[str]:
    """Name the table's checks that contain the word; names depend on the database's age."""
    checks = sa.inspect(op.get_bind()).get_check_constraints(table)
    return [str(check["name"]) for check in checks if word in check["sqltext"]]
