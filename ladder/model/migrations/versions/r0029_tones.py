"""How notices sound, which was guessed from words in their English sentences."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "r0029"
down_revision = "r0028"
branch_labels = None
depends_on = None

_BAD: Final = (
    *("was rejected", "was paused", "could not be reached", "has lost"),
    *("but version", "organiser withdrew"),
)
_GOOD: Final = ("is now active", "is accepted", "passed its check", "admin resumed")


def upgrade() -> None:
    with op.batch_alter_table("notices") as batch:
        neutral = sa.text("'neutral'")
        batch.add_column(sa.Column("tone", sa.String(), server_default=neutral, nullable=False))
        batch.create_check_constraint(op.f("ck_notices_tone"), "tone IN ('good', 'bad', 'neutral')")
    rows = sa.table("notices", sa.column("tone"), sa.column("sentence"), sa.column("template"))
    said = sa.func.coalesce(rows.c.template, rows.c.sentence)
    for tone, words in (("good", _GOOD), ("bad", _BAD)):
        guess = sa.or_(*(said.contains(word) for word in words))
        op.execute(rows.update().where(guess).values(tone=tone))


def downgrade() -> None:
    with op.batch_alter_table("notices") as batch:
        batch.drop_constraint(op.f("ck_notices_tone"), type_="check")
        batch.drop_column("tone")
