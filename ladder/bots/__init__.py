"""Bots: submitting and checking them, their versions and states, and what their pages show.

`ladder.bots.checking`, `examining` and `joining` stand for themselves: they are the side of the
workers and of the gateway.
"""

from ladder.bots.keeping import (
    conduct,
    may_play,
    offline,
    online,
    pause,
    pause_for,
    resume,
    retire,
)
from ladder.bots.logs import LogEntry, LogPage, log
from ladder.bots.mine import (
    OwnBot,
    OwnVersion,
    VersionPage,
    mine,
    own,
    own_bots,
    own_version,
    own_versions,
)
from ladder.bots.profiles import HeadToHead, LadderPlace, Profile, profile
from ladder.bots.registering import Bot, every, register
from ladder.bots.submitting import Submission, mistakes, renew_token, submit, withdraw
from ladder.bots.versions import take_over

__all__ = [
    "Bot",
    "HeadToHead",
    "LadderPlace",
    "LogEntry",
    "LogPage",
    "OwnBot",
    "OwnVersion",
    "Profile",
    "Submission",
    "VersionPage",
    "conduct",
    "every",
    "log",
    "may_play",
    "mine",
    "mistakes",
    "offline",
    "online",
    "own",
    "own_bots",
    "own_version",
    "own_versions",
    "pause",
    "pause_for",
    "profile",
    "register",
    "renew_token",
    "resume",
    "retire",
    "submit",
    "take_over",
    "withdraw",
]
