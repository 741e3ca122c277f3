"""Operate the service: matches, bots, exports, gauges. Every action is audited.

match_control  matches that wait or run: cancel, requeue, annul
bot_control    bots that don't play: pause and resume any bot
hosting        hosts, builds, quotas, bans
exports        results and replays in bulk
metrics        what Prometheus reads
logs           log lines, as text or as JSON
"""
