"""The embedded service: everything that the ladder needs, as processes of one command."""

from ladder.embedded.house import start_house_bots
from ladder.embedded.service import EmbeddedService

__all__ = ["EmbeddedService", "start_house_bots"]
