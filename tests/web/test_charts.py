from web.charts import HEIGHT, WIDTH, rating_lines


def test_one_game_makes_no_line() -> None:
    assert rating_lines([(1, 2, 1_500_000)]) is None


def test_a_line_for_each_table_size() -> None:
    chart = rating_lines([(1, 2, 1_510_000), (2, 4, 1_480_000), (3, 2, 1_530_000)])
    assert chart is not None
    assert [(line.seats, line.rating) for line in chart.lines] == [(2, 1530), (4, 1480)]
    for line in chart.lines:
        assert 0 < line.end[0] < WIDTH
        assert 0 < line.end[1] < HEIGHT
    assert [rating for rating, _ in chart.grid] == [1480, 1500, 1520]


def test_better_ratings_are_higher() -> None:
    chart = rating_lines([(1, 2, 1_500_000), (2, 2, 1_520_000)])
    assert chart is not None
    first, second = (point.split(",") for point in chart.lines[0].points.split())
    assert float(second[1]) < float(first[1])
    assert float(second[0]) > float(first[0])


def test_a_rating_that_never_moved() -> None:
    assert rating_lines([(1, 2, 1_500_000), (2, 2, 1_500_000)]) is not None
