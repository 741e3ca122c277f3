"""The database: engines, sessions, transactions, and the way to its newest schema."""

from ladder.database.engine import engine, now, session_factory, write
from ladder.database.migrate import downgrade, upgrade

__all__ = ["downgrade", "engine", "now", "session_factory", "upgrade", "write"]
