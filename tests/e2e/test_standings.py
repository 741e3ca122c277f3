"""What a spectator does before there is a replay to watch: ladders, charts, bots, lists."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Lender, chromium, keep_picture, watched
from tests.e2e.santiago import own_folder
from tests.e2e.season import FIELD, Season, play_season
from tests.e2e.sites import site
from tests.e2e.visiting import follow

NAMES = sorted(one.name for one in FIELD)


@pytest.fixture(scope="module")
def ended() -> Iterator[tuple[Season, str]]:
    """A season that is over, and its site."""
    with own_folder() as folder:
        season = play_season(folder)
        with site(f"sqlite:///{folder}/ladder.db") as address:
            yield season, address


@pytest.fixture(scope="module")
def season(ended: tuple[Season, str]) -> Season:
    return ended[0]


@pytest.fixture(scope="module")
def address(ended: tuple[Season, str]) -> str:
    return ended[1]


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lender(browser: Browser, address: str) -> Lender:
    return Lender(browser, address)


@pytest.fixture
def page(lender: Lender) -> Iterator[Page]:
    with lender.page() as lent:
        yield lent


def test_the_chart_has_the_bots_that_one_chooses(page: Page) -> None:
    page.goto("/?seats=4")
    page.get_by_role("link", name="Ratings over time").click()
    lines = page.locator(".history-chart polyline")
    expect(lines).to_have_count(len(NAMES))
    expect(page.locator(".history-chart .band")).to_have_count(len(NAMES))
    page.get_by_role("link", name="Remove rumba").click()
    expect(lines).to_have_count(len(NAMES) - 1)
    page.get_by_label("Bot or author").fill("rum")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Add rumba").click()
    expect(lines).to_have_count(len(NAMES))
    expect(page.locator(".history-chart .key")).to_have_count(len(NAMES))
    page.get_by_text("As a table").click()
    expect(page.locator(".history-chart tbody tr")).to_have_count(len(NAMES))
    keep_picture(page, "history-table")
    page.get_by_role("navigation", name="Time").get_by_text("Week").click()
    expect(lines).to_have_count(len(NAMES))
    expect(page.get_by_role("link", name="Week")).to_have_attribute("aria-current", "page")


def test_the_page_of_a_bot(page: Page, season: Season) -> None:
    page.goto("/?seats=3")
    follow(page.get_by_role("link", name="havana"))
    assert page.locator(".figures > li").count() == 3
    assert page.locator(".history-chart polyline").count() == 3
    against = page.get_by_role("group", name="Against others")
    assert sorted(against.locator("a.bot").all_inner_texts()) == [n for n in NAMES if n != "havana"]
    page.get_by_role("link", name="How it plays").click()
    expect(page.get_by_role("heading", name="Favourite citizens")).to_be_visible()
    page.get_by_role("link", name="havana").click()
    follow(against.get_by_role("link", name="games against rumba"))
    expect(page.get_by_role("heading", level=1)).to_have_text("havana – rumba")
    seen = cards(page)
    assert seen.count() > 0
    for seats in seen.all():
        assert {"havana", "rumba"} <= set(seats.locator("a.bot").all_inner_texts())


def cards(page: Page) -> Locator:
    """Who sat at the tables of the matches that are shown."""
    return page.locator(".match-cards .table-seats")


def test_dates_below_a_chart_are_in_the_readers_zone(browser: Browser, address: str) -> None:
    dates = []
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # never on the same day
        context = browser.new_context(base_url=address, locale="en-GB", timezone_id=zone)
        with context, watched(context, address) as page:
            page.goto("/standings/history?seats=2")
            dates.append(page.locator(".history-chart [data-day]").all_text_contents())
    assert len(dates[0]) == len(dates[1]) > 0
    assert not any(one == other for one, other in zip(*dates, strict=True))


def test_the_list_of_matches_is_filtered_and_paged(page: Page, season: Season) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/matches")
    page.locator("tbody img").first.evaluate("image => image.decode()")
    boards = [url for url in asked if "/board.svg?" in url]
    assert 0 < len(boards) < page.locator("tbody img").count(), "those that are far below can wait"
    first = page.locator("tbody th").first.inner_text()
    follow(page.get_by_role("link", name="Older"))
    assert page.locator("tbody th").first.inner_text() != first
    follow(page.get_by_role("link", name="Newest"))
    assert page.locator("tbody th").first.inner_text() == first
    page.get_by_label("Bot").fill("havana")
    page.get_by_label("Against").fill("vedado")
    page.get_by_label(re.compile("^Tournament")).select_option("Copa del Puerto")
    follow(page.get_by_role("button", name="Show"))
    expect(page.locator("tbody tr")).to_have_count(2)
    for row in page.locator("tbody tr").all():
        assert sorted(row.locator("a.bot").all_inner_texts()) == ["havana", "vedado"]
    expect(page.get_by_label("Margin")).to_be_hidden()
    page.get_by_text("More filters").click()
    page.get_by_label("Margin").select_option("1")
    follow(page.get_by_role("button", name="Show"))
    expect(page.get_by_label("Margin")).to_have_value("1")
    expect(page.get_by_label("Margin")).to_be_visible()
    page.go_back()
    follow(page.locator("tbody th a").first)
    expect(page.locator("[data-part=sentence]")).to_contain_text("sit down to play.")
