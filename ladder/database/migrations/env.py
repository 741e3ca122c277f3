"""What Alembic runs for each command; the connection comes from `ladder.database.migrate`."""

from alembic import context

from ladder.database.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
