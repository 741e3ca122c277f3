"""Charts that the server draws: where their lines go, in the units of an SVG view box."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 720
HEIGHT = 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 12, 16
_PITCHES = (10, 20, 50, 100, 200, 500, 1000)
_MOST_GRID_LINES = 5


@dataclass(frozen=True, slots=True)
class Line:
    """The rating on one ladder: `points` as an SVG polyline has them, and where it ends."""

    seats: int
    points: str
    end: tuple[float, float]
    rating: int


@dataclass(frozen=True, slots=True)
class RatingChart:
    """Lines and the grid behind them: (rating, y) of each grid line."""

    width: int
    height: int
    lines: tuple[Line, ...]
    grid: tuple[tuple[int, float], ...]


def rating_lines(history: Sequence[tuple[int, int, int]]) -> RatingChart | None:
    """A bot's ratings over its results, a line a table size; None before its second result.

    `history`: (result number, seats, rating in milli-Elo), oldest first.
    """
    if len(history) < 2:
        return None
    results = [number for number, _, _ in history]
    ratings = [milli / 1000 for _, _, milli in history]
    low, high = min(ratings) - 5, max(ratings) + 5

    def x(number: int) -> float:
        part = (number - results[0]) / max(1, results[-1] - results[0])
        return round(_LEFT + part * (WIDTH - _LEFT - _RIGHT), 1)

    def y(rating: float) -> float:
        part = (rating - low) / (high - low)
        return round(HEIGHT - _BOTTOM - part * (HEIGHT - _TOP - _BOTTOM), 1)

    lines = []
    for seats in sorted({seats for _, seats, _ in history}):
        own = [(number, milli / 1000) for number, size, milli in history if size == seats]
        ends, rating = own[-1]
        path = " ".join(f"{x(number)},{y(value)}" for number, value in own)
        lines.append(Line(seats, path, (x(ends), y(rating)), round(rating)))
    pitch = next((p for p in _PITCHES if (high - low) / p <= _MOST_GRID_LINES), _PITCHES[-1])
    first = -int(-low // pitch) * pitch
    grid = tuple((rating, y(rating)) for rating in range(first, int(high) + 1, pitch))
    return RatingChart(WIDTH, HEIGHT, tuple(lines), grid)
