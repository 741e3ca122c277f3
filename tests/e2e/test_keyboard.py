"""The site without a mouse, and without motion for who asks for none."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.browser import Lender, chromium, watched
from tests.e2e.santiago import own_folder
from tests.e2e.season import ADMIN, AUTHOR, ORGANISER, play_season
from tests.e2e.sites import site
from tests.e2e.visiting import contexts

ROUND = 400  # more stops than a page has
CONTROLS = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
  const chosen = (one) => one.type !== "radio" || one.checked;
  // A thumbnail stands beside a link to the same place, a line of the log is what the slider shows.
  const link = "a[href]:not([aria-hidden], .log [tabindex='-1'])";
  const all = document.querySelectorAll(`${link}, button, input, select, textarea, summary`);
  return [...all].filter((one) => shown(one) && chosen(one)).map((one, number) => {
    one.dataset.control = number;
    return one.outerHTML.slice(0, 90);
  });
}"""
STOP = """() => {
  const { activeElement: one } = document;
  if (one === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  return {
    control: one.dataset.control ?? null,
    marked: outlineStyle !== "none" && parseFloat(outlineWidth) > 0,
    seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight,
    shown: one.outerHTML.slice(0, 90),
  };
}"""
COVERED = """() => {
  const { activeElement: one } = document;
  if (one === document.body) return null;
  const { left, top, width, height } = one.getBoundingClientRect();
  const parts = [0.1, 0.5, 0.9];
  const points = parts.flatMap((x) => parts.map((y) => [left + x * width, top + y * height]));
  const seen = points.some(([x, y]) => one.contains(document.elementFromPoint(x, y)));
  return seen ? "" : one.outerHTML.slice(0, 90);
}"""
"""What has the focus if no part of it is seen, or nothing."""
COUNT_MOTION = """() => {
  window.moved = 0;
  addEventListener("keydown", () => { window.moved += document.getAnimations().length; });
}"""
"""Counts all that moves as soon as the page has taken a key: none of it lasts for long."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The site of a season that is over."""
    with own_folder() as folder:
        play_season(folder)
        with site(f"sqlite:///{folder}/ladder.db") as found:
            yield found


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lender(browser: Browser, address: str) -> Lender:
    return Lender(browser, address)


@pytest.fixture(scope="module")
def visitors(browser: Browser, address: str) -> dict[str | None, BrowserContext]:
    return contexts(browser, address, (AUTHOR, ORGANISER, ADMIN))


@pytest.mark.parametrize(
    ("path", "who"),
    [
        ("/", None),
        ("/?seats=3", None),
        ("/bots/1", None),
        ("/matches/2?at=40", None),
        ("/tournaments/2", None),
        ("/bots/submit", AUTHOR),
        ("/account", AUTHOR),
        ("/tournaments/new", ORGANISER),
        ("/operator", ADMIN),
    ],
)
def test_every_control_is_reached_by_the_tab_key_and_marked(
    path: str, who: str | None, address: str, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[who], address, kept=True) as page:
        page.goto(path)
        expect(page.locator("[data-loading]")).to_have_count(0)
        controls = page.evaluate(CONTROLS)
        reached = set()
        for _ in range(ROUND):
            page.keyboard.press("Tab")
            stop = page.evaluate(STOP)
            if stop is None:
                break
            assert stop["marked"], stop["shown"]
            assert stop["seen"], stop["shown"]
            reached.add(stop["control"])
        missed = [shown for number, shown in enumerate(controls) if str(number) not in reached]
        assert not missed, missed


def test_the_game_in_words_is_two_stops_of_the_tab_key(lender: Lender) -> None:
    with lender.page() as page:
        page.goto("/matches/2?at=40")
        expect(page.locator("[data-loading]")).to_have_count(0)
        log = page.locator(".log")
        log.focus()
        for at in (40, 41):
            page.keyboard.press("Tab")
            expect(log.locator(f"[data-at='{at}']")).to_be_focused()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Shift+Tab")
            expect(log).to_be_focused()
        for _ in range(2):
            page.keyboard.press("Tab")
        expect(log.locator(":focus")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/tournaments/2", (320, 200)),
        ("/learn/6", (320, 200)),
        ("/matches/2?at=40", (320, 200)),
        ("/matches/2?at=40", (640, 340)),
    ],
)
def test_nothing_covers_what_has_the_focus_in_a_window_of_large_pixels(
    path: str, size: tuple[int, int], lender: Lender
) -> None:
    with lender.page() as page:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(path)
        expect(page.locator("[data-loading]")).to_have_count(0)
        for _ in range(ROUND):
            page.keyboard.press("Tab")
            covered = page.evaluate(COVERED)
            if covered is None:
                break
            assert not covered, covered


@pytest.mark.parametrize(("number", "lit"), [(1, True), (2, False)])
def test_only_who_sees_lit_places_is_asked_to_choose_one(
    lender: Lender, number: int, lit: bool
) -> None:
    with lender.page() as page:
        page.goto(f"/puzzles/{number}")
        expect(page.locator("button[aria-pressed=false]")).not_to_have_count(0)
        assert (page.locator(".board .lit").count() > 0) == lit
        expect(page.get_by_text("Choose a lit place on the board")).to_be_visible(visible=lit)


def test_the_first_stop_skips_to_the_content(lender: Lender) -> None:
    with lender.page() as page:
        page.goto("/?seats=2")
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the content")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("calm", [False, True])
def test_who_asks_for_no_motion_gets_none(lender: Lender, calm: bool) -> None:
    with lender.page(calm=calm) as page:
        page.goto("/matches/2?at=40")
        expect(page.locator("[data-loading]")).to_have_count(0)
        page.evaluate(COUNT_MOTION)
        for _ in range(12):
            page.keyboard.press("ArrowRight")
        assert (page.evaluate("moved") == 0) == calm


def test_the_own_bot_of_a_challenge_stays_chosen(
    visitors: dict[str | None, BrowserContext], address: str
) -> None:
    with watched(visitors[AUTHOR], address, kept=True) as page:
        page.goto("/challenge")
        own = page.get_by_label("Your bot").first
        own.press("ArrowDown")
        expect(own.locator("option:checked")).to_contain_text("malecon")
        page.get_by_role("link", name="Add mojito").press("Enter")
        expect(page.get_by_role("link", name="Remove mojito")).to_be_visible()
        expect(own.locator("option:checked")).to_contain_text("malecon")
        page.get_by_label("Bot or author").press("Enter")
        expect(page).to_have_url(re.compile("search="))
        expect(own.locator("option:checked")).to_contain_text("malecon")
