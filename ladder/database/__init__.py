"""The database: engines, sessions, transactions, and the way to its newest schema."""

from ladder.database.clock import CLOCK, now
from ladder.database.engine import engine, plainly, session_factory, write
from ladder.database.migrate import downgrade, upgrade

__all__ = [
    "CLOCK",
    "downgrade",
    "engine",
    "now",
    "plainly",
    "session_factory",
    "upgrade",
    "write",
]
