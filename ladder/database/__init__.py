"""The database: engines, sessions, transactions, and the way to its newest schema."""

from ladder.database.clock import CLOCK, now
from ladder.database.engine import engine, plainly, session_factory, write
from ladder.database.migrate import downgrade, upgrade
from ladder.database.schema import check_schema

__all__ = [
    "CLOCK",
    "check_schema",
    "downgrade",
    "engine",
    "now",
    "plainly",
    "session_factory",
    "upgrade",
    "write",
]
