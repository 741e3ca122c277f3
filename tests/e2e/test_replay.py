"""The replay viewer in a real browser: moving in it, charts, choices, dice, and on other sites."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ladder import database
from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.sites import site as site_on
from tests.web.arena import AnyMove, GivesUp, play_next, register, tournament

FRAMES = "**/frames*"
REPLAY = "/matches/1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with one match, in which a bot gave up and the caretaker went on."""
    url = f"sqlite:///{tmp_path_factory.mktemp('replay') / 'ladder.db'}"
    database.upgrade(url)
    engine = database.engine(url)
    with database.session_factory(engine)() as session:
        cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
        play_next(session, cup, [AnyMove(1), GivesUp(10), AnyMove(2)])
    engine.dispose()
    with site_on(url) as address:
        yield address


@pytest.fixture(scope="module")
def browser(site: str) -> Iterator[Browser]:
    """Starts after the site, whose games need an event loop: playwright keeps the thread's own."""
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page, of another form where the test says so."""
    with clean_page(browser, site, **getattr(request, "param", {})) as opened:
        yield opened


def open_replay(page: Page, at: int = 0) -> None:
    page.goto(f"{REPLAY}?at={at}")
    expect(page.locator("[data-place]")).to_contain_text(f"{at} /")


def sentence(page: Page) -> str:
    return page.locator("[data-part=sentence]").inner_text()


def moment(page: Page) -> int:
    return int(page.locator("[data-place]").inner_text().split("/")[0])


def frames(page: Page) -> list[dict[str, Any]]:
    game: dict[str, Any] = page.request.get("/api/v1/matches/1/frames").json()
    return list(game["frames"])


def first(page: Page, wanted: Callable[[dict[str, Any]], bool]) -> int:
    """The first moment whose frame is like that."""
    return next(at for at, frame in enumerate(frames(page)) if wanted(frame))


# Loading and stepping.


def test_the_game_comes_in_one_request_and_steps_need_none(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.resource_type} {request.url}"))
    open_replay(page)
    page.wait_for_load_state("networkidle")
    assert len([line for line in asked if line.startswith(("fetch", "xhr", "eventsource"))]) == 1
    asked.clear()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
    page.locator(".log a").nth(5).click()
    page.wait_for_url("**/matches/1?at=*")
    assert asked == []


def test_each_step_is_told_to_who_does_not_see_it(page: Page) -> None:
    open_replay(page)
    told = page.locator("[data-part=sentence]")
    expect(told).to_have_attribute("aria-live", "polite")
    seen = set()
    for frame in frames(page)[1:12]:
        page.keyboard.press("ArrowRight")
        assert told.inner_text() == frame["text"]
        seen.add(page.locator(".board").get_attribute("aria-label"))
    assert len(seen) > 3


def test_back_and_forward_lead_to_where_one_was(page: Page) -> None:
    open_replay(page, at=5)
    before = sentence(page)
    page.locator(".log a[data-at='40']").click()
    page.wait_for_url("**/matches/1?at=40")
    there = sentence(page)
    page.go_back()
    expect(page.locator("[data-place]")).to_contain_text("5 /")
    assert sentence(page) == before
    page.go_forward()
    expect(page.locator("[data-place]")).to_contain_text("40 /")
    assert sentence(page) == there


def test_keys_are_explained_and_do_nothing_meanwhile(page: Page) -> None:
    open_replay(page)
    page.keyboard.press("?")
    help_on_keys = page.get_by_role("dialog", name="Keys")
    expect(help_on_keys).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert moment(page) == 0
    page.keyboard.press("Escape")
    expect(help_on_keys).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert moment(page) == 1


def test_keys_change_the_speed(page: Page) -> None:
    open_replay(page)
    speed = page.get_by_label("Speed")
    expect(speed).to_have_value("1")
    page.keyboard.press("+")
    expect(speed).to_have_value("2")
    page.keyboard.press("-")
    page.keyboard.press("-")
    expect(speed).to_have_value("0.5")


# Charts.


@pytest.mark.parametrize("name", ["race", "thinking"])
def test_a_chart_is_a_time_line(page: Page, name: str) -> None:
    open_replay(page)
    chart = page.locator(f"[data-part={name}]")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    middle = moment(page)
    assert middle > 10
    expect(chart).to_have_attribute("aria-valuenow", str(middle))
    expect(chart).to_have_attribute("aria-valuetext", sentence(page))
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 20)
    page.mouse.up()
    assert moment(page) > middle
    chart.focus()
    dragged = moment(page)
    page.keyboard.press("ArrowRight")
    assert moment(page) == dragged + 1


@pytest.mark.parametrize("name", ["race", "thinking", "milestones"])
def test_departures_and_faults_are_marked(page: Page, name: str) -> None:
    open_replay(page)
    told = frames(page)
    chart = page.locator(f"[data-part={name}]")
    assert chart.locator(".fault").count() == 1
    left = {frame["state"]["ship"] for frame in told} - {1}
    assert chart.locator(".departure").count() == len(left)


# What was possible.


def test_all_choices_are_shown_in_words(page: Page) -> None:
    at = first(page, lambda frame: frame.get("kind") == "drive" and len(frame["legal"]) > 2)
    open_replay(page, at)
    frame = frames(page)[at]
    panel = page.locator(".legal-panel")
    expect(panel).to_contain_text(f"How far to drive: {len(frame['legal'])} choices")
    assert panel.locator("li").all_inner_texts() == frame["choices"]
    chosen = frame["choices"][frame["legal"].index(frame["move"])]
    expect(panel.locator("[aria-current]")).to_have_text(chosen)


# The dice.


def test_the_readers_browser_finds_the_dice_fair(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_replay(page)
    panel = page.locator(".dice-panel")
    expect(panel).to_have_attribute("data-verdict", "fair")
    expect(panel.locator(".verdict")).to_contain_text("The dice were fair")
    rolls = sum(frame["type"] == "roll" for frame in frames(page))
    draws = sum(frame.get("by") == "caretaker" for frame in frames(page))
    assert draws > 0
    assert panel.locator(".checks li").all_inner_texts() == [
        "✓ The seed is the one that was promised before the game",
        f"✓ Rolls that follow from the seed: {rolls} / {rolls}",
        f"✓ Moves of the caretaker that follow from the seed: {draws} / {draws}",
    ]
    panel.get_by_text("All numbers").click()
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.count("✓") == 1 + rolls + draws
    assert "SHA-256: " in copied


def first_roll(game: dict[str, Any]) -> dict[str, int]:
    dice: dict[str, int] = next(f["dice"] for f in game["frames"] if f["type"] == "roll")
    return dice


def other_roll(game: dict[str, Any]) -> None:
    first_roll(game)["citrus"] = (first_roll(game)["citrus"] + 1) % 5


def other_seed(game: dict[str, Any]) -> None:
    game["dice"]["seed"] = "ff" * 32


def other_commitment(game: dict[str, Any]) -> None:
    game["dice"]["commitment"] = "00" * 32


def other_nonce(game: dict[str, Any]) -> None:
    game["dice"]["nonces"][0] = "c0ffee"


def other_draw(game: dict[str, Any]) -> None:
    drawn = next(frame["drawn"] for frame in game["frames"] if "drawn" in frame)
    drawn[0] = (drawn[0] + 1) % drawn[1]


def no_seed(game: dict[str, Any]) -> None:
    game["dice"]["seed"] = ""


@pytest.mark.parametrize(
    "tamper", [other_roll, other_seed, other_commitment, other_nonce, other_draw, no_seed]
)
def test_dice_that_were_tampered_with_are_found_out(
    page: Page, tamper: Callable[[dict[str, Any]], None]
) -> None:
    def answer(route: Route) -> None:
        game = route.fetch().json()
        tamper(game)
        route.fulfill(json=game)

    page.route(FRAMES, answer)
    open_replay(page)
    panel = page.locator(".dice-panel")
    expect(panel).to_have_attribute("data-verdict", "unfair")
    expect(panel.locator(".verdict")).to_contain_text("The dice do not check out")
    expect(panel.locator(".checks .differs").first).to_contain_text("✗")


def test_a_browser_that_may_not_check_says_so(page: Page) -> None:
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    open_replay(page)
    expect(page.locator(".dice-panel")).to_have_attribute("data-verdict", "insecure")
    expect(page.locator(".verdict")).to_contain_text("santiago replay verify")


# Motion, and small windows.


def gaining_drive(frame: dict[str, Any]) -> bool:
    gains = [change for change in frame["changes"] if change.get("by", 0) > 0]
    return frame.get("kind") == "drive" and bool(gains)


@pytest.mark.parametrize("page", [{}, {"calm": True}], indirect=True)
def test_goods_travel_unless_motion_is_unwelcome(page: Page) -> None:
    calm = page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    open_replay(page, first(page, gaining_drive) - 1)
    page.evaluate(
        """() => {
          window.flown = 0;
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes) window.flown += addedNodes.length;
          }).observe(document.querySelector(".flights"), { childList: true });
        }"""
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator(".player .count.gain")).not_to_have_count(0)
    assert (page.evaluate("window.flown") == 0) == calm


@pytest.mark.parametrize("page", [{"width": 360, "calm": True}], indirect=True)
def test_on_a_phone_the_ship_is_above_the_controls(page: Page) -> None:
    open_replay(page)
    page.get_by_role("button", name="Step", exact=True).click()
    ship = page.locator(".board .ship").bounding_box()
    controls = page.locator(".controls").bounding_box()
    assert ship is not None
    assert controls is not None
    assert ship["y"] + ship["height"] <= controls["y"]
    score = page.locator("[data-part=strip] li")
    assert [text.split()[-1] for text in score.all_inner_texts()] == ["2", "2", "2"]


# On other sites, and without one.


def test_a_link_and_a_frame_to_copy(page: Page, site: str) -> None:
    open_replay(page, at=7)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link")).to_have_value(f"{site}/matches/1?at=7")
    snippet = page.get_by_label("Embed in a page of your own")
    assert f'<iframe src="{site}/matches/1/embed?at=7"' in snippet.input_value()
    page.get_by_label("Begin at the moment shown").uncheck()
    expect(page.get_by_label("Link")).to_have_value(f"{site}/matches/1")
    assert f'<iframe src="{site}/matches/1/embed"' in snippet.input_value()


@contextmanager
def blog(body: str) -> Iterator[str]:
    """A page on another origin."""

    class Blog(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>A blog</title>{body}".encode())

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Blog) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_the_viewer_in_a_frame_on_another_site(browser: Browser, site: str) -> None:
    with clean_page(browser, site) as page:
        open_replay(page, at=30)
        there = sentence(page)
        page.get_by_role("button", name="Share").click()
        snippet = page.get_by_label("Embed in a page of your own").input_value()
    context = browser.new_context(viewport={"width": 900, "height": 800})
    with blog(snippet) as address:
        other = context.new_page()
        other.goto(address)
        frame = other.frame_locator("iframe")
        expect(frame.locator("[data-part=sentence]")).to_have_text(there)
        frame.get_by_role("button", name="Step", exact=True).click()
        expect(frame.locator("[data-place]")).to_contain_text("31 /")
        source = frame.locator("[data-part=source]")
        expect(source).to_have_attribute("href", f"{site}/matches/1?at=31")
        assert context.cookies() == []
    context.close()


def test_no_other_page_can_be_framed(browser: Browser, site: str) -> None:
    context = browser.new_context()
    with blog(f'<iframe src="{site}/matches/1"></iframe>') as address:
        other = context.new_page()
        with other.expect_console_message(lambda message: "frame" in message.text):
            other.goto(address)
        expect(other.frame_locator("iframe").locator("[data-replay]")).to_have_count(0)
    context.close()


@pytest.mark.parametrize(
    "page",
    [{"width": 760}, {"width": 1100, "dark": True}, {"width": 360}, {"width": 360, "dark": True}],
    indirect=True,
)
def test_the_frame_fits_any_size(page: Page) -> None:
    page.goto(f"{REPLAY}/embed?at=30")
    expect(page.locator("[data-place]")).to_contain_text("30 /")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    keep_picture(page, "embed")


def test_the_viewer_of_a_file_does_all_that(browser: Browser, site: str, tmp_path: Path) -> None:
    file = tmp_path / "game.santiago"
    with clean_page(browser, site) as page:
        file.write_bytes(page.request.get(f"{REPLAY}/replay.santiago").body())
    command = [sys.executable, "-m", "web.local_viewer", str(file), "0"]
    viewer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert viewer.stdout is not None
        found = re.search(r"(http://\S+)/ ", viewer.stdout.readline())
        assert found is not None
        with clean_page(browser, found[1]) as page:
            page.goto("/?at=20")
            expect(page.locator(".dice-panel")).to_have_attribute("data-verdict", "fair")
            expect(page.locator("[data-place]")).to_contain_text("20 /")
            expect(page.locator(".moves li").first).to_be_visible()
            assert page.locator(".bars").count() == 3
            expect(page.get_by_role("button", name="Share")).to_have_count(0)
    finally:
        viewer.terminate()
        viewer.communicate(timeout=20)
