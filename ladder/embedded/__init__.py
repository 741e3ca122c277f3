"""The embedded service: the whole ladder as processes of one command."""
