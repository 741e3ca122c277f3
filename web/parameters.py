"""Query parameters and form fields.

A query parameter that makes no sense is a 400 that says what is allowed.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from typing import Final, Protocol, TypeVar

from flask import abort, request

from web.formats import SEATS
from web.languages import gettext as _

MOST: Final = 2**31 - 1
"""The largest id that the databases can hold."""
BOT: Final = f"/bots/<int(max={MOST}):bot_id>"
VERSION: Final = f"{BOT}/versions/<int(max={MOST}):version_id>"
"""The paths of the pages of a bot, and of a version."""
MOST_PAGES: Final = 10_000
"""The largest number of a page."""
_DIGITS: Final = 18  # of a number that are read, to say that it is too large


class _Listed(Protocol):
    @property
    def id(self) -> int: ...


_T = TypeVar("_T", bound=_Listed)
_Word = TypeVar("_Word", bound=str)


def whole(text: str) -> int | None:
    """Parse a whole number from 0, or the first digits of a long one; None for any other text."""
    return int(text[:_DIGITS]) if text.isascii() and text.isdigit() else None


def as_number(text: str) -> int | None:
    """Parse a whole number from 1 to MOST; return None for any other text."""
    value = whole(text)
    return value if value is not None and 1 <= value <= MOST else None


def text(name: str) -> str:
    """Return the text of a parameter, stripped; "" if it is missing."""
    return request.args.get(name, "").strip()


def number(name: str) -> int | None:
    """Return a whole number from 1, or None if the parameter is missing or empty."""
    if not (given := text(name)):
        return None
    value = as_number(given)
    if value is None:
        abort(400, _("“%(name)s” has to be a whole number from 1, such as %(name)s=12.", name=name))
    return value


def moment() -> int | None:
    """Return the number of the frame in ?at=, or None without one; whatever is no number is 0."""
    given = text("at")
    return (as_number(given) or 0) if given else None


def choice(name: str, allowed: Iterable[_Word]) -> _Word | None:
    """Return one of the allowed words, or None if the parameter is missing or empty."""
    if not (given := text(name)):
        return None
    words = {str(word): word for word in allowed}
    if given not in words:
        abort(400, _("“%(name)s” can be %(words)s.", name=name, words=", ".join(words)))
    return words[given]


def number_among(name: str, allowed: Iterable[int]) -> int | None:
    """Return one of the allowed numbers, or None if the parameter is missing or empty."""
    chosen = choice(name, map(str, allowed))
    return int(chosen) if chosen else None


def table_size(name: str = "seats") -> int | None:
    """Return a number of seats that has a ladder, or None if the parameter is missing or empty."""
    return number_among(name, SEATS)


def is_set(name: str) -> bool:
    """Return True if the parameter is 1."""
    return request.args.get(name, "") == "1"


def day(name: str) -> date | None:
    """Return a day such as 2026-11-23, or None if the parameter is missing or empty."""
    if not (given := text(name)):
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").date()  # noqa: DTZ007
    except ValueError:
        abort(400, _("“%(name)s” has to be a day, such as %(name)s=2026-11-23.", name=name))


def begin(of: date | None, *, days: int = 0) -> datetime | None:
    """Return the moment at which a day, or one some days later, begins in UTC."""
    if of is None:
        return None
    number = min(of.toordinal() + days, date.max.toordinal())
    return datetime.combine(date.fromordinal(number), time(), UTC)


def page() -> int:
    """Return the number of the page in ?page=, 1 without one."""
    given = number("page") or 1
    if given > MOST_PAGES:
        abort(400, _("“page” can be %(most)s at most.", most=MOST_PAGES))
    return given


def pages(count: int, limit: int) -> int:
    """Return how many pages of `limit` items `count` items fill."""
    return -(-count // limit)


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
