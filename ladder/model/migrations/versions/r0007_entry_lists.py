"""Tournaments from before there were entry lists get theirs, from the seats of their matches."""

from alembic import op

revision = "r0007"
down_revision = "r0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "INSERT INTO tournament_entries (tournament_id, bot_id, version_id, number) "
        "SELECT tournament_id, bot_id, version_id, "
        "row_number() OVER (PARTITION BY tournament_id ORDER BY bot_id) "
        "FROM (SELECT matches.tournament_id, seats.bot_id, max(seats.version_id) AS version_id "
        "FROM matches JOIN seats ON seats.match_id = matches.id "
        "WHERE matches.tournament_id IS NOT NULL AND matches.tournament_id NOT IN "
        "(SELECT tournament_id FROM tournament_entries) "
        "GROUP BY matches.tournament_id, seats.bot_id) AS entrants"
    )


def downgrade() -> None:
    """Entry lists stay: a revision before this one knows them, too."""
