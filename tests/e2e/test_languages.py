"""The site in the reader's language: by the browser's wish, and by the switch."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import chromium, clean_page, overhang
from tests.e2e.santiago import own_folder
from tests.e2e.sites import site
from tests.ladder.databases import new_ladder, session_on
from tests.web.arena import play_next, register, tournament
from web import catalogues

_DAY = {"de": r"\d{2}\.\d{2}\.\d{4}", "en": r"\d{1,2} [A-Z][a-z]{2,3} \d{4}"}

_NARROW = (
    "/",
    "/?seats=2",
    "/fairness?seats=2",
    "/matches",
    "/matches/1",
    "/matches/1/words",
    "/tournaments/1",
    "/bots/1",
    "/rules",
    "/sign-up",
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A site with one match."""
    with own_folder() as folder:
        url = new_ladder(folder / "ladder.db")
        with session_on(url) as session:
            play_next(session, tournament(session, register(session, ["ana", "luz"])))
        with site(url) as started:
            yield started


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize(("locale", "code"), [("de-AT", "de"), ("en-GB", "en")])
def test_pages_and_their_times_are_as_the_browser_wishes(
    browser: Browser, address: str, locale: str, code: str
) -> None:
    with clean_page(browser, address, locale=locale) as page:
        page.goto("/matches")
        expect_language(page, code)
        expect(page.locator("time").first).to_have_text(re.compile(_DAY[code]))


def test_the_switch_counts_more_from_then_on(browser: Browser, address: str) -> None:
    with clean_page(browser, address, locale="de-DE", width=360) as page:
        page.goto("/matches?state=finished")
        expect_language(page, "de")
        page.get_by_role("link", name="Italiano").click()
        expect_language(page, "it")
        expect(page).to_have_url(f"{address}/it/matches?state=finished")
        expect(page.get_by_role("link", name="Italiano")).to_have_attribute("aria-current", "true")
        page.goto("/matches/1")
        expect_language(page, "it")
        told = page.request.get("/matches/1/frames").json()["frames"][0]["text"]
        expect(page.locator("[data-part=sentence]")).to_have_text(told)
        expect(page.locator("[data-loading]")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**/matches/1?at=1")
        page.get_by_role("link", name="Deutsch").click()
        expect(page).to_have_url(f"{address}/de/matches/1?at=1")


@pytest.mark.parametrize("code", catalogues.TRANSLATED)
def test_no_language_is_too_wide_for_a_narrow_screen(
    browser: Browser, address: str, code: str
) -> None:
    with clean_page(browser, address, locale=code, width=360) as page:
        for path in _NARROW:
            page.goto(path)
            expect_language(page, code)
            expect(page.locator("[data-loading]")).to_have_count(0)
            assert overhang(page) <= 0, path


def expect_language(page: Page, code: str) -> None:
    """The page says that it is in this language."""
    expect(page.locator("html")).to_have_attribute("lang", code)
