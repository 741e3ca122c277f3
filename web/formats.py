"""How numbers and names are shown in templates."""

from fractions import Fraction

from flask import Flask
from werkzeug.local import LocalProxy

from web.languages import language
from web.words import words_of

SEATS = (2, 3, 4)
"""The table sizes, each with a ladder of its own."""


def init_app(app: Flask) -> None:
    """Make the formats known to all templates."""
    app.add_template_filter(elo)
    app.add_template_filter(points)
    app.add_template_filter(share)
    app.add_template_filter(signed_elo)
    words = LocalProxy(lambda: words_of(language()))
    app.jinja_env.globals.update(table_sizes=SEATS, words=words)


def elo(milli: int) -> str:
    """A rating in thousandths of a point, shown in whole points."""
    return str(round(milli / 1000))


def signed_elo(milli: int) -> str:
    """A change of rating with its sign: "+12", "−3", "±0"."""
    whole = round(milli / 1000)
    sign = "+" if whole > 0 else "−" if whole < 0 else "±"
    return f"{sign}{abs(whole)}"


def points(value: float) -> str:
    """Points of a cross table: halves as ½."""
    whole, rest = divmod(Fraction(value), 1)
    return f"{whole or ''}½" if rest else str(whole)


def share(part: float, total: float) -> str:
    """A part of a total in per cent; a dash where there is no total."""
    return f"{100 * part / total:.0f} %" if total else "–"
