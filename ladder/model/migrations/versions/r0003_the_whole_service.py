"""Accounts, versions that are checked, kinds of matches, strengths, tallies, workers."""

import sqlalchemy as sa
from alembic import op

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _people()
    _bots()
    _matches()
    _ratings()
    _service()


def downgrade() -> None:
    op.drop_table("workers")
    op.drop_table("ladders")
    _ratings_back()
    _matches_back()
    _bots_back()
    _people_back()


def _people() -> None:
    with op.batch_alter_table("users") as batch:
        batch.add_column(sa.Column("role", sa.String(), server_default="author", nullable=False))
        batch.add_column(sa.Column("password_hash", sa.String(), nullable=True))
        batch.add_column(sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
        batch.create_check_constraint("ck_users_role", "role IN ('author', 'organiser', 'admin')")
    op.create_table(
        "sign_ins",
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_ins_user_id"),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_sign_ins"),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("scopes", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_tokens_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_api_tokens_token_hash"),
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])
    op.create_table(
        "reset_links",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["users.id"], name="fk_reset_links_made_by"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_reset_links_user_id"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_reset_links"),
    )
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_audit_entries_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )


def _bots() -> None:
    with op.batch_alter_table("bots") as batch:
        batch.add_column(sa.Column("state", sa.String(), server_default="active", nullable=False))
        batch.add_column(sa.Column("pause_reason", sa.String(), nullable=True))
        batch.add_column(sa.Column("offline_since", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(
            sa.Column("faulted_in_a_row", sa.Integer(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("slots", sa.Integer(), server_default="2", nullable=False))
        batch.add_column(
            sa.Column("pinned", sa.Boolean(), server_default=sa.text("false"), nullable=False)
        )
        batch.add_column(
            sa.Column("house", sa.Boolean(), server_default=sa.text("false"), nullable=False)
        )
        batch.add_column(sa.Column("gateway_token_hash", sa.String(), nullable=True))
        batch.add_column(sa.Column("last_match_at", sa.DateTime(timezone=True), nullable=True))
        batch.create_unique_constraint("uq_bots_gateway_token_hash", ["gateway_token_hash"])
        batch.create_check_constraint("ck_bots_state", "state IN ('active', 'paused', 'retired')")
        batch.create_check_constraint("ck_bots_slots", "slots >= 1")
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_notices_bot_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notices_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_user_id_id", "notices", ["user_id", "id"])
    with op.batch_alter_table("versions") as batch:
        batch.drop_index("uq_versions_active")
        batch.add_column(
            sa.Column("state", sa.String(), nullable=False, server_default="superseded")
        )
        batch.add_column(sa.Column("language", sa.String(), nullable=True))
        batch.add_column(sa.Column("secret", sa.LargeBinary(), nullable=True))
        batch.add_column(sa.Column("reason", sa.String(), nullable=True))
        batch.add_column(sa.Column("report", sa.String(), nullable=True))
        batch.add_column(
            sa.Column("check_attempt", sa.Integer(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("check_token", sa.String(), nullable=True))
        batch.add_column(sa.Column("check_lease_until", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("check_sent_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("activated_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE versions SET state = 'active', activated_at = created_at WHERE active")
    with op.batch_alter_table("versions") as batch:
        batch.alter_column("state", server_default=None)
        batch.drop_column("active")
        batch.create_check_constraint(
            "ck_versions_state",
            "state IN ('submitted', 'checking', 'trial', 'active', 'superseded', 'rejected')",
        )
        batch.create_check_constraint(
            "ck_versions_check_lease", "(state = 'checking') = (check_lease_until IS NOT NULL)"
        )
    _index_active("state = 'active'")
    op.create_index("ix_versions_state", "versions", ["state"])


def _matches() -> None:
    with op.batch_alter_table("matches") as batch:
        batch.add_column(
            sa.Column("kind", sa.String(), server_default="tournament", nullable=False)
        )
        batch.add_column(sa.Column("round", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("asked_by", sa.Integer(), nullable=True))
        batch.add_column(
            sa.Column("interruptions_alone", sa.Integer(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("lag_ms", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("annulled_at", sa.DateTime(timezone=True), nullable=True))
        batch.add_column(sa.Column("annulled_by", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("annul_reason", sa.String(), nullable=True))
        batch.create_foreign_key("fk_matches_asked_by", "users", ["asked_by"], ["id"])
        batch.create_foreign_key("fk_matches_annulled_by", "users", ["annulled_by"], ["id"])
        batch.create_check_constraint(
            "ck_matches_kind", "kind IN ('validation', 'challenge', 'tournament', 'ladder')"
        )
    with op.batch_alter_table("seats") as batch:
        batch.add_column(sa.Column("fault_sentence", sa.String(), nullable=True))
        batch.add_column(sa.Column("received", sa.String(), nullable=True))
        batch.add_column(sa.Column("decisions", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("think_ms", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("longest_ms", sa.Integer(), nullable=True))
    with op.batch_alter_table("tournaments") as batch:
        batch.add_column(
            sa.Column("format", sa.String(), server_default="round_robin", nullable=False)
        )
        batch.add_column(sa.Column("deals", sa.Integer(), server_default="1", nullable=False))
        batch.add_column(sa.Column("rounds", sa.Integer(), server_default="1", nullable=False))
        batch.add_column(sa.Column("round", sa.Integer(), server_default="1", nullable=False))
        batch.add_column(
            sa.Column("rated", sa.Boolean(), server_default=sa.text("true"), nullable=False)
        )
        batch.add_column(sa.Column("seed", sa.BigInteger(), nullable=True))
        batch.add_column(
            sa.Column("move_limit_ms", sa.Integer(), server_default="10000", nullable=False)
        )
        batch.add_column(sa.Column("bank_ms", sa.Integer(), server_default="60000", nullable=False))
        batch.add_column(
            sa.Column("increment_ms", sa.Integer(), server_default="500", nullable=False)
        )
        batch.add_column(
            sa.Column("start_up_ms", sa.Integer(), server_default="10000", nullable=False)
        )
        batch.add_column(
            sa.Column("grace_ms", sa.Integer(), server_default="300000", nullable=False)
        )
        batch.add_column(sa.Column("created_by", sa.Integer(), nullable=True))
        batch.create_foreign_key("fk_tournaments_created_by", "users", ["created_by"], ["id"])
        batch.drop_constraint("ck_tournaments_state", type_="check")
        batch.create_check_constraint(
            "ck_tournaments_state",
            "state IN ('created', 'running', 'paused', 'finished', 'cancelled')",
        )
        batch.create_check_constraint(
            "ck_tournaments_format", "format IN ('round_robin', 'gauntlet', 'swiss')"
        )
    op.create_table(
        "tournament_entries",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_tournament_entries_bot_id"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_tournament_entries_tournament_id"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name="fk_tournament_entries_version_id"
        ),
        sa.PrimaryKeyConstraint("tournament_id", "bot_id", name="pk_tournament_entries"),
        sa.UniqueConstraint(
            "tournament_id", "number", name="uq_tournament_entries_tournament_id_number"
        ),
    )


def _ratings() -> None:
    with op.batch_alter_table("ladder_places") as batch:
        batch.add_column(sa.Column("version_id", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE ladder_places SET version_id = (SELECT id FROM versions"
        " WHERE versions.bot_id = ladder_places.bot_id AND versions.state = 'active')"
    )
    with op.batch_alter_table("ladder_places") as batch:
        batch.drop_constraint("pk_ladder_places", type_="primary")
        batch.alter_column("version_id", existing_type=sa.Integer(), nullable=False)
        batch.create_primary_key("pk_ladder_places", ["seats", "version_id"])
        batch.create_foreign_key("fk_ladder_places_version_id", "versions", ["version_id"], ["id"])
    op.create_index("ix_ladder_places_bot_id", "ladder_places", ["bot_id"])
    with op.batch_alter_table("rating_changes") as batch:
        batch.add_column(sa.Column("kind", sa.String(), nullable=False, server_default="result"))
        batch.add_column(sa.Column("version_id", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE rating_changes SET version_id = (SELECT version_id FROM seats"
        " WHERE seats.match_id = rating_changes.match_id AND seats.bot_id = rating_changes.bot_id)"
    )
    with op.batch_alter_table("rating_changes") as batch:
        batch.alter_column("kind", server_default=None)
        batch.alter_column("version_id", existing_type=sa.Integer(), nullable=False)
        batch.alter_column("match_id", existing_type=sa.Integer(), nullable=True)
        batch.drop_constraint("uq_rating_changes_match_id_bot_id", type_="unique")
        batch.create_unique_constraint(
            "uq_rating_changes_match_id_version_id_kind", ["match_id", "version_id", "kind"]
        )
        batch.create_foreign_key("fk_rating_changes_version_id", "versions", ["version_id"], ["id"])
        batch.create_check_constraint(
            "ck_rating_changes_kind", "kind IN ('result', 'inheritance', 'annulment')"
        )
        batch.create_check_constraint(
            "ck_rating_changes_match", "kind = 'inheritance' OR match_id IS NOT NULL"
        )
    with op.batch_alter_table("meetings") as batch:
        batch.add_column(
            sa.Column("expected_milli", sa.BigInteger(), server_default="0", nullable=False)
        )
        batch.add_column(sa.Column("tributes", sa.Integer(), server_default="0", nullable=False))
        batch.add_column(sa.Column("faults", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "strengths",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("strength_milli", sa.Integer(), nullable=False),
        sa.Column("low_milli", sa.Integer(), nullable=False),
        sa.Column("high_milli", sa.Integer(), nullable=False),
        sa.Column("last_result", sa.Integer(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_strengths_version_id"),
        sa.PrimaryKeyConstraint("seats", "version_id", name="pk_strengths"),
    )
    op.create_table(
        "seat_tallies",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("win_twelfths", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seat_tallies_bot_id"),
        sa.PrimaryKeyConstraint("seats", "seat", "bot_id", name="pk_seat_tallies"),
    )
    op.create_table(
        "neighbour_tallies",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("before_id", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("win_twelfths", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["before_id"], ["bots.id"], name="fk_neighbour_tallies_before_id"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_neighbour_tallies_bot_id"),
        sa.PrimaryKeyConstraint("seats", "bot_id", "before_id", name="pk_neighbour_tallies"),
    )


def _service() -> None:
    op.create_table(
        "ladders",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("open", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("share", sa.Integer(), server_default="1", nullable=False),
        sa.Column("one_owner", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("move_limit_ms", sa.Integer(), server_default="10000", nullable=False),
        sa.Column("bank_ms", sa.Integer(), server_default="60000", nullable=False),
        sa.Column("increment_ms", sa.Integer(), server_default="500", nullable=False),
        sa.Column("start_up_ms", sa.Integer(), server_default="10000", nullable=False),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_ladders_seats"),
        sa.CheckConstraint("share >= 0", name="ck_ladders_share"),
        sa.PrimaryKeyConstraint("seats", name="pk_ladders"),
    )
    op.execute("INSERT INTO ladders (seats) VALUES (2), (3), (4)")
    op.create_table(
        "workers",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lag_ms", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stopping", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )


def _index_active(condition: str) -> None:
    """At most one version of a bot is active."""
    op.create_index(
        "uq_versions_active",
        "versions",
        ["bot_id"],
        unique=True,
        sqlite_where=sa.text(condition),
        postgresql_where=sa.text(condition),
    )


def _ratings_back() -> None:
    op.drop_table("neighbour_tallies")
    op.drop_table("seat_tallies")
    op.drop_table("strengths")
    with op.batch_alter_table("meetings") as batch:
        batch.drop_column("faults")
        batch.drop_column("tributes")
        batch.drop_column("expected_milli")
    op.execute("DELETE FROM rating_changes WHERE kind <> 'result'")
    with op.batch_alter_table("rating_changes") as batch:
        batch.drop_constraint("ck_rating_changes_match", type_="check")
        batch.drop_constraint("ck_rating_changes_kind", type_="check")
        batch.drop_constraint("fk_rating_changes_version_id", type_="foreignkey")
        batch.drop_constraint("uq_rating_changes_match_id_version_id_kind", type_="unique")
        batch.create_unique_constraint("uq_rating_changes_match_id_bot_id", ["match_id", "bot_id"])
        batch.alter_column("match_id", existing_type=sa.Integer(), nullable=False)
        batch.drop_column("version_id")
        batch.drop_column("kind")
    op.drop_index("ix_ladder_places_bot_id", "ladder_places")
    op.execute(
        "DELETE FROM ladder_places WHERE version_id NOT IN"
        " (SELECT id FROM versions WHERE state = 'active')"
    )
    with op.batch_alter_table("ladder_places") as batch:
        batch.drop_constraint("fk_ladder_places_version_id", type_="foreignkey")
        batch.drop_constraint("pk_ladder_places", type_="primary")
        batch.create_primary_key("pk_ladder_places", ["seats", "bot_id"])
        batch.drop_column("version_id")


def _matches_back() -> None:
    op.drop_table("tournament_entries")
    op.execute("UPDATE tournaments SET state = 'running' WHERE state = 'paused'")
    with op.batch_alter_table("tournaments") as batch:
        batch.drop_constraint("ck_tournaments_format", type_="check")
        batch.drop_constraint("ck_tournaments_state", type_="check")
        batch.create_check_constraint(
            "ck_tournaments_state", "state IN ('created', 'running', 'finished', 'cancelled')"
        )
        batch.drop_constraint("fk_tournaments_created_by", type_="foreignkey")
        batch.drop_column("created_by")
        batch.drop_column("grace_ms")
        batch.drop_column("start_up_ms")
        batch.drop_column("increment_ms")
        batch.drop_column("bank_ms")
        batch.drop_column("move_limit_ms")
        batch.drop_column("seed")
        batch.drop_column("rated")
        batch.drop_column("round")
        batch.drop_column("rounds")
        batch.drop_column("deals")
        batch.drop_column("format")
    with op.batch_alter_table("seats") as batch:
        batch.drop_column("longest_ms")
        batch.drop_column("think_ms")
        batch.drop_column("decisions")
        batch.drop_column("received")
        batch.drop_column("fault_sentence")
    with op.batch_alter_table("matches") as batch:
        batch.drop_constraint("ck_matches_kind", type_="check")
        batch.drop_constraint("fk_matches_annulled_by", type_="foreignkey")
        batch.drop_constraint("fk_matches_asked_by", type_="foreignkey")
        batch.drop_column("annul_reason")
        batch.drop_column("annulled_by")
        batch.drop_column("annulled_at")
        batch.drop_column("lag_ms")
        batch.drop_column("interruptions_alone")
        batch.drop_column("asked_by")
        batch.drop_column("round")
        batch.drop_column("kind")


def _bots_back() -> None:
    op.drop_index("uq_versions_active", "versions")
    op.drop_index("ix_versions_state", "versions")
    with op.batch_alter_table("versions") as batch:
        batch.drop_constraint("ck_versions_state", type_="check")
        batch.drop_constraint("ck_versions_check_lease", type_="check")
        batch.add_column(
            sa.Column("active", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.execute("UPDATE versions SET active = true WHERE state = 'active'")
    with op.batch_alter_table("versions") as batch:
        batch.alter_column("active", server_default=None)
        for column in (
            "state",
            "language",
            "secret",
            "reason",
            "report",
            "check_attempt",
            "check_token",
            "check_lease_until",
            "check_sent_at",
            "checked_at",
            "activated_at",
        ):
            batch.drop_column(column)
    _index_active("active")
    op.drop_table("notices")
    with op.batch_alter_table("bots") as batch:
        batch.drop_constraint("ck_bots_state", type_="check")
        batch.drop_constraint("ck_bots_slots", type_="check")
        batch.drop_constraint("uq_bots_gateway_token_hash", type_="unique")
        batch.drop_column("last_match_at")
        batch.drop_column("gateway_token_hash")
        batch.drop_column("house")
        batch.drop_column("pinned")
        batch.drop_column("slots")
        batch.drop_column("faulted_in_a_row")
        batch.drop_column("offline_since")
        batch.drop_column("pause_reason")
        batch.drop_column("state")


def _people_back() -> None:
    op.drop_table("audit_entries")
    op.drop_table("reset_links")
    op.drop_table("api_tokens")
    op.drop_table("sign_ins")
    with op.batch_alter_table("users") as batch:
        batch.drop_constraint("ck_users_role", type_="check")
        batch.drop_column("deleted_at")
        batch.drop_column("password_hash")
        batch.drop_column("role")
