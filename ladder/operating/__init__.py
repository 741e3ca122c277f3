"""Operate the service: matches, bots, exports, gauges. Every action is audited."""
