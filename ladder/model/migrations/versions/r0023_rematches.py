"""Casual games that repeat another one on its layout."""

import sqlalchemy as sa
from alembic import op

revision = "r0023"
down_revision = "r0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("casual_games") as batch:
        batch.add_column(sa.Column("rematch_of", sa.Integer()))
        batch.create_unique_constraint("uq_casual_games_rematch_of", ["rematch_of"])
        batch.create_foreign_key(
            op.f("fk_casual_games_rematch_of"), "casual_games", ["rematch_of"], ["id"]
        )


def downgrade() -> None:
    with op.batch_alter_table("casual_games") as batch:
        batch.drop_constraint(op.f("fk_casual_games_rematch_of"), type_="foreignkey")
        batch.drop_constraint("uq_casual_games_rematch_of", type_="unique")
        batch.drop_column("rematch_of")
