"""What Alembic runs for each command; the connection comes from `ladder.model.migrate`."""

from alembic import context

from ladder.model.base import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
