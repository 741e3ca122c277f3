"""The schema's history, by Alembic. Run through `ladder.model.upgrade`."""
