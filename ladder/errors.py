"""The errors of the ladder, each with a sentence that says what to do.

LadderError
├── SettingsError    the environment lacks a setting or has a wrong one
├── NotFound         there is no such bot, match, replay or tournament
├── Refused          the request is not possible in the present state
│   └── NoRoom       the operator's disk is full, or what uploads may take of it
├── Invalid          a given value is wrong; `field` names it
│   └── WrongPassword  a signed-in user has confirmed something with it
├── NotSignedIn      the request needs a sign-in, or a token
├── Forbidden        the account, or its token's scope, does not allow it
├── TooMany          too many tries; wait
└── Stale            an attempt that is over (a zombie) tried to change its match

An error carries its English sentence as a template with its fields, `raise Refused("%(bot)s has
been retired", bot=bot.name)`, so that the site can say it in another language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_FIELD: Final = re.compile(r"%\((\w+)\)s")


class Phrase(str):
    """Words that are translated on their own: a state, a hint, a reason; as text they are English.

    Often a field of a sentence; may have fields of its own, as an error has.
    """

    __slots__ = ("fields", "template")
    template: str
    fields: dict[str, object]

    def __new__(cls, template: str, /, **fields: object) -> Phrase:
        """Fill in the template; without fields take it literally."""
        made = super().__new__(cls, template % fields if fields else template)
        made.template, made.fields = template, fields
        return made


class LadderError(Exception):
    """Any error that the ladder raises on purpose; as text it is the English sentence.

    `template` names its fields as `%(name)s`; without fields it is the sentence itself.
    """

    def __init__(self, template: str, /, **fields: object) -> None:
        super().__init__(template % fields if fields else template)
        self.template = template
        self.fields = fields

    @property
    def sentence(self) -> str:
        """The English sentence as people read it (`as_sentence`)."""
        return as_sentence(str(self), self.template, self.fields)


def as_sentence(text: str, template: str, fields: Mapping[str, object]) -> str:
    """Return what was made of a template, with a full stop, and a capital at its beginning.

    A name there stays as it is: `rum` and `Rum` are two bots. Without fields the template may quote
    what a client sent, such as `%(x)s`.
    """
    first = _FIELD.match(template) if fields else None
    if first is None or isinstance(fields[first[1]], Phrase):
        text = text[:1].upper() + text[1:]
    return text + ("" if text.endswith((".", "?", "!")) else ".")


class SettingsError(LadderError):
    """A setting is missing or can't be understood."""


class NotFound(LadderError):
    """The requested thing does not exist."""


class Refused(LadderError):
    """The request is not possible in the present state."""


class NoRoom(Refused):
    """The operator has no room, or allows no more, which nobody else can help, and may pass."""


class Invalid(LadderError):
    """A given value is wrong; `field` names it."""

    def __init__(self, field: str, template: str, /, **fields: object) -> None:
        super().__init__(template, **fields)
        self.field = field


class WrongPassword(Invalid):
    """A signed-in user has confirmed something with a wrong password."""


class NotSignedIn(LadderError):
    """The request has no valid sign-in or token."""


class Forbidden(LadderError):
    """The account, or the scope of its token, does not allow it."""


class TooMany(LadderError):
    """Tried too often in a short time; `retry_after` is in seconds."""

    def __init__(self, template: str, retry_after: int, /, **fields: object) -> None:
        super().__init__(template, **fields)
        self.retry_after = retry_after


class Stale(LadderError):
    """The attempt no longer holds its match: another attempt does, or the match is over."""
