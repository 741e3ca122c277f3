"""What a spectator does before there is a replay to watch: ladders, charts, bots, lists."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.browser import Lender, chromium, clean_page, keep_picture, watched
from tests.e2e.santiago import own_folder
from tests.e2e.season import FIELD, Season, play_season, renew
from tests.e2e.sites import site
from tests.e2e.visiting import follow

NAMES = sorted(one.name for one in FIELD)


@pytest.fixture(scope="module")
def ended() -> Iterator[tuple[Season, str]]:
    """A season that is over, and its site."""
    with own_folder() as folder:
        season = play_season(folder)
        renew(folder, FIELD[-1])
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


def bots(page: Page) -> list[str]:
    """The bots of the table, from above."""
    return page.locator(".standings tbody a.bot").all_inner_texts()


def column(page: Page, head: str) -> list[float]:
    """The numbers below a head of the table."""
    heads = [text.strip(" ↑↓") for text in page.locator(".standings thead th").all_inner_texts()]
    place = heads.index(head) + 1
    cells = page.locator(f".standings tbody tr > :nth-child({place})").all_inner_texts()
    return [float(re.findall(r"[\d.]+", text)[0]) for text in cells]


def test_each_table_size_has_its_ladder(page: Page) -> None:
    page.goto("/")
    assert sorted(bots(page)) == NAMES
    for seats in (2, 3, 4):
        follow(page.get_by_role("navigation", name="Table size").get_by_text(f"{seats} seats"))
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Tables of {seats}")
        assert sorted(bots(page)) == NAMES
        assert page.locator(".standings .reach").count() == len(NAMES)
        assert page.locator(".standings .plus-minus").count() == len(NAMES)
        assert page.locator(".standings .spark").count() == len(NAMES)


def test_a_new_version_keeps_the_rating_and_is_marked(page: Page) -> None:
    page.goto("/?seats=2")
    row = page.locator(".standings tbody tr").filter(has_text="vedado")
    expect(row.locator(".mark-of")).to_have_text("new version")
    expect(row).to_contain_text("v2")


def test_a_click_on_a_head_sorts_and_another_one_turns_it_round(page: Page) -> None:
    page.goto("/?seats=3")
    for head in ("Bot", "Elo", "Games", "Won", "Faults"):
        follow(page.get_by_role("link", name=head, exact=True))
        sorted_by = page.locator("th[aria-sort]")
        expect(sorted_by).to_have_text(head)
        once, way = bots(page), sorted_by.get_attribute("aria-sort")
        follow(sorted_by.get_by_role("link"))
        expect(page.locator(f"th[aria-sort]:not([aria-sort={way}])")).to_have_text(head)
        assert sorted(bots(page)) == sorted(once) == NAMES
        if head == "Bot":
            assert (once, bots(page)) == (NAMES, NAMES[::-1])
    follow(page.get_by_role("link", name="Elo", exact=True))
    assert column(page, "Elo") == sorted(column(page, "Elo"), reverse=True)
    follow(page.get_by_role("link", name="Faults", exact=True))
    follow(page.get_by_role("link", name="Faults", exact=True))
    assert column(page, "Faults") == sorted(column(page, "Faults"))
    assert sum(column(page, "Faults")) in (0, 1)


def test_a_search_finds_bots_and_authors(page: Page) -> None:
    page.goto("/?seats=2")
    page.get_by_label("Bot or author").fill("UMB")
    follow(page.get_by_role("button", name="Find"))
    assert bots(page) == ["rumba"]
    page.get_by_label("Bot or author").fill("ana")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert sorted(bots(page)) == ["havana", "malecon"]
    page.get_by_label("Bot or author").fill("nobody at all")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No bot found")).to_be_visible()
    page.get_by_role("link", name="Show all bots").click()
    expect(page.locator(".standings tbody tr")).to_have_count(len(NAMES))


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


def test_the_matches_of_a_bot_are_filtered(page: Page, season: Season) -> None:
    page.goto(f"/bots/{season.bots['havana']}/matches")
    page.get_by_label("Seats").select_option("4")
    follow(page.get_by_role("button", name="Show"))
    expect(page.get_by_label("Seats")).to_have_value("4")
    assert {seats.locator("li").count() for seats in cards(page).all()} == {4}
    page.get_by_label("Seats").select_option("")
    page.get_by_label("Faults").select_option("1")
    follow(page.get_by_role("button", name="Show"))
    expect(page.get_by_label("Faults")).to_have_value("1")
    faulted = cards(page).count()
    assert page.locator(".match-cards .fault-mark").count() == faulted <= 1


def test_the_list_of_matches_is_filtered_and_paged(page: Page, season: Season) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/matches")
    page.wait_for_load_state("networkidle")
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


def test_how_fair_the_ladder_is(page: Page) -> None:
    page.goto("/?seats=3")
    page.get_by_role("link", name="How fair is the ladder?").click()
    seats = page.get_by_role("group", name="Wins by seat").locator("tbody tr")
    expect(seats).to_have_count(3)
    for part in ("Wins behind a bot", "Games per bot", "Waiting", "Pairs that stand out"):
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    page.get_by_role("navigation", name="Table size").get_by_text("4 seats").click()
    expect(seats).to_have_count(4)


def test_a_dead_end_says_so(browser: Browser, address: str) -> None:
    with clean_page(browser, address, refused=True) as page:
        page.goto("/bots/4711")
        expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
        page.get_by_role("link", name="To the home page").click()
        expect(page.locator(".standings tbody tr")).to_have_count(len(NAMES))
