"""What operators see and do: matches, bots, exports, metrics. Every action is audited."""
