"""Numbers and times as each language writes them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from flask import Flask

from web import formats, languages
from web.languages import ngettext

_TIME = datetime(2026, 3, 4, 15, 6, 59, tzinfo=UTC)


@contextmanager
def page(app: Flask, code: str) -> Iterator[None]:
    """While a page in this language is made."""
    with app.test_request_context(headers={"Accept-Language": code}):
        yield


def test_a_rating_below_zero_has_a_minus() -> None:
    assert [formats.elo(milli) for milli in (-1_499_600, -400, 1_500_400)] == ["−1500", "0", "1500"]


def test_a_time_of_a_clock_has_all_its_digits(app: Flask) -> None:
    with page(app, "de"):
        times = [formats.exact(seconds) for seconds in (10.0, 0.1, 12345.67)]
    assert times == ["10", "0,1", "12345,67"]


def test_points_have_halves() -> None:
    values = (0, 0.5, 1, 3, 3.5)
    assert [formats.points(value) for value in values] == ["0", "½", "1", "3", "3½"]


@pytest.mark.parametrize(
    ("code", "one", "many", "part", "time"),
    [
        ("en", "2.5", "12,345", "45%", "4 Mar 2026, 15:06 UTC"),
        ("de", "2,5", "12.345", "45\N{NO-BREAK SPACE}%", "04.03.2026, 15:06 UTC"),
        ("es", "2,5", "12.345", "45\N{NO-BREAK SPACE}%", "4 mar 2026, 15:06 UTC"),
        ("it", "2,5", "12.345", "45%", "4 mar 2026, 15:06 UTC"),
    ],
)
def test_each_language_writes_numbers_and_times_in_its_own_way(
    app: Flask, code: str, one: str, many: str, part: str, time: str
) -> None:
    with page(app, code):
        assert formats.decimal(2.46) == one
        assert languages.count(12345) == many
        assert formats.share(45, 100) == part
        assert formats.moment(_TIME) == (
            f'<time datetime="2026-03-04T15:06:59+00:00">{time}</time>'
        )


def test_french_has_narrow_spaces(app: Flask) -> None:
    with page(app, "fr"):
        assert languages.count(12345) == "12\N{NARROW NO-BREAK SPACE}345"
        assert formats.percent(0.4551, 1).replace("\N{NARROW NO-BREAK SPACE}", " ")[:4] == "45,5"


def test_signs_and_what_is_not_there(app: Flask) -> None:
    with page(app, "en"):
        assert formats.decimal(-0.5) == "−0.5"
        assert formats.decimal(0.5, signed=True) == "+0.5"
        assert formats.decimal(-1234.5, 0) == "−1,234"
        assert languages.count(999) == "999"
        assert formats.moment(None) == "–"
        assert formats.share(1, 0) == "–"
        assert formats.percent(1 / 3, 1) == "33.3%"


@pytest.mark.parametrize(
    ("code", "counted", "short", "long"),
    [
        ("en", "12,345 games", "20 secs", "5 mins"),
        ("de", "12.345 Partien", "20 Sek.", "5 Min."),
        ("it", "12.345 partite", "20 s", "5 min"),
    ],
)
def test_counts_and_waits_in_sentences(
    app: Flask, code: str, counted: str, short: str, long: str
) -> None:
    with page(app, code):
        assert ngettext("%(num)s game", "%(num)s games", 12_345) == counted
        assert formats.duration(20).replace("\N{NO-BREAK SPACE}", " ") == short
        assert formats.duration(300).replace("\N{NO-BREAK SPACE}", " ") == long


def test_halves_of_a_per_cent_go_up_as_in_the_viewers_charts(app: Flask) -> None:
    with page(app, "en"):
        shown = [formats.percent(milli / 1000) for milli in range(1001)]
        assert formats.percent(0.0625, 1) == "6.3%"
    assert shown == [f"{(milli + 5) // 10}%" for milli in range(1001)]


@pytest.mark.parametrize(("luck", "shown"), [(-0.0004, "+0.0%"), (-0.0006, "−0.1%")])
def test_luck_that_is_rounded_away_has_no_minus(app: Flask, luck: float, shown: str) -> None:
    macro = '{% from "replays/analysis_macros.html" import signed %}{{ signed(luck, 1) }}'
    with page(app, "en"):
        assert app.jinja_env.from_string(macro).render(luck=luck) == shown


@pytest.mark.parametrize(
    ("code", "sizes"),
    [
        ("en", ("1 kB", "1.5 kB", "1 MB")),
        ("de", ("1 kB", "1,5 kB", "1 MB")),
        ("fr", ("1 ko", "1,5 ko", "1 Mo")),
        ("it", ("1 kB", "1,5 kB", "1 MB")),
    ],
)
def test_one_kilobyte_has_the_same_unit_as_two(
    app: Flask, code: str, sizes: tuple[str, ...]
) -> None:
    with page(app, code):
        shown = (formats.size(count) for count in (1024, 1536, 1024 * 1024))
        assert tuple(" ".join(size.split()) for size in shown) == sizes


def test_a_size_stays_on_one_line(app: Flask) -> None:
    with page(app, "de"):
        assert formats.size(1536) == "1,5\N{NO-BREAK SPACE}kB"


def test_a_few_bytes_are_more_than_nothing(app: Flask) -> None:
    with page(app, "en"):
        shown = [" ".join(formats.size(count).split()) for count in (0, 1, 20, 1000)]
    assert shown == ["0 kB", "0.1 kB", "0.1 kB", "1 kB"]
