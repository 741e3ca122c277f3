"""Where nothing moves the site needs no JavaScript: reading, signing up, submitting, organising."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import free_port
from tests.e2e.bots import bot_at, sample_bot
from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.gates import enter
from tests.e2e.processes import until
from tests.e2e.santiago import own_folder
from tests.e2e.season import FIELD, ORGANISER, Season, play_season
from tests.e2e.sites import parts
from tests.e2e.visiting import field, follow, sign_in

PAUSE = 500  # milliseconds between two looks at a page
PLAYED_WITHIN = 300_000  # milliseconds, on a busy machine


@dataclass(frozen=True)
class Arena:
    """A service on which a season was played, with two bots that run."""

    address: str
    season: Season


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with own_folder() as folder:
        season = play_season(folder / "data")
        with sample_bot(folder) as bot, parts(folder) as running:
            with running.ladder() as session:
                enter(session, {"uno": bot, "dos": bot})
                session.commit()
            yield Arena(running.address, season)


@pytest.fixture(scope="module")
def browser(arena: Arena) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser, arena: Arena) -> Iterator[Page]:
    with clean_page(browser, arena.address, script=False) as opened:
        yield opened


def look_again(page: Page, seen: Callable[[], bool]) -> None:
    """Loads the page until it is seen."""

    def once_more() -> bool:
        page.wait_for_timeout(PAUSE)
        page.reload()
        return seen()

    until(once_more)


def test_the_ladder_is_sorted_and_searched(page: Page) -> None:
    page.goto("/")
    follow(page.get_by_role("link", name="3 seats").first)
    page.get_by_role("link", name="Games", exact=True).click()
    expect(page.locator("th[aria-sort]")).to_have_text("Games")
    field_of_search = page.get_by_label("Bot or author")
    field_of_search.fill("rum")
    field_of_search.press("Enter")
    expect(page.locator(".standings tbody a.bot")).to_have_text(["rumba"])
    expect(page.locator("th[aria-sort]")).to_have_text("Games")


def test_a_game_is_read_in_words(page: Page) -> None:
    page.goto("/matches/2")
    follow(page.get_by_role("link", name="whole game in words"))
    assert page.locator(".sentences li").count() > 50
    keep_picture(page, "match-words-without-script")
    page.goto("/matches")
    expect(page.locator("tbody time").first).to_contain_text("UTC")


def test_charts_and_tables_are_there(page: Page, arena: Arena) -> None:
    page.goto("/standings/history?seats=2")
    expect(page.locator(".history-chart polyline")).to_have_count(len(FIELD))
    page.goto(f"/bots/{arena.season.bots['havana']}")
    expect(page.locator(".history-chart polyline")).to_have_count(3)
    page.goto(f"/tournaments/{arena.season.cups[2]}")
    expect(page.get_by_role("group", name="Cross table")).to_be_visible()


def test_sign_up_and_submit_until_the_bot_plays(page: Page) -> None:
    page.goto("/sign-up")
    field(page, "Name").fill("quieta")
    field(page, "Password").fill("no script at all")
    follow(page.get_by_role("button", name="Sign up"))
    page.goto("/bots/submit")
    address, secret = f"127.0.0.1:{free_port()}", field(page, "Secret").input_value()
    field(page, "Name").fill("siesta")
    field(page, "Version").fill("1")
    field(page, "Address").fill(address)
    keep_picture(page, "submit-without-script")
    with bot_at(address, secret):
        follow(page.get_by_role("button", name="Submit"))
        # The page comes again by itself: to load it meanwhile would meet that.
        expect(page.get_by_text("Active since")).to_be_visible(timeout=PLAYED_WITHIN)
    expect(page.get_by_text(re.compile(r"All \d+ checks passed"))).to_be_visible()


def test_a_tournament_is_made_started_and_over(page: Page) -> None:
    sign_in(page, ORGANISER)
    page.goto("/tournaments/new")
    page.get_by_label("Round robin").check()
    field(page, "Seats at a table").select_option("2")
    field(page, "Deals").fill("1")
    for bot in ("uno", "dos"):
        page.get_by_label("Bot or author").fill(bot)
        with page.expect_navigation():
            page.get_by_label("Bot or author").press("Enter")
        page.get_by_role("group", name="Bots").get_by_label(bot).first.check()
    keep_picture(page, "tournament-new-without-script")
    field(page, "Name").fill("Copa Callada")
    with page.expect_navigation():
        field(page, "Name").press("Enter")
    follow(page.get_by_role("button", name="Start"))
    look_again(page, lambda: page.locator("h1 .state").inner_text() == "finished")
    expect(page.locator("[data-count=finished]")).to_have_text("2")
    keep_picture(page, "tournament-without-script")
