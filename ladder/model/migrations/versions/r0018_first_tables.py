"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "r0018"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "fairness_reports",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("report", sa.String(), nullable=False),
        sa.Column("last_result", sa.Integer(), nullable=False),
        sa.Column("computed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("seats", name="pk_fairness_reports"),
    )

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

    op.create_table(
        "ledger",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_result", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_ledger_single"),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
    )

    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("role", sa.String(), server_default="author", nullable=False),
        sa.Column("password_hash", sa.String(), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('author', 'organiser', 'admin')", name="ck_users_role"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )

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
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"], unique=False)

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

    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), server_default="active", nullable=False),
        sa.Column("pause_reason", sa.String(), nullable=True),
        sa.Column("offline_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("faulted_in_a_row", sa.Integer(), server_default="0", nullable=False),
        sa.Column("slots", sa.Integer(), server_default="2", nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("house", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("gateway_token_hash", sa.String(), nullable=True),
        sa.Column("last_match_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("unreached_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("probe_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("joined_version", sa.String(), nullable=True),
        sa.Column("usual_think_ms", sa.Integer(), nullable=True),
        sa.Column("barred", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("joined_slots", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('active', 'paused', 'retired')", name="ck_bots_state"),
        sa.CheckConstraint("slots >= 1", name="ck_bots_slots"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_bots_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("gateway_token_hash", name="uq_bots_gateway_token_hash"),
        sa.UniqueConstraint("user_id", "name", name="uq_bots_user_id_name"),
    )

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
        "sign_ins",
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_ins_user_id"),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_sign_ins"),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"], unique=False)

    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("settled", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("format", sa.String(), server_default="round_robin", nullable=False),
        sa.Column("deals", sa.Integer(), server_default="1", nullable=False),
        sa.Column("rounds", sa.Integer(), server_default="1", nullable=False),
        sa.Column("round", sa.Integer(), server_default="1", nullable=False),
        sa.Column("rated", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("move_limit_ms", sa.Integer(), server_default="10000", nullable=False),
        sa.Column("bank_ms", sa.Integer(), server_default="60000", nullable=False),
        sa.Column("increment_ms", sa.Integer(), server_default="500", nullable=False),
        sa.Column("start_up_ms", sa.Integer(), server_default="10000", nullable=False),
        sa.Column("grace_ms", sa.Integer(), server_default="300000", nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("waiting_since", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "format IN ('round_robin', 'gauntlet', 'swiss')", name="ck_tournaments_format"
        ),
        sa.CheckConstraint(
            "state IN ('created', 'running', 'paused', 'finished', 'cancelled')",
            name="ck_tournaments_state",
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_tournaments_seats"),
        sa.CheckConstraint("settled BETWEEN 0 AND total", name="ck_tournaments_settled"),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name="fk_tournaments_created_by"),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )

    op.create_table(
        "deals",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=True),
        sa.Column("layout_seed", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_deals_tournament_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_deals"),
    )
    op.create_index("ix_deals_tournament_id", "deals", ["tournament_id"], unique=False)

    op.create_table(
        "meetings",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("opponent_id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("half_points", sa.Integer(), nullable=False),
        sa.Column("expected_milli", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("tributes", sa.Integer(), server_default="0", nullable=False),
        sa.Column("faults", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_meetings_bot_id"),
        sa.ForeignKeyConstraint(["opponent_id"], ["bots.id"], name="fk_meetings_opponent_id"),
        sa.PrimaryKeyConstraint("bot_id", "opponent_id", "seats", name="pk_meetings"),
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

    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("sentence", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("template", sa.String(), nullable=True),
        sa.Column("fields", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_notices_bot_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_notices_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_user_id_id", "notices", ["user_id", "id"], unique=False)

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
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("report", sa.String(), nullable=True),
        sa.Column("check_attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("check_token", sa.String(), nullable=True),
        sa.Column("check_lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("check_sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("activated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trial_match_id", sa.Integer(), nullable=True),
        sa.Column("trials", sa.Integer(), server_default="0", nullable=False),
        sa.Column("slots", sa.Integer(), nullable=True),
        sa.Column("unreached_since", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state = 'checking') = (check_lease_until IS NOT NULL)", name="ck_versions_check_lease"
        ),
        sa.CheckConstraint(
            "state IN ('submitted', 'checking', 'trial', 'active', 'superseded', 'rejected')",
            name="ck_versions_state",
        ),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_versions_bot_id"),
        sa.PrimaryKeyConstraint("id", name="pk_versions"),
        sa.UniqueConstraint("bot_id", "name", name="uq_versions_bot_id_name"),
    )
    op.create_index("ix_versions_state", "versions", ["state"], unique=False)
    op.create_index(
        "uq_versions_active",
        "versions",
        ["bot_id"],
        unique=True,
        sqlite_where=sa.text("state = 'active'"),
        postgresql_where=sa.text("state = 'active'"),
    )

    op.create_table(
        "ladder_places",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("rating_milli", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_ladder_places_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_ladder_places_bot_id"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name="fk_ladder_places_version_id"
        ),
        sa.PrimaryKeyConstraint("seats", "version_id", name="pk_ladder_places"),
    )
    op.create_index("ix_ladder_places_bot_id", "ladder_places", ["bot_id"], unique=False)
    op.create_index(
        "ix_ladder_places_seats_rating_milli",
        "ladder_places",
        ["seats", "rating_milli"],
        unique=False,
    )

    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=True),
        sa.Column("deal_id", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("move_limit_ms", sa.Integer(), nullable=False),
        sa.Column("bank_ms", sa.Integer(), nullable=False),
        sa.Column("increment_ms", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=True),
        sa.Column("claimed_by", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("interruptions", sa.Integer(), nullable=False),
        sa.Column("unreached", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result_number", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("start_up_ms", sa.Integer(), server_default="10000", nullable=False),
        sa.Column("kind", sa.String(), server_default="tournament", nullable=False),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("interruptions_alone", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lag_ms", sa.Integer(), nullable=True),
        sa.Column("annulled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("annulled_by", sa.Integer(), nullable=True),
        sa.Column("annul_reason", sa.String(), nullable=True),
        sa.CheckConstraint(
            "(state = 'finished') = (result_number IS NOT NULL)", name="ck_matches_result"
        ),
        sa.CheckConstraint(
            "(state = 'running') = (lease_until IS NOT NULL)", name="ck_matches_lease"
        ),
        sa.CheckConstraint(
            "kind IN ('validation', 'challenge', 'tournament', 'ladder')", name="ck_matches_kind"
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'finished', 'failed', 'cancelled')",
            name="ck_matches_state",
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_matches_seats"),
        sa.ForeignKeyConstraint(["annulled_by"], ["users.id"], name="fk_matches_annulled_by"),
        sa.ForeignKeyConstraint(["asked_by"], ["users.id"], name="fk_matches_asked_by"),
        sa.ForeignKeyConstraint(["deal_id"], ["deals.id"], name="fk_matches_deal_id"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("deal_id", "rotation", name="uq_matches_deal_id_rotation"),
        sa.UniqueConstraint("result_number", name="uq_matches_result_number"),
    )
    op.create_index(
        "ix_matches_annulled",
        "matches",
        ["tournament_id"],
        unique=False,
        sqlite_where=sa.text("annulled_at IS NOT NULL"),
        postgresql_where=sa.text("annulled_at IS NOT NULL"),
    )
    op.create_index("ix_matches_kind_state_id", "matches", ["kind", "state", "id"], unique=False)
    op.create_index(
        "ix_matches_of_rounds",
        "matches",
        ["tournament_id", "round"],
        unique=False,
        sqlite_where=sa.text("round IS NOT NULL"),
        postgresql_where=sa.text("round IS NOT NULL"),
    )
    op.create_index(
        "ix_matches_of_tournaments",
        "matches",
        ["tournament_id", "id"],
        unique=False,
        sqlite_where=sa.text("tournament_id IS NOT NULL"),
        postgresql_where=sa.text("tournament_id IS NOT NULL"),
    )
    op.create_index("ix_matches_state_id", "matches", ["state", "id"], unique=False)
    op.create_index(
        "ix_matches_tournament_id_state", "matches", ["tournament_id", "state"], unique=False
    )

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

    op.create_table(
        "rating_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("result_number", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("before_milli", sa.Integer(), nullable=False),
        sa.Column("after_milli", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("from_version_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('inheritance', 'pin') OR match_id IS NOT NULL", name="ck_rating_changes_match"
        ),
        sa.CheckConstraint(
            "kind IN ('result', 'inheritance', 'annulment', 'pin')", name="ck_rating_changes_kind"
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_rating_changes_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_rating_changes_bot_id"),
        sa.ForeignKeyConstraint(
            ["from_version_id"], ["versions.id"], name="fk_rating_changes_from_version_id"
        ),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_rating_changes_match_id"),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name="fk_rating_changes_version_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rating_changes"),
        sa.UniqueConstraint(
            "match_id", "version_id", "kind", name="uq_rating_changes_match_id_version_id_kind"
        ),
    )
    op.create_index(
        "ix_rating_changes_bot_id_seats_result_number",
        "rating_changes",
        ["bot_id", "seats", "result_number"],
        unique=False,
    )
    op.create_index(
        "ix_rating_changes_result_number", "rating_changes", ["result_number"], unique=False
    )

    op.create_table(
        "replays",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_replays_match_id"),
        sa.PrimaryKeyConstraint("match_id", name="pk_replays"),
    )

    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("vp", sa.Integer(), nullable=True),
        sa.Column("fault", sa.String(), nullable=True),
        sa.Column("fault_sentence", sa.String(), nullable=True),
        sa.Column("received", sa.String(), nullable=True),
        sa.Column("decisions", sa.Integer(), nullable=True),
        sa.Column("think_ms", sa.Integer(), nullable=True),
        sa.Column("longest_ms", sa.Integer(), nullable=True),
        sa.Column("tributes", sa.String(), nullable=True),
        sa.CheckConstraint("rank BETWEEN 1 AND 4", name="ck_seats_rank"),
        sa.CheckConstraint("seat BETWEEN 0 AND 3", name="ck_seats_seat"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seats_bot_id"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_seats_match_id"),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name="fk_seats_version_id"),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seats"),
        sa.UniqueConstraint("match_id", "bot_id", name="uq_seats_match_id_bot_id"),
    )
    op.create_index("ix_seats_bot_id_match_id", "seats", ["bot_id", "match_id"], unique=False)

    op.execute("INSERT INTO ledger (id, last_result) VALUES (1, 0)")
    op.execute("INSERT INTO ladders (seats) VALUES (2), (3), (4)")


def downgrade() -> None:
    for table in (
        "seats",
        "replays",
        "rating_changes",
        "tournament_entries",
        "strengths",
        "matches",
        "ladder_places",
        "versions",
        "seat_tallies",
        "notices",
        "neighbour_tallies",
        "meetings",
        "deals",
        "tournaments",
        "sign_ins",
        "reset_links",
        "bots",
        "audit_entries",
        "api_tokens",
        "workers",
        "users",
        "ledger",
        "ladders",
        "fairness_reports",
    ):
        op.drop_table(table)
