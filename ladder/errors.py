"""The errors of the ladder, each with a sentence that says what to do.

LadderError
├── SettingsError    the environment lacks something or says nonsense
├── NotFound         there is no such bot, match, replay or tournament
├── Refused          the request makes no sense in the present state
├── Invalid          a value that was given is no good; `field` names it
├── NotSignedIn      who asks has to sign in, or to send a token
├── Forbidden        who asks has not the right to it
├── TooMany          too many tries; wait
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


class Invalid(LadderError):
    """A value that was given is no good."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class NotSignedIn(LadderError):
    """Nobody has signed in, or the token is not good."""


class Forbidden(LadderError):
    """The account, or the scope of its token, does not allow it."""


class TooMany(LadderError):
    """Tried too often in a short time; `retry_after` is in seconds."""

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class Stale(LadderError):
    """The attempt no longer holds its match: another attempt does, or the match is over."""
