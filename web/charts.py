"""Compute the charts that templates draw, in the units of an SVG view box."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import ceil, floor
from typing import Final, Self

from babel import Locale
from babel.dates import format_skeleton, format_time

from ladder.ratings.elo import Skill
from web.languages import LANGUAGES, language

WIDTH: Final = 720
HEIGHT: Final = 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 16, 12, 26
_MARGIN: Final = 5.0
_PITCHES: Final = (10, 20, 50, 100, 200, 250, 500, 1000)
_MOST_GRID_LINES: Final = 5
_DATES: Final = 5
_SHAPE_EVERY: Final = 12  # points
_CHARTS: Final = 512  # kept, some 30 kB each

SHAPES: Final = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-4.500l4.500 8h-9z",
    "M0-5l5 5-5 5-5-5z",
    "M-1.500-4.500h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M0 4.500l4.500-8h-9z",
)
"""Tell lines apart beside colours and dashes; drawn around the point 0 0."""

SPARK_WIDTH: Final = 80
SPARK_HEIGHT: Final = 20


@dataclass(frozen=True, slots=True)
class Series:
    """A line to draw: what was known of a bot at the chart's times, None before its first game."""

    name: str
    skills: tuple[Skill | None, ...]

    @property
    def ratings(self) -> list[float]:
        """Return the known ratings in points."""
        return [skill.rating / 1000 for skill in self.skills if skill]

    @property
    def deviation(self) -> float:
        """Return the last deviation in points."""
        return next((skill.deviation / 1000 for skill in reversed(self.skills) if skill), 0.0)


@dataclass(frozen=True, slots=True)
class ChartLine:
    """A line as drawn: `points` as an SVG polyline has them, `shapes` where its shape stands.

    `band` is the polygon around it, one deviation up and down, cut off at the chart's edges.
    `first`, `last`, `low` and `high` are its ratings in whole points.
    """

    name: str
    shape: str
    points: str
    band: str
    shapes: tuple[tuple[float, float], ...]
    first: int
    last: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class DateMark:
    """A date below a chart: text, x, exact time; `near` if the text has the hour."""

    text: str
    x: float
    at: datetime
    near: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines, the grid behind them, (rating, y) each, and dates below."""

    width: int
    height: int
    lines: tuple[ChartLine, ...]
    grid: tuple[tuple[int, float], ...]
    dates: tuple[DateMark, ...]


def rating_chart(times: Sequence[datetime], series: Sequence[Series]) -> Chart | None:
    """Return a chart of ratings over time, or None if there are fewer than two times.

    A line that has no value is left out. What is computed is kept: most pages show it unchanged.
    """
    return _chart(tuple(times), tuple(series), language())


@lru_cache(_CHARTS)
def _chart(times: tuple[datetime, ...], series: tuple[Series, ...], code: str) -> Chart | None:
    drawn = [one for one in series if any(one.skills)]
    if len(times) < 2 or not drawn:
        return None
    ratings = [rating for one in drawn for rating in one.ratings]
    margin = max(_MARGIN, *(one.deviation for one in drawn))
    low, high = min(ratings) - margin, max(ratings) + margin
    begin, span = times[0], (times[-1] - times[0]).total_seconds()

    def x(index: int) -> float:
        gone = (times[index] - begin).total_seconds() / span if span else index / (len(times) - 1)
        return round(_LEFT + gone * (WIDTH - _LEFT - _RIGHT), 1)

    def y(rating: float) -> float:
        part = (min(max(rating, low), high) - low) / (high - low)
        return round(HEIGHT - _BOTTOM - part * (HEIGHT - _TOP - _BOTTOM), 1)

    lines = []
    for number, one in enumerate(drawn):
        known_at = [(x(index), skill) for index, skill in enumerate(one.skills) if skill]
        points, over, under = (
            [(x, y((skill.rating + sign * skill.deviation) / 1000)) for x, skill in known_at]
            for sign in (0, 1, -1)
        )
        band = _points([*over, *reversed(under)])
        lines.append(_line(one, SHAPES[number % len(SHAPES)], points, band, 2 * number))
    grid = tuple((rating, y(rating)) for rating in _grid(low, high))
    return Chart(
        WIDTH, HEIGHT, tuple(lines), grid, _dates(begin, times[-1], LANGUAGES[code].locale)
    )


def sparkline(ratings: Sequence[int]) -> str | None:
    """Return the points of a small line without a scale, or None before the second rating."""
    if len(ratings) < 2:
        return None
    low, high = min(ratings), max(ratings)
    step = (SPARK_WIDTH - 4) / (len(ratings) - 1)
    tall = SPARK_HEIGHT - 4
    return " ".join(
        f"{2 + step * index:.1f},{2 + tall * (high - rating) / max(1, high - low):.1f}"
        for index, rating in enumerate(ratings)
    )


@dataclass(frozen=True, slots=True)
class IntervalScale:
    """Place ratings in milli-Elo on a rail of 100 units."""

    low: int
    high: int

    @classmethod
    def around(cls, ends: Sequence[int | None]) -> Self:
        """Return the scale that fits all the ends of intervals."""
        limits = [end for end in ends if end is not None]
        return cls(min(limits, default=0), max(limits, default=1))

    def x(self, milli: int) -> float:
        """Return a place from 2 to 98, so that a mark at the end is whole."""
        return round(2 + 96 * (milli - self.low) / max(1, self.high - self.low), 1)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _line(
    series: Series, shape: str, points: list[tuple[float, float]], band: str, offset: int
) -> ChartLine:
    """Draw a line, with its shapes at other points than the other lines' shapes."""
    ratings = series.ratings
    marked = [*points[offset % _SHAPE_EVERY : -1 : _SHAPE_EVERY], points[-1]]
    return ChartLine(
        name=series.name,
        shape=shape,
        points=_points(points),
        band=band,
        shapes=tuple(marked),
        first=round(ratings[0]),
        last=round(ratings[-1]),
        low=round(min(ratings)),
        high=round(max(ratings)),
    )


def _dates(begin: datetime, end: datetime, where: Locale) -> tuple[DateMark, ...]:
    """Return evenly spaced dates, each once; with the time of day if all is within three days."""
    near = (end - begin).days < 3
    step = (end - begin) / (_DATES - 1)
    width = WIDTH - _LEFT - _RIGHT
    marks: list[DateMark] = []
    for number in range(_DATES):
        at = begin + number * step
        text = _date(at, where, near)
        if not marks or marks[-1].text != text:
            x = round(_LEFT + width * number / (_DATES - 1), 1)
            marks.append(DateMark(text, x, at, near))
    return tuple(marks)


def _date(time: datetime, where: Locale, near: bool) -> str:
    day = format_skeleton("MMMd", time, locale=where)
    return f"{day} {format_time(time, 'short', locale=where)}" if near else day


def _grid(low: float, high: float) -> range:
    """Return a handful of round ratings within the bounds."""
    pitch = next((p for p in _PITCHES if (high - low) / p <= _MOST_GRID_LINES), _PITCHES[-1])
    return range(ceil(low / pitch) * pitch, floor(high) + 1, pitch)
