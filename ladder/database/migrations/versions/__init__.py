"""The schema's history, by Alembic. Run through `ladder.database.upgrade`."""
