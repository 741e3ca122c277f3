"""Tables that are wider than a phone, in a real browser."""

from pathlib import Path

from playwright.sync_api import Page, expect

from ladder import database
from tests.e2e.browser import chromium, clean_page
from tests.e2e.sites import site
from tests.web.arena import play_next, register, tournament

PATCH = 4.0  # pixels


def test_a_shadow_tells_that_columns_go_on(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    database.upgrade(url)
    engine = database.engine(url)
    with database.session_factory(engine)() as session:
        play_next(session, tournament(session, register(session, ["ana", "luz"])))
    engine.dispose()
    with site(url) as address, chromium() as browser:
        for dark in (False, True):
            with clean_page(browser, address, width=360, dark=dark) as page:
                page.goto("/?seats=2")
                assert shadows(page) == (False, True)
                page.locator(".scroller").evaluate("table => table.scrollTo(9999, 0)")
                assert shadows(page) == (True, False)
            with clean_page(browser, address, width=1280, dark=dark) as page:
                page.goto("/?seats=2")
                assert shadows(page) == (False, False)


def shadows(page: Page) -> tuple[bool, bool]:
    """Whether the left and the right edge of the table's head are darker than its middle."""
    table = page.locator(".scroller")
    expect(table).to_be_visible()
    box = table.bounding_box()
    assert box

    def patch(x: float) -> bytes:
        return page.screenshot(clip={"x": x, "y": box["y"] + 2, "width": PATCH, "height": PATCH})

    middle = patch(box["x"] + box["width"] / 2)
    left, right = patch(box["x"] + 8), patch(box["x"] + box["width"] - 8 - PATCH)
    return left != middle, right != middle
