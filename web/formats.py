"""How numbers, times and names are shown in templates: as the language of the page writes them."""

from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Final

from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import format_decimal, format_percent
from flask import Flask
from markupsafe import Markup, escape
from werkzeug.local import LocalProxy

from web.charts import sparkline
from web.languages import LANGUAGES, language
from web.words import words_of

SEATS = (2, 3, 4)
"""The table sizes, each with a ladder of its own."""

_KEPT: Final = 4096  # texts; the same numbers stand in many tables
_MINUTES: Final = 1440  # of a day
_NONE: Final = "–"


def init_app(app: Flask) -> None:
    """Make the formats known to all templates."""
    for each in (count, decimal, elo, moment, percent, points, share, signed_elo, sparkline):
        app.add_template_filter(each)
    words = LocalProxy(lambda: words_of(language()))
    app.jinja_env.globals.update(table_sizes=SEATS, words=words)


def moment(at: datetime | None) -> Markup:
    """A time as an element that the page then shows in the reader's zone; a dash for none."""
    if at is None:
        return Markup(_NONE)
    shown = at.astimezone(UTC)
    text = escape(_moment(shown.date(), 60 * shown.hour + shown.minute, language()))
    return Markup(f'<time datetime="{at.isoformat(timespec="seconds")}">{text}</time>')


def count(number: int) -> str:
    """A number of things: "1,000"."""
    return str(number) if -1000 < number < 1000 else _decimal(number, 0, language())


def decimal(number: float, digits: int = 1, *, signed: bool = False) -> str:
    """A number with so many digits after its point or comma: "2.5", signed "+2.5"."""
    text = _decimal(abs(round(number, digits)), digits, language())
    sign = "−" if round(number, digits) < 0 else "+" if signed else ""
    return f"{sign}{text}"


def percent(part: float, digits: int = 0) -> str:
    """A part of 1 in per cent: "45 %"."""
    return _percent(round(part, 2 + digits), digits, language())


def elo(milli: int) -> str:
    """A rating in thousandths of a point, shown in whole points."""
    return str(round(milli / 1000)).replace("-", "−")


def signed_elo(milli: int) -> str:
    """A change of rating with its sign: "+12", "−3", "±0"."""
    whole = round(milli / 1000)
    sign = "+" if whole > 0 else "−" if whole < 0 else "±"
    return f"{sign}{abs(whole)}"


def points(value: float) -> str:
    """Points of a cross table: halves as ½."""
    whole, half = divmod(round(2 * value), 2)
    return f"{whole or ''}½" if half else str(whole)


def share(part: float, total: float) -> str:
    """A part of a total in per cent; a dash where there is no total."""
    return percent(part / total) if total else _NONE


def _moment(day: date, minute: int, code: str) -> str:
    return _both(code).format(_minute(minute, code), _day(day, code))


@lru_cache(len(LANGUAGES))
def _both(code: str) -> str:
    """How a time (0) and a date (1) stand together."""
    return str(get_datetime_format("medium", LANGUAGES[code].locale))


@lru_cache(_KEPT)
def _day(day: date, code: str) -> str:
    return format_date(day, "medium", LANGUAGES[code].locale)


@lru_cache(len(LANGUAGES) * _MINUTES)
def _minute(minute: int, code: str) -> str:
    """A minute of the day."""
    at = time(*divmod(minute, 60))
    return f"{format_time(at, 'short', locale=LANGUAGES[code].locale)} UTC"


@lru_cache(_KEPT)
def _decimal(number: float, digits: int, code: str) -> str:
    places = f".{digits * '0'}" if digits else ""
    return format_decimal(number, f"#,##0{places}", LANGUAGES[code].locale)


@lru_cache(_KEPT)
def _percent(part: float, digits: int, code: str) -> str:
    locale = LANGUAGES[code].locale
    pattern = locale.percent_formats[None].pattern
    if digits:
        pattern = pattern.replace("0", f"0.{digits * '0'}")
    return format_percent(part, pattern, locale)
