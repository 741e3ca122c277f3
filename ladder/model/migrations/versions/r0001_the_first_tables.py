"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ledger",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_result", sa.Integer(), nullable=False),
        sa.CheckConstraint("id = 1", name="ck_ledger_single"),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
    )
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
        sa.CheckConstraint(
            "state IN ('created', 'running', 'finished', 'cancelled')", name="ck_tournaments_state"
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_tournaments_seats"),
        sa.CheckConstraint("settled BETWEEN 0 AND total", name="ck_tournaments_settled"),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_bots_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("user_id", "name", name="uq_bots_user_id_name"),
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
        "ladder_places",
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("rating_milli", sa.Integer(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_ladder_places_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_ladder_places_bot_id"),
        sa.PrimaryKeyConstraint("seats", "bot_id", name="pk_ladder_places"),
    )
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
        sa.CheckConstraint(
            "(state = 'finished') = (result_number IS NOT NULL)", name="ck_matches_result"
        ),
        sa.CheckConstraint(
            "(state = 'running') = (lease_until IS NOT NULL)", name="ck_matches_lease"
        ),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'finished', 'failed', 'cancelled')",
            name="ck_matches_state",
        ),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_matches_seats"),
        sa.ForeignKeyConstraint(["deal_id"], ["deals.id"], name="fk_matches_deal_id"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("deal_id", "rotation", name="uq_matches_deal_id_rotation"),
        sa.UniqueConstraint("result_number", name="uq_matches_result_number"),
    )
    op.create_index("ix_matches_state_id", "matches", ["state", "id"], unique=False)
    op.create_index(
        "ix_matches_tournament_id_state", "matches", ["tournament_id", "state"], unique=False
    )

    op.create_table(
        "meetings",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("opponent_id", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("half_points", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_meetings_bot_id"),
        sa.ForeignKeyConstraint(["opponent_id"], ["bots.id"], name="fk_meetings_opponent_id"),
        sa.PrimaryKeyConstraint("bot_id", "opponent_id", "seats", name="pk_meetings"),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_versions_bot_id"),
        sa.PrimaryKeyConstraint("id", name="pk_versions"),
        sa.UniqueConstraint("bot_id", "name", name="uq_versions_bot_id_name"),
    )
    op.create_index(
        "uq_versions_active",
        "versions",
        ["bot_id"],
        unique=True,
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    )

    op.create_table(
        "rating_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("result_number", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("before_milli", sa.Integer(), nullable=False),
        sa.Column("after_milli", sa.Integer(), nullable=False),
        sa.CheckConstraint("seats BETWEEN 2 AND 4", name="ck_rating_changes_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_rating_changes_bot_id"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_rating_changes_match_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rating_changes"),
        sa.UniqueConstraint("match_id", "bot_id", name="uq_rating_changes_match_id_bot_id"),
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


def downgrade() -> None:
    op.drop_index("ix_seats_bot_id_match_id", "seats")

    op.drop_table("seats")
    op.drop_table("replays")
    op.drop_index("ix_rating_changes_result_number", "rating_changes")
    op.drop_index("ix_rating_changes_bot_id_seats_result_number", "rating_changes")

    op.drop_table("rating_changes")
    op.drop_index(
        "uq_versions_active",
        "versions",
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    )

    op.drop_table("versions")
    op.drop_table("meetings")
    op.drop_index("ix_matches_tournament_id_state", "matches")
    op.drop_index("ix_matches_state_id", "matches")

    op.drop_table("matches")
    op.drop_index("ix_ladder_places_seats_rating_milli", "ladder_places")

    op.drop_table("ladder_places")
    op.drop_index("ix_deals_tournament_id", "deals")

    op.drop_table("deals")
    op.drop_table("bots")
    op.drop_table("users")
    op.drop_table("tournaments")
    op.drop_table("ledger")
