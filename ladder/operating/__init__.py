"""Operate the service: matches, bots, exports, metrics. Every action is audited."""
