"""The viewer on other sites, and for a file alone."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import clean_page, keep_picture
from tests.e2e.replay.viewing import REPLAY, open_replay, sentence

CUT = """(players) => {
  const cut = players.filter((player) => {
    const { scrollWidth, clientWidth } = player.querySelector("h2");
    const { right } = player.getBoundingClientRect();
    const goods = [...player.querySelectorAll(".count")];
    const wide = goods.some((count) => count.getBoundingClientRect().right > right);
    return scrollWidth > clientWidth || wide;
  });
  return cut.map((player) => player.textContent);
}"""
"""The players of whose names or goods not all is seen."""


def test_a_link_and_a_frame_to_copy(page: Page, site: str) -> None:
    open_replay(page, at=7)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link")).to_have_value(f"{site}/matches/1?at=7")
    snippet = page.get_by_label("Embed in a page of your own")
    assert f'<iframe src="{site}/matches/1/embed?at=7"' in snippet.input_value()
    page.get_by_label("Start at the current moment").uncheck()
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
        try:
            yield f"http://localhost:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_viewer_in_a_frame_on_another_site(page: Page, browser: Browser, site: str) -> None:
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
        expect(frame.locator("[data-place]")).to_contain_text("30 /")
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


@pytest.mark.parametrize("page", [{"width": 760}, {"width": 1100, "dark": True}], indirect=True)
def test_all_fits_into_a_wide_frame(page: Page) -> None:
    page.goto(f"{REPLAY}/embed?at=30")
    expect(page.locator("[data-place]")).to_contain_text("30 /")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    keep_picture(page, "embed")


def test_the_board_can_be_read_in_a_low_frame(page: Page) -> None:
    page.set_viewport_size({"width": 640, "height": 360})
    page.goto(f"{REPLAY}/embed?at=30")
    expect(page.locator("[data-place]")).to_contain_text("30 /")
    drawn = page.locator("[data-part=board] .tall").bounding_box()
    assert drawn is not None
    assert drawn["width"] >= 320
    expect(page.locator("[data-part=players] .player").first).to_be_in_viewport()
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_in_viewport()


@pytest.mark.parametrize("place", ["", "/embed"])
def test_the_names_of_players_have_room_on_a_phone_on_its_side(page: Page, place: str) -> None:
    page.set_viewport_size({"width": 544, "height": 360})
    page.goto(f"/de{REPLAY}{place}?at=30")
    expect(page.locator("[data-place]")).to_contain_text("30 /")
    page.keyboard.press("End")
    expect(page.locator(".player .rank-mark").last).to_be_visible()
    assert page.locator(".player").evaluate_all(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 544


def test_the_viewer_of_a_file_does_all_that(page: Page, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "game.santiago"
    file.write_bytes(page.request.get(f"{REPLAY}/replay.santiago").body())
    command = [sys.executable, "-m", "web.viewer.local", str(file), "0"]
    viewer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert viewer.stdout is not None
        found = re.search(r"(http://\S+)/ ", viewer.stdout.readline())
        assert found is not None
        with clean_page(browser, found[1]) as local:
            local.goto("/?at=20")
            expect(local.locator(".dice-panel")).to_have_attribute("data-verdict", "fair")
            expect(local.locator("[data-place]")).to_contain_text("20 /")
            expect(local.locator(".moves li").first).to_be_visible()
            assert local.locator(".bars").count() == 3
            expect(local.get_by_role("button", name="Share")).to_have_count(0)
    finally:
        viewer.terminate()
        viewer.communicate(timeout=120)
