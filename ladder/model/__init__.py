"""The database: engines, sessions, transactions, and the way to its newest schema."""

from ladder.model.clock import CLOCK, now
from ladder.model.engine import engine, plainly, session_factory, write
from ladder.model.migrate import check_schema, downgrade, upgrade

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
