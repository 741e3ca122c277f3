"""What a phone shows of pages that are wide, in a real browser."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from ladder.jobs.workers import beat
from ladder.ratings import fairness
from tests.e2e.browser import chromium, overhang, watched
from tests.e2e.sites import site
from tests.e2e.visiting import contexts
from tests.ladder.databases import new_ladder, session_on
from tests.web.accounts.visitors import PASSWORD, make
from tests.web.arena import analyse, open_puzzle, play_next, register, tournament
from tests.web.bots.uploaded import package

WIDE, NARROW = 1280, 360
PATCH = 4.0  # pixels
MIDDLES = """all => all.map((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return Math.round(top + bottom);
})"""
"""Twice how far down the middle of each is."""
Window = Callable[..., AbstractContextManager[Page]]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The database: people, an analysed match, a puzzle, and a bot of a long name."""
    url = new_ladder(tmp_path_factory.mktemp("narrow") / "ladder.db")
    with session_on(url) as session:
        make(session, "olga", "organiser")
        make(session, "compay")
        make(session, "boss", "admin")
        bots = register(session, ["ana", "guantanamera" * 3])
        match_id = play_next(session, tournament(session, bots))
        analyse(session, match_id, looks=1)
        open_puzzle(session, match_id)
        many = register(session, [f"guajira-{at}" for at in range(12)])
        tournament(session, many, name="Grande")
        play_next(session, tournament(session, many[:4], name="De a cuatro", seats=4))
        fairness.refresh(session, 2)
        session.commit()
    return url


@pytest.fixture(scope="module")
def address(ladder: str) -> Iterator[str]:
    with site(ladder) as where:
        yield where


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def window(browser: Browser, address: str) -> Window:
    """Opens the window of a visitor, which all tests share, in a size and with text of a size."""
    visitors = contexts(browser, address, ("olga", "compay", "boss"))

    @contextmanager
    def opened(
        width: int = NARROW, height: int = 800, *, text: int = 16, who: str | None = None
    ) -> Iterator[Page]:
        with watched(visitors[who], address, kept=True) as page:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(media="screen", color_scheme="light")
            devtools = page.context.new_cdp_session(page)
            devtools.send("Page.setFontSizes", {"fontSizes": {"standard": text}})
            yield page
            devtools.detach()

    return opened


@pytest.mark.parametrize("dark", [False, True])
def test_a_shadow_tells_that_columns_go_on(window: Window, dark: bool) -> None:
    with window() as page:
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto("/?seats=2")
        assert shadows(page) == (False, True)
        page.locator(".scroller").evaluate("table => table.scrollTo(9999, 0)")
        assert shadows(page) == (True, False)
        page.set_viewport_size({"width": WIDE, "height": 800})
        assert shadows(page) == (False, False)


@pytest.mark.parametrize("path", ["/?seats=2", "/tournaments/1"])
def test_the_bot_stays_in_sight_of_its_numbers(window: Window, path: str) -> None:
    with window() as page:
        page.goto(path)
        table = page.locator(".scroller").first
        table.evaluate("table => table.scrollTo(9999, 0)")
        assert left(table.locator("tbody th").first) == pytest.approx(left(table), abs=2)


def test_all_names_stay_in_sight_of_the_results_of_many_bots(window: Window) -> None:
    with window(600, 480) as page:
        page.goto("/tournaments/2")
        table = page.locator(".scroller", has=page.locator(".cross"))
        table.scroll_into_view_if_needed()
        expect(table.locator("thead th").nth(6)).to_be_in_viewport()
        table.evaluate("table => table.scrollTo(9999, 9999)")
        opponents, bots = table.locator("thead th").last, table.locator("tbody th").last
        assert top(opponents) == pytest.approx(top(table), abs=2)
        assert left(bots) == pytest.approx(left(table), abs=2)
        page.emulate_media(media="print")
        expect(table).to_have_css("overflow", "visible")
        assert table.evaluate("table => table.scrollHeight - table.clientHeight") == 0


def test_the_names_of_four_stand_above_their_scores(window: Window) -> None:
    with window() as page:
        page.goto("/matches?seats=4&state=finished")
        page.locator("tbody th a").click()
        names = page.locator("[data-part=strip] .who")
        expect(names).to_have_text([re.compile(r"guajira-\d")] * 4)
        assert names.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")


def test_a_game_begins_on_the_first_screen(window: Window) -> None:
    with window(390, 844) as page:
        page.goto("/play")
        expect(page.get_by_role("button", name="Play now")).to_be_in_viewport(ratio=1)


def test_ratings_are_in_sight_beside_those_of_whom_little_is_known(window: Window) -> None:
    with window() as page:
        page.goto("/fr/?seats=2")
        marked = page.locator("tr", has=page.get_by_text("en cours de placement, "))
        expect(marked.first.locator(".interval-cell strong")).to_be_in_viewport(ratio=1)


def test_the_form_of_a_tournament_fits(window: Window) -> None:
    with window(who="olga") as page:
        page.goto("/tournaments/new")
        assert overhang(page) == 0
        long = page.locator(".bot-list label", has_text="guantanamera")
        assert long.evaluate("label => label.scrollHeight - label.clientHeight") == 0


def test_an_operator_reads_all_of_a_row_without_scrolling_sideways(
    window: Window, ladder: str
) -> None:
    with window(who="boss") as page:
        with session_on(ladder) as session:  # not earlier: one that is silent is not shown
            beat(session, "a-worker-of-a-long-name@havana-vieja:1234", places=4, lag_ms=12)
            session.commit()
        page.goto("/operator")
        expect(page.get_by_text("a-worker-of-a-long-name")).to_be_visible()
        for part in ("Workers", "Faults and lag by worker", "Waiting longest"):
            table = page.get_by_role("group", name=part, exact=True)
            assert table.evaluate("table => table.scrollWidth - table.clientWidth") == 0


@pytest.mark.parametrize(
    "path", ["/", "/matches", "/matches/1", "/matches/1/words", "/bots/2", "/tournaments/1"]
)
def test_a_long_name_fits(window: Window, path: str) -> None:
    with window() as page:
        page.goto(path)
        expect(page.locator("body")).to_contain_text("guantanamera" * 3)
        assert overhang(page) == 0


@pytest.mark.parametrize(
    "path",
    [
        "/matches/1",
        "/es/matches/1?at=20",
        "/es/matches/1/analysis",
        "/es/puzzles/1?move=drive+1",
        "/es/bots/1",
        "/tournaments/1",
        "/search?q=ana",
        "/rules",
        "/de/rules",
    ],
)
def test_text_of_twice_the_size_fits(window: Window, path: str) -> None:
    with window(text=32) as page:
        page.goto(path)
        assert page.evaluate("matchMedia('(width: 11.25rem)').matches")
        assert overhang(page) == 0


def test_text_of_twice_the_size_fits_on_the_pages_of_an_upload(window: Window) -> None:
    with window(text=32, who="compay") as page:
        page.goto("/de/bots/submit")
        assert overhang(page) == 0
        line, card = page.locator(".command pre"), page.locator(".card").last
        assert width_of(line) > width_of(card) / 2
        file = FilePayload(name="zorro.zip", mimeType="application/zip", buffer=package())
        page.locator("[name=package]").set_input_files(file)
        page.get_by_role("button", name="Hochladen").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Version 1")
        assert overhang(page) == 0
        page.goto("/de/bots/mine")
        assert overhang(page) == 0


def test_the_words_about_an_absent_bot_fit_beside_its_name(window: Window) -> None:
    with window() as page:
        page.goto("/it/matches/1?at=9999")
        card = page.locator("article.player").first
        expect(card.locator(".rank-mark")).not_to_be_empty()
        card.evaluate("""card => {
            card.classList.add("faulted");
            card.querySelector(".rank-mark").textContent = "Posizione 2 · non si è presentato";
        }""")
        assert overhang(page) == 0
        assert width_of(card.locator("h2")) > NARROW / 4


def test_a_token_can_be_revoked_without_scrolling_sideways(window: Window) -> None:
    with window(who="compay") as page:
        page.goto("/account")
        page.get_by_label("Name of the new token").fill("laptop")
        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_role("button", name="Create a token").click()
        page.get_by_role("link", name="I have saved it").click()
        revoke = page.get_by_role("button", name="Revoke")
        assert left(revoke) + width_of(revoke) < NARROW


def test_the_number_of_a_version_is_hit_by_a_thumb(window: Window) -> None:
    with window(who="compay") as page:
        page.goto("/bots/1/own")
        number = page.locator("tbody th a")
        assert number.evaluate("link => Math.min(link.offsetWidth, link.offsetHeight)") >= 44


def test_the_buttons_of_a_replay_are_in_one_row(window: Window) -> None:
    with window(320) as page:
        page.goto("/matches/1")
        rows = page.locator(".buttons > *").evaluate_all(
            "all => all.filter((one) => one.offsetParent).map((one) => one.offsetTop)"
        )
        assert len(rows) == 6
        assert len(set(rows)) == 1


def test_a_window_at_200_per_cent_has_all_buttons_in_one_row(window: Window) -> None:
    with window() as page:
        page.goto("/matches/1")
        for width, height in (608, 340), (640, 340), (544, 512), (720, 400):
            page.set_viewport_size({"width": width, "height": height})
            middles = page.locator(".buttons button:visible").evaluate_all(MIDDLES)
            assert len(middles) == 9, width
            assert len(set(middles)) == 1, width
            assert width_of(page.get_by_label("Moment of the game")) > 80, width
            assert overhang(page) == 0, width


def test_a_long_name_of_an_opponent_fits_into_the_log(window: Window) -> None:
    with window(who="compay") as page:
        page.goto("/bots/1/log")
        expect(page.locator(".log")).to_contain_text("guantanamera" * 3)
        assert overhang(page) == 0


def test_a_long_name_leaves_room_for_the_numbers_beside_it(window: Window) -> None:
    with window() as page:
        page.goto("/bots/1")
        row = page.locator("tr", has=page.get_by_text("guantanamera" * 3)).first
        assert left(row.locator("td").first) < NARROW


def test_long_paths_of_calls_break(window: Window) -> None:
    with window() as page:
        page.goto("/docs/api/calls")
        tables = page.locator(".scroller").evaluate_all(
            "tables => tables.map(table => table.scrollWidth - table.clientWidth)"
        )
        assert max(tables) == 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_scopes_of_a_token_stand_in_a_line_each(window: Window, width: int) -> None:
    with window(width) as page:
        page.goto("/docs/api")
        scopes = page.locator("td:first-child code", has_text=re.compile("^(admin|tournaments)$"))
        lines = scopes.evaluate_all("all => all.map(one => one.getClientRects().length)")
        assert lines == [1, 1]


def test_a_long_word_in_the_reason_of_an_annulment_fits(window: Window) -> None:
    with window() as page:
        page.goto("/matches/1")
        about = page.locator(".about")
        about.evaluate("about => about.prepend('o'.repeat(80))")
        assert about.evaluate("about => about.scrollWidth <= about.clientWidth")


def test_the_scores_of_a_match_stand_below_each_other(window: Window) -> None:
    with window() as page:
        page.goto("/matches?seats=4&state=finished")
        ends = page.locator(".table-seats .vp").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().right)"
        )
        assert ends == [pytest.approx(ends[0], abs=0.1)] * 4


def test_the_number_of_a_match_stands_beside_its_triangle(window: Window) -> None:
    with window(WIDE) as page:
        page.goto("/matches")
        played = page.locator("tbody th a", has=page.locator(".play")).last
        played.evaluate("link => link.append('2345')")
        played.locator("..").evaluate("cell => cell.style.setProperty('width', '1px')")
        assert played.evaluate("link => link.getClientRects().length") == 1


def shadows(page: Page) -> tuple[bool, bool]:
    """Whether the left and the right edge of the table's head are darker than its middle."""
    box = page.locator(".scroller").bounding_box()
    assert box

    def patch(x: float) -> bytes:
        return page.screenshot(clip={"x": x, "y": box["y"] + 2, "width": PATCH, "height": PATCH})

    middle = patch(box["x"] + box["width"] / 2)
    first, last = patch(box["x"] + 8), patch(box["x"] + box["width"] - 8 - PATCH)
    return first != middle, last != middle


def left(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["x"]


def top(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["y"]


def width_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box
    return box["width"]
