"""The errors of the ladder, each with a sentence that says what to do.

LadderError
├── SettingsError    the environment lacks something or says nonsense
├── NotFound         there is no such bot, match, replay or tournament
├── Refused          the request makes no sense in the present state
└── Stale            an attempt that is over (a zombie) tried to change its match
"""

from __future__ import annotations


class LadderError(Exception):
    """Any error that the ladder raises on purpose."""


class SettingsError(LadderError):
    """A setting is missing or can't be understood."""


class NotFound(LadderError):
    """What was asked for does not exist."""


class Refused(LadderError):
    """The request can't be fulfilled as things stand."""


class Stale(LadderError):
    """The attempt no longer holds its match: another attempt does, or the match is over."""
