"""The embedded service: everything that the ladder needs, as processes of one command."""

from ladder.embedded.service import EmbeddedService

__all__ = ["EmbeddedService"]
