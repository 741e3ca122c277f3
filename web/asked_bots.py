"""A bot in a form of filters: links name it by its id, people by its name.

A list to choose from would be as long as there are bots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flask import request

from ladder.bots import listing
from ladder.bots.listing import Called
from web.database import session
from web.parameters import as_number

LONGEST: Final = 100
"""Characters of a name that count."""
_FITTING: Final = 12


@dataclass(frozen=True, slots=True)
class AskedBot:
    """What was asked for by the parameter `key`: `text` as it is shown, and the bot that it means.

    `id` is None where nothing was asked for, or where it is not clear which of the `fitting` bots
    is meant, if any fits at all.
    """

    key: str
    text: str = ""
    id: int | None = None
    fitting: tuple[Called, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether something was asked for that means no one bot."""
        return bool(self.text) and self.id is None

    @property
    def parameter(self) -> int | str | None:
        """What links carry on."""
        return self.id or self.text or None


def asked(key: str) -> AskedBot:
    """The bot that this parameter of the request asks for."""
    text = request.args.get(key, "").strip()[:LONGEST]
    if not text:
        return AskedBot(key)
    bot_id = as_number(text)
    name = listing.name_of(session(), bot_id) if bot_id else None
    if name is not None:
        return AskedBot(key, name, bot_id)
    found = listing.called(session(), text, most=_FITTING)
    if len(found) == 1:
        return AskedBot(key, found[0].name, found[0].id)
    return AskedBot(key, text, None, found)
