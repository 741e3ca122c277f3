"""The pictures of the README: `python -m tests.e2e.screenshots` makes them anew in docs/images."""

from base64 import b64decode
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.browser import chromium, clean_page, end
from tests.e2e.santiago import own_folder
from tests.e2e.season import AUTHOR, OTHER_AUTHOR, Entrant, play_season
from tests.e2e.sites import site

IMAGES = Path(__file__).parents[2] / "docs" / "images"
QUALITY = 85  # of 100, as WebP counts
FIELD = (
    Entrant("sol-y-mar", AUTHOR, 1.0),
    Entrant("malecon", OTHER_AUTHOR, 0.8),
    Entrant("rumba-azul", "celia", 0.9),
    Entrant("vedado", "celia", 0.55),
    Entrant("guajira", "tito", 0.4),
    Entrant("el-morro", "tito", 0.2),
    Entrant("mojito", OTHER_AUTHOR, 0.1),
    Entrant("siesta", "celia", 0.0),
)
GAME, MOMENT = 3, 104  # the middle of a game
DEALS = 4


def main() -> None:
    """Plays a season, opens its site and takes the pictures. A minute or two."""
    with own_folder() as folder:
        season = play_season(folder, FIELD, deals=DEALS)
        with site(f"sqlite:///{folder}/ladder.db") as address, chromium() as browser:
            with clean_page(browser, address, width=1280, calm=True) as page:
                page.goto("/?seats=3")
                keep(page, "standings", 815)
            with clean_page(browser, address, width=1280, calm=True) as page:
                page.goto(f"/matches?tournament={season.cups[4]}")
                match = page.locator("tbody th a").nth(GAME).get_attribute("href")
                page.goto(f"{match}?at={MOMENT}")
                expect(page.locator("[data-place]")).to_contain_text(f"{MOMENT} /")
                keep(page, "replay", 780)


def keep(page: Page, name: str, height: int) -> None:
    """What is seen of the page in a window of this height."""
    assert page.viewport_size
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    IMAGES.mkdir(parents=True, exist_ok=True)
    developer = page.context.new_cdp_session(page)  # playwright itself knows no WebP
    taken = developer.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    file = IMAGES / f"{name}.webp"
    file.write_bytes(b64decode(taken["data"]))
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
    end()
