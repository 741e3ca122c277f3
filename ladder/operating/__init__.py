"""Operate the service: matches, bots, exports. Every action is audited."""
