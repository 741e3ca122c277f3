"""Charts that the server draws: where their lines go, in the units of an SVG view box."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

WIDTH = 720
HEIGHT = 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 12, 16
_MARGIN = 5.0
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
    """A bot's rating game by game, a line for each table size; None before its second game.

    `history`: (result number, seats, rating in milli-Elo), oldest first.
    """
    if len(history) < 2:
        return None
    ladders = {
        seats: [milli / 1000 for _, size, milli in history if size == seats]
        for seats in sorted({seats for _, seats, _ in history})
    }
    low = min(map(min, ladders.values())) - _MARGIN
    high = max(map(max, ladders.values())) + _MARGIN
    most = max(map(len, ladders.values()))

    def x(game: int) -> float:
        return round(_LEFT + game / max(1, most - 1) * (WIDTH - _LEFT - _RIGHT), 1)

    def y(rating: float) -> float:
        part = (rating - low) / (high - low)
        return round(HEIGHT - _BOTTOM - part * (HEIGHT - _TOP - _BOTTOM), 1)

    lines = tuple(
        Line(
            seats=seats,
            points=" ".join(f"{x(game)},{y(rating)}" for game, rating in enumerate(ratings)),
            end=(x(len(ratings) - 1), y(ratings[-1])),
            rating=round(ratings[-1]),
        )
        for seats, ratings in ladders.items()
    )
    return RatingChart(
        WIDTH, HEIGHT, lines, tuple((rating, y(rating)) for rating in _grid(low, high))
    )


def _grid(low: float, high: float) -> range:
    """Round ratings within the bounds, a handful of them."""
    pitch = next((p for p in _PITCHES if (high - low) / p <= _MOST_GRID_LINES), _PITCHES[-1])
    return range(ceil(low / pitch) * pitch, floor(high) + 1, pitch)
