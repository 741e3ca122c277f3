from datetime import UTC, datetime, timedelta

from ladder.ratings.elo import Skill
from web.charts import HEIGHT, WIDTH, IntervalScale, Series, rating_chart, sparkline

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def hours(count: int) -> list[datetime]:
    return [NOON + timedelta(hours=hour) for hour in range(count)]


def test_one_time_makes_no_line() -> None:
    assert rating_chart(hours(1), [Series("ana", (Skill(1_500_000, 30_000),))]) is None
    assert rating_chart(hours(2), [Series("ana", (None, None))]) is None


def test_a_line_for_each_series_with_a_shape_of_its_own() -> None:
    series = [
        Series("ana", (Skill(1_510_000, 30_000), Skill(1_530_000, 30_000))),
        Series("luz", (None, Skill(1_480_000, 30_000))),
    ]
    chart = rating_chart(hours(2), series)
    assert chart is not None
    ana, luz = chart.lines
    assert (ana.name, ana.first, ana.low, ana.high, ana.last) == ("ana", 1510, 1510, 1530, 1530)
    assert (luz.first, luz.last) == (1480, 1480)
    assert ana.shape != luz.shape
    for line in chart.lines:
        x, y = line.shapes[-1]
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT
    assert [rating for rating, _ in chart.grid] == [1450, 1500, 1550]
    corners = [tuple(map(float, corner.split(","))) for corner in ana.band.split()]
    assert corners == [(48.0, 48.7), (704.0, 12.0), (704.0, 122.2), (48.0, 158.9)]


def test_better_ratings_are_higher_and_later_ones_further_right() -> None:
    chart = rating_chart(
        hours(2), [Series("ana", (Skill(1_500_000, 30_000), Skill(1_520_000, 30_000)))]
    )
    assert chart is not None
    first, second = (point.split(",") for point in chart.lines[0].points.split())
    assert float(second[1]) < float(first[1])
    assert float(second[0]) > float(first[0])


def test_a_rating_that_never_moved_at_one_time() -> None:
    still = Series("ana", (Skill(1_500_000, 30_000),) * 2)
    assert rating_chart([NOON, NOON], [still]) is not None


def test_dates_have_the_time_of_day_where_all_is_near() -> None:
    series = [Series("ana", (Skill(1_500_000, 30_000), Skill(1_500_000, 30_000)))]
    near = rating_chart(hours(2), series)
    far = rating_chart([NOON, NOON + timedelta(days=40)], series)
    assert near is not None
    assert far is not None
    assert near.dates[0].text == "20 Nov 12:00"
    assert far.dates[-1].text == "30 Dec"
    assert [near.dates[0].at, near.dates[-1].at] == hours(2)
    at_once = rating_chart([NOON, NOON + timedelta(seconds=9)], series)
    assert at_once is not None
    assert [date.text for date in at_once.dates] == ["20 Nov 12:00"], "each is said once"


def test_sparklines() -> None:
    assert sparkline([1_500_000]) is None
    assert sparkline([1_000, 2_000, 1_000]) == "2.0,18.0 40.0,2.0 78.0,18.0"
    assert sparkline([5, 5]) == "2.0,2.0 78.0,2.0"


def test_intervals_fit_on_their_scale() -> None:
    scale = IntervalScale.around([1_400_000, None, 1_600_000])
    assert (scale.x(1_400_000), scale.x(1_500_000), scale.x(1_600_000)) == (2, 50, 98)
    assert IntervalScale.around([]).x(0) == 2
