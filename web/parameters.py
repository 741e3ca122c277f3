"""Query parameters and form fields.

A query parameter that makes no sense is a 400 that says what is allowed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Final, Protocol, TypeVar

from flask import abort, request

from ladder.bots import profiles
from ladder.bots.profiles import Called
from web.database import session
from web.formats import SEATS
from web.languages import gettext as _

MOST: Final = 2**31 - 1
"""The largest id that the databases can hold."""
LONGEST: Final = 100
"""Characters of a bot's name that are looked at."""
_SUGGESTIONS: Final = 12


class _Listed(Protocol):
    @property
    def id(self) -> int: ...


_T = TypeVar("_T", bound=_Listed)


@dataclass(frozen=True, slots=True)
class AskedBot:
    """The bot that the parameter `key` asks for, in a form of filters; `text` is shown there.

    Links name a bot by its id, people by its name: a list to choose from would be as long as there
    are bots. `id` is None if nothing was asked for or the text does not name exactly one bot; then
    `fitting` holds the bots whose names fit, if any.
    """

    key: str
    text: str = ""
    id: int | None = None
    fitting: tuple[Called, ...] = ()

    @property
    def is_open(self) -> bool:
        """True if something was asked for that does not name exactly one bot."""
        return bool(self.text) and self.id is None

    @property
    def parameter(self) -> int | str | None:
        """The value that links carry on."""
        return self.id or self.text or None


def as_number(text: str) -> int | None:
    """Parse a whole number from 1 to MOST; return None for any other text."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST))):
        return None
    value = int(text)
    return value if 1 <= value <= MOST else None


def number(name: str) -> int | None:
    """Return a whole number from 1, or None if the parameter is missing or empty."""
    text = request.args.get(name, "").strip()
    if not text:
        return None
    value = as_number(text)
    if value is None:
        abort(
            400,
            _("“%(name)s” has to be a whole number from 1, such as %(name)s=12.", name=name),
        )
    return value


def moment() -> int | None:
    """Return the number of the frame in ?at=, or None without one; whatever is no number is 0."""
    text = request.args.get("at", "").strip()
    return (as_number(text) or 0) if text else None


def choice(name: str, allowed: Collection[str]) -> str | None:
    """Return one of the allowed words, or None if the parameter is missing or empty."""
    text = request.args.get(name, "").strip()
    if not text:
        return None
    if text not in allowed:
        abort(400, _("“%(name)s” can be %(words)s.", name=name, words=", ".join(allowed)))
    return text


def table_size(name: str = "seats") -> int | None:
    """Return a number of seats that has a ladder, or None if the parameter is missing or empty."""
    text = choice(name, [str(seats) for seats in SEATS])
    return int(text) if text else None


def is_set(name: str) -> bool:
    """Return True if the parameter is 1."""
    return request.args.get(name, "") == "1"


def day(name: str) -> date | None:
    """Return a day such as 2026-11-23, or None if the parameter is missing or empty."""
    text = request.args.get(name, "").strip()
    if not text:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007
    except ValueError:
        abort(400, _("“%(name)s” has to be a day, such as %(name)s=2026-11-23.", name=name))


def begin(of: date | None, *, days: int = 0) -> datetime | None:
    """Return the moment at which a day, or one some days later, begins in UTC."""
    if of is None:
        return None
    number = min(of.toordinal() + days, date.max.toordinal())
    return datetime.combine(date.fromordinal(number), time(), UTC)


def asked_bot(key: str) -> AskedBot:
    """Return the bot that the parameter `key` asks for, by its id or its name."""
    text = request.args.get(key, "").strip()[:LONGEST]
    if not text:
        return AskedBot(key)
    bot_id = as_number(text)
    name = profiles.name_of(session(), bot_id) if bot_id else None
    if name is not None:
        return AskedBot(key, name, bot_id)
    found = profiles.called(session(), text, most=_SUGGESTIONS)
    if len(found) == 1:
        return AskedBot(key, found[0].name, found[0].id)
    return AskedBot(key, text, None, found)


def page_of(items: Sequence[_T], limit: int) -> tuple[list[_T], int | None]:
    """Return the first `limit` items, and the id of the last of them if there are more."""
    shown = list(items[:limit])
    return shown, shown[-1].id if len(items) > limit else None


def field(name: str) -> str:
    """Return the text typed into a field of a form, stripped; "" if it is missing."""
    return request.form.get(name, "").strip()


def password(name: str) -> str:
    """Return a password exactly as it was typed."""
    return request.form.get(name, "")
