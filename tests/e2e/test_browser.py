"""The site as a reader sees it: the production server, a real browser, real games."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from ladder.model import Version, now
from ladder.operating import match_control
from tests.e2e.browser import Lender, chromium, clean_page, overhang
from tests.e2e.loading import counted, shift
from tests.e2e.sites import site as site_on
from tests.e2e.visiting import follow
from tests.ladder.databases import new_ladder, session_on
from tests.web.arena import open_puzzle, play_next, register, tournament

SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll(".board text")]
    .filter(text => text.checkVisibility() && text.textContent.trim())
    .map(text => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize)))"""

SELECTED = """() => {
  const made = document.body.appendChild(document.createElement("i"));
  Object.assign(made.style, { background: "SelectedItem", forcedColorAdjust: "none" });
  return getComputedStyle(made).backgroundColor;
}"""
"""The colour of what is selected, as the browser knows it."""


@dataclass(frozen=True)
class Site:
    """A site that is up, and the database behind it."""

    address: str
    database_url: str

    def play_next(self, tournament_id: int) -> int:
        """Plays a match of the tournament, on a thread since the browser keeps this one's loop."""
        with ThreadPoolExecutor(1) as other_thread:
            return other_thread.submit(self._play_next, tournament_id).result()

    def annul(self, match_id: int) -> None:
        with session_on(self.database_url) as session:
            match_control.annul(session, None, match_id, "a test")
            session.commit()

    def _play_next(self, tournament_id: int) -> int:
        with session_on(self.database_url) as session:
            return play_next(session, tournament_id)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with three tournaments; of each the first match was played."""
    url = new_ladder(tmp_path_factory.mktemp("browser") / "ladder.db")
    with session_on(url) as session:
        bots = register(session, ["ana", "luz", "rey"])
        for name in ("Copa", "Liga", "Taza"):
            play_next(session, tournament(session, bots, name=name, seats=3))
        open_puzzle(session, 1)
    with site_on(url) as address:
        yield Site(address, url)


@pytest.fixture(scope="module")
def browser(site: Site) -> Iterator[Browser]:
    """Starts after the site, whose games need an event loop: playwright keeps the thread's own."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lender(browser: Browser, site: Site) -> Lender:
    return Lender(browser, site.address)


@pytest.fixture
def page(lender: Lender, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of some width, light or dark."""
    width, dark = getattr(request, "param", (1280, False))
    with lender.page(width=width, dark=dark) as lent:
        yield lent


@pytest.fixture
def clean(browser: Browser, site: Site, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Such a page whose cache is empty, and whose clock and scripts may change."""
    width, dark = getattr(request, "param", (1280, False))
    with clean_page(browser, site.address, width=width, dark=dark) as opened:
        yield opened


def sentence(page: Page) -> str:
    return page.locator("[data-part=sentence]").inner_text()


def moment(page: Page) -> int:
    return int(page.locator("[data-place]").inner_text().split("/")[0])


def stands_at(page: Page, at: int) -> None:
    """The page comes to this moment: what a key or a click does may take a while."""
    expect(page.locator("[data-place]")).to_have_text(re.compile(rf"^{at} /"))


def open_replay(page: Page, at: int = 0) -> None:
    page.goto(f"/matches/1?at={at}")
    expect(page.locator("[data-place]")).to_contain_text(f"{at} /")


def test_the_race_ends_with_the_points_of_the_result(page: Page) -> None:
    open_replay(page)
    page.keyboard.press("End")
    expect(page.locator(".rank-mark").first).not_to_be_empty()
    heights = page.locator(".race-chart .dot").evaluate_all(
        "dots => dots.map((dot) => dot.transform.baseVal[0].matrix.f)"
    )
    won = [int(counter) for counter in page.locator(".player .points b").all_inner_texts()]
    assert len(won) == 3
    assert (heights[1] - heights[0]) * (won[2] - won[0]) == pytest.approx(
        (heights[2] - heights[0]) * (won[1] - won[0]), abs=0.5
    )


def test_the_boards_text_is_never_smaller_than_11_pixels(page: Page) -> None:
    open_replay(page, at=40)
    for width, height in (
        (320, 568),
        (340, 640),
        (360, 640),
        (640, 360),
        (799, 900),
        (844, 390),
        (800, 500),
        (1176, 640),
    ):
        page.set_viewport_size({"width": width, "height": height})
        form = "tall" if width < 800 or height < 480 else "wide"
        expect(page.locator(f".drawing.{form}")).to_be_visible()
        assert page.evaluate(SMALLEST_TEXT) > 10.95, (width, height)
        assert overhang(page) <= 0, (width, height)
    page.set_viewport_size({"width": 700, "height": 990})  # as wide as a sheet of paper
    page.emulate_media(media="print")
    expect(page.locator(".drawing.wide")).to_be_visible()
    expect(page.locator(".controls")).to_be_hidden()
    assert overhang(page) <= 0


def test_a_long_thought_is_told_in_minutes(page: Page) -> None:
    def prolong(route: Route) -> None:
        answer = route.fetch()
        game = answer.json()
        next(one for one in game["frames"] if one.get("by") == "bot")["think_ms"] = 1_621_300
        route.fulfill(response=answer, json=game)

    page.route("**/matches/1/frames", prolong)
    page.goto("/matches/1")
    longest = page.get_by_text("longest: ")
    expect(longest).to_be_visible()
    assert (longest.text_content() or "").startswith("longest: 27 min")


@pytest.mark.parametrize("page", [(360, True)], indirect=True)
def test_charts_are_legible_on_a_phone(page: Page) -> None:
    for address, chart in ("/matches/1", ".chart"), ("/standings/history", ".history-chart"):
        page.goto(address)
        expect(page.locator(f"{chart} text").first).to_be_visible()
        for width in 360, 700:
            page.set_viewport_size({"width": width, "height": 800})
            smallest = page.evaluate(SMALLEST_TEXT.replace(".board", chart))
            assert smallest > 10.95, (address, width)


@pytest.mark.parametrize("page", [(300, False)], indirect=True)
def test_in_a_frame_nothing_covers_anything(page: Page) -> None:
    page.goto("/matches/1/embed?at=40")
    expect(page.locator("[data-place]")).to_contain_text("40 /")
    page.locator(".sentence").evaluate("one => { one.textContent = 'La Habana '.repeat(12) }")
    assert overhang(page) <= 0
    boxes = [page.locator(name).bounding_box() for name in (".caption", ".drawing", ".controls")]
    tops, heights = zip(*((box["y"], box["height"]) for box in boxes if box), strict=True)
    assert len(tops) == 3
    assert tops[0] + heights[0] <= tops[1] + 1
    assert tops[1] + heights[1] <= tops[2] + 1


@pytest.mark.parametrize("page", [(360, True)], indirect=True)
def test_the_names_of_three_stand_above_their_scores(page: Page) -> None:
    open_replay(page)
    names = page.locator("[data-part=strip] .who")
    expect(names).to_have_count(3)
    names.first.evaluate("name => { name.textContent = 'guajira-1234' }")
    assert names.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)")


@pytest.mark.parametrize("page", [(360, True)], indirect=True)
def test_each_tile_says_what_it_does(page: Page) -> None:
    open_replay(page)
    legend = page.locator(".legend")
    page.locator(".openers button:visible").last.focus()
    page.keyboard.press("Tab")
    expect(page.locator(".board .citizen:focus")).to_have_count(1)
    expect(legend).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".board .building:focus")).to_have_attribute(
        "aria-label", legend.inner_text()
    )
    stands_at(page, 0)  # arrows lead from tile to tile here
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    tiles = page.locator(".tall :is(.citizen, .building)")
    assert tiles.count() == 21
    for tile in tiles.all():
        tile.dispatch_event("click")  # as a tap does
        expect(legend).to_have_text(tile.get_attribute("aria-label") or "")
        assert ": " in legend.inner_text()
        box = legend.bounding_box()
        assert box
        assert min(box["x"], box["y"], 360 - box["x"] - box["width"]) >= 0
    page.locator(".sentence").click()
    expect(legend).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(".wide .building").first.hover()
    expect(legend).to_be_visible()


@pytest.mark.parametrize("clean", [(1280, False), (360, True)], indirect=True)
def test_a_game_is_there_after_few_requests_and_stays_where_it_is(clean: Page) -> None:
    with counted(clean) as first:
        open_replay(clean, at=30)
        clean.wait_for_load_state("networkidle")
    assert len(first.requests) <= 8, first.requests
    assert first.sent <= 90_000
    assert shift(clean) < 0.05
    with counted(clean) as second:
        clean.goto("/matches/4")
        expect(clean.locator("[data-place]")).to_contain_text("0 /")
        clean.wait_for_load_state("networkidle")
    assert len(second.requests) <= 3, second.requests


def test_keys_step_through_the_game(page: Page) -> None:
    open_replay(page)
    before, told = sentence(page), page.locator("[data-part=sentence]")
    page.keyboard.press("ArrowRight")
    stands_at(page, 1)
    page.wait_for_url("**/matches/1?at=1")
    expect(told).not_to_have_text(before)
    expect(page.locator(".board .die:not(.absent)")).to_have_count(5)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".board .die:not(.absent)")).to_have_count(4)
    page.keyboard.press("ArrowLeft")
    stands_at(page, 1)
    page.keyboard.press("End")
    expect(told).to_have_text(re.compile("wins with|share the win"))
    page.keyboard.press("Home")
    stands_at(page, 0)
    expect(told).to_have_text(before)


def test_buttons_step_by_frame_turn_and_ship(page: Page) -> None:
    open_replay(page)
    page.get_by_role("button", name="Step", exact=True).click()
    stands_at(page, 1)
    page.get_by_role("button", name="Next turn").click()
    page.get_by_role("button", name="Next turn").click()
    expect(page.locator("[data-part=where]")).to_contain_text("Turn 2")
    page.get_by_role("button", name="Previous turn").click()
    expect(page.locator("[data-part=where]")).to_contain_text("Turn 1")
    page.get_by_role("button", name="Next ship").click()
    expect(page.locator("[data-part=where]")).to_contain_text("Ship 2")
    expect(page.locator(".track-ship.here")).to_contain_text("2")


def test_the_slider_moves_the_board(page: Page) -> None:
    open_replay(page)
    car = page.locator(".board .car")
    harbour = car.get_attribute("transform") or ""
    at = in_town(page)
    page.get_by_role("slider", name="Moment of the game").fill(str(at))
    stands_at(page, at)
    expect(page.locator(".log a[aria-current=step]")).to_have_text(sentence(page))
    expect(car).not_to_have_attribute("transform", harbour)
    page.get_by_role("slider", name="Moment of the game").fill("0")
    expect(car).to_have_attribute("transform", harbour)


def in_town(page: Page) -> int:
    """A moment in the middle of match 1 at which the car stands at a citizen's."""
    frames = page.request.get("/api/v1/matches/1/frames").json()["frames"]
    away = (at for at, frame in enumerate(frames) if frame["state"]["car"])
    return next(at for at in away if at >= len(frames) // 2)


def test_play_runs_to_the_end_by_itself(page: Page) -> None:
    open_replay(page)
    last = int(page.locator("[data-place]").inner_text().split("/")[1])
    page.get_by_role("slider", name="Moment of the game").fill(str(last - 3))
    page.get_by_label("Speed").select_option("10")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-place]")).to_have_text(f"{last} / {last}")
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "false")


@pytest.mark.parametrize("page", [(320, False)], indirect=True)
def test_a_narrow_phone_shows_the_whole_place_in_the_game(page: Page) -> None:
    page.goto("/es/matches/1?at=40")
    expect(page.locator("[data-place]")).to_contain_text("40 /")
    where = page.locator("[data-part=where]")
    expect(where).to_have_text(re.compile(r"Turno \d+ · Barco \d"))
    cut = "one => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]"
    assert max(where.evaluate(cut)) <= 1


def test_a_tournaments_progress_updates_itself(page: Page, site: Site) -> None:
    page.goto("/tournaments/1")
    finished = page.locator("[data-count=finished]")
    before = int(finished.inner_text())
    first = page.get_by_role("link", name="Watch match 1", exact=True)
    first.focus()
    match_id = site.play_next(1)
    expect(finished).to_have_text(str(before + 1))
    expect(page.get_by_role("link", name=f"Watch match {match_id}")).to_be_visible()
    expect(first).to_be_focused()
    standings = page.get_by_role("group", name="Standings")
    standings.focus()
    shown = standings.inner_text()
    site.play_next(1)
    expect(standings).not_to_have_text(shown, use_inner_text=True)
    expect(standings).to_be_focused()
    shown = standings.inner_text()
    site.annul(match_id)
    expect(page.locator("[data-count=annulled]")).to_have_text("1")
    expect(standings).not_to_have_text(shown, use_inner_text=True)


def test_a_table_that_is_drawn_anew_stays_where_it_was(page: Page, site: Site) -> None:
    page.set_viewport_size({"width": 390, "height": 480})
    page.goto("/tournaments/3")
    page.evaluate("""() => {
      const [sheet] = document.styleSheets;
      sheet.insertRule(".scroller { max-height: 4rem; }", sheet.cssRules.length);
    }""")
    table = page.get_by_role("group", name="Cross table")
    shown = table.inner_text()
    table.focus()
    table.evaluate("table => table.scrollTo(0, 20)")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    site.play_next(3)
    expect(table).not_to_have_text(shown, use_inner_text=True)
    expect(table).to_have_js_property("scrollTop", 20)
    expect(table).to_be_focused()
    expect(table).not_to_be_in_viewport()


def test_a_tournaments_bar_goes_by_the_matches_that_there_are_now(page: Page) -> None:
    def changed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "finished": 1, "total": 8})

    page.route("**/progress", changed)
    page.goto("/tournaments/1")
    expect(page.get_by_role("progressbar", name="Progress")).to_have_js_property("position", 1 / 8)


def test_news_that_could_not_be_shown_is_shown_later(page: Page, site: Site) -> None:
    news = {"results": 1, "running": 0}
    refused: list[Route] = []

    def refuse_once(route: Route) -> None:
        if refused or route.request.resource_type != "fetch":
            route.continue_()
        else:
            refused.append(route)
            route.abort()

    page.route(f"{site.address}/", refuse_once)
    page.route("**/live/news", lambda route: route.fulfill(json=news))
    with page.expect_response("**/live/news"):
        page.goto("/")
    page.locator("[data-fresh]").first.evaluate("part => part.append('of old')")
    news["results"] = 2
    expect(page.get_by_text("of old")).to_have_count(0)
    assert refused


def test_a_screen_reader_hears_of_progress_once(clean: Page) -> None:
    clean.clock.install()
    clean.goto("/tournaments/1")
    said = clean.get_by_role("status").filter(has_text="matches played")
    expect(said).to_have_count(1)
    same = said.evaluate_handle("one => one.querySelector('[data-count]').firstChild")
    for _ in range(2):
        with clean.expect_response("**/progress") as asked:
            clean.clock.run_for(2_000)
        asked.value.finished()
    assert same.evaluate("one => one.isConnected")


def test_a_tournaments_page_learns_in_time_for_whom_it_waits(clean: Page, site: Site) -> None:
    clean.clock.install()
    clean.goto("/tournaments/2")
    with clean.expect_response("**/progress"):
        clean.clock.run_for(2_000)
    set_offline(site, True)
    waits = clean.get_by_text("Some matches wait for ana (offline).")
    expect(waits).to_have_count(0)
    clean.clock.run_for(61_000)
    expect(waits).to_be_visible()
    set_offline(site, False)


def set_offline(site: Site, offline: bool) -> None:
    """Let the first bot be offline, or no longer."""
    with session_on(site.database_url) as session:
        session.get_one(Version, 1).offline_since = now(session) if offline else None
        session.commit()


def test_standings_update_themselves(page: Page, site: Site) -> None:
    page.goto("/")
    latest = page.locator("[data-fresh=latest]")
    expect(latest.get_by_role("link", name="Watch match 1")).to_be_visible()
    with page.expect_response("**/live/news"):
        pass  # it knows how many results there are
    match_id = site.play_next(2)
    latest.get_by_role("link", name=f"Watch match {match_id}").click()
    expect(page.locator("[data-part=sentence]")).to_contain_text("sit down to play.")


def test_the_first_page_shows_a_game_that_begins_later(page: Page) -> None:
    news = {"results": 4, "running": 0}
    page.route("**/live/news", lambda route: route.fulfill(json=news))

    def is_fresh(asked: Request) -> bool:
        return asked.resource_type == "fetch" and asked.url.endswith("/")

    with page.expect_response("**/live/news"):
        page.goto("/")
    for running in (1, 1, 0):  # it begins, goes on, and ends
        with page.expect_request(is_fresh):
            news["running"] = running


def test_a_queued_match_turns_into_its_replay(page: Page, site: Site) -> None:
    page.goto("/matches/6")
    expect(page.locator(".match-state")).to_contain_text("is waiting for a worker")
    assert site.play_next(2) == 6
    expect(page.locator("[data-part=sentence]")).to_contain_text("sit down to play.")


def test_light_and_dark_by_choice(clean: Page) -> None:
    clean.goto("/")
    clean.get_by_role("button", name="Change between light and dark").click()
    expect(clean.locator("html")).to_have_attribute("data-theme", "dark")
    clean.reload()
    assert clean.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    clean.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw 0 } })")
    clean.reload()
    clean.get_by_role("button", name="Change between light and dark").click()
    expect(clean.locator("html")).to_have_attribute("data-theme", "dark")


def test_forced_colours_show_what_is_current_and_rule_out_a_theme(clean: Page) -> None:
    clean.add_init_script("localStorage.setItem('theme', 'dark')")
    open_replay(clean, at=30)
    clean.emulate_media(forced_colors="active", color_scheme="light")
    for current in (
        clean.locator(".sections [aria-current]"),
        clean.locator(".log [aria-current]"),
    ):
        colour = current.evaluate("one => getComputedStyle(one).backgroundColor")
        assert colour == clean.evaluate(SELECTED)
    expect(clean.locator(".player.active")).to_have_css("outline-style", "solid")
    expect(clean.locator(".player.leads .points").first).to_have_css("outline-style", "solid")
    clean.locator(".board .citizen:visible").first.hover()
    expect(clean.locator(".legend")).to_have_css("outline-style", "solid")
    assert clean.evaluate("matchMedia('(forced-colors: active)').matches")
    assert clean.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light dark"
    expect(clean.get_by_role("button", name="Change between light and dark")).to_be_hidden()


@pytest.mark.parametrize("page", [(1280, False), (360, True)], indirect=True)
def test_a_puzzle_is_solved_on_the_board(page: Page) -> None:
    page.goto("/puzzles")
    page.get_by_role("link", name="Puzzle 1").last.click()
    lit = page.locator(".board .lit:visible")
    expect(lit.nth(3)).to_be_visible()
    other = page.locator(".board .building:not(.lit):visible").first
    other.evaluate("tile => tile.classList.add('changed')")
    expect(other.locator(".card")).to_have_css("stroke-width", "1.4px")  # not as if it were lit
    lit.last.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    expect(lit).to_have_count(0)
    expect(page.locator(".board .picked:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".says .verdict")).to_be_focused()
    expect(page.locator(".board .picked")).to_have_count(0)
    expect(page.locator(".says .verdict")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="What each choice is worth")).to_be_in_viewport()
    expect(page.locator(".values tr.best")).to_have_count(1)
    expect(page.locator(".board .lit")).to_have_count(0)
    assert overhang(page) <= 0
    follow(page.locator(".best-line a").first)
    told, current = page.locator(".step-told"), page.locator(".best-line a[aria-current=step]")
    expect(page.locator(".says")).to_be_focused()
    expect(told).to_have_text(current.inner_text())
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    expect(page.locator(".line-steps")).to_contain_text("2 /")
    expect(told).to_have_text(current.inner_text())
    with page.expect_navigation():
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".line-steps")).to_contain_text("1 /")
    page.get_by_role("link", name="The game it comes from").click()
    expect(page.locator("[data-part=sentence]")).not_to_be_empty()


def test_players_do_not_cover_the_choices_of_a_phone_on_its_side(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 360})
    page.goto("/puzzles/1")
    page.locator(".choices-now button").first.click()
    expect(page.get_by_role("button", name="Confirm")).to_be_in_viewport(ratio=1)
    page.locator(".player").last.scroll_into_view_if_needed()
    turn, players = (page.locator(part).bounding_box() for part in (".turn", ".players"))
    assert turn
    assert players
    assert players["x"] + players["width"] <= turn["x"]
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator(".says .verdict")).to_be_in_viewport()


def test_a_puzzle_is_solved_without_script(browser: Browser, site: Site) -> None:
    with clean_page(browser, site.address, script=False) as page:
        page.goto("/")
        page.get_by_role("link", name="One choice is better").click()
        page.emulate_media(media="print")  # to think about it on paper
        for asked in ("One choice is better than all others", "How far to drive"):
            expect(page.locator("main").get_by_text(asked)).to_be_visible()
        page.emulate_media(media="screen", forced_colors="active", color_scheme="dark")
        marker = page.locator(".board .citizen use[href='#markers']").first
        expect(marker).to_have_css("color", "rgb(42, 31, 22)")  # as the tile's other marks
        page.emulate_media(forced_colors="none", color_scheme="light")
        page.locator(".choices-now button").last.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Right!")).to_be_visible()
        expect(page.locator(".verdict")).to_be_focused()
        page.set_viewport_size({"width": 360, "height": 640})
        page.locator(".best-line a").first.click()
        for way, step in (("on", 2), ("back", 1)):
            page.get_by_role("link", name=f"A step {way} in the line").click()
            expect(page.locator(".line-steps")).to_contain_text(f"{step} /")
            expect(page.locator(".says")).to_be_in_viewport(ratio=1)
            expect(page.locator(".board .car:visible")).to_be_in_viewport()
        page.get_by_role("link", name="Back to the position").click()
        expect(page.locator(".says")).to_contain_text("Right!")
        expect(page.locator(".says")).to_be_in_viewport(ratio=1)
