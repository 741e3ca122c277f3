"""The embedded service: everything that the ladder needs, as processes of one command."""
