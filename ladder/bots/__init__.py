"""Bots: submitting and checking them, their versions and states, and what their pages show.

`ladder.bots.checking` and `ladder.bots.trials` stand for themselves: they are the workers' side.
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
from ladder.bots.mismatches import other_version
from ladder.bots.profiles import HeadToHead, LadderPlace, Profile, profile
from ladder.bots.registering import Bot, every, register
from ladder.bots.submitting import Submission, renew_token, submit, withdraw
from ladder.bots.versions import take_over

__all__ = [
    "Bot",
    "HeadToHead",
    "LadderPlace",
    "Profile",
    "Submission",
    "conduct",
    "every",
    "may_play",
    "offline",
    "online",
    "other_version",
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
