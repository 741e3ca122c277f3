"""A real browser, and pages that must stay without errors and without any request to elsewhere."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.conftest import missing

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
]

expect.set_options(timeout=15_000)  # milliseconds


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's chromium; playwright keeps the thread's event loop meanwhile."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium (Debian's package chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def clean_page(
    browser: Browser, address: str, *, width: int = 1280, dark: bool = False, calm: bool = False
) -> Iterator[Page]:
    """A page on the site at an address; `calm` asks for reduced motion."""
    context = browser.new_context(
        base_url=address,
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if calm else "no-preference",
    )
    troubles: list[str] = []
    page = context.new_page()
    page.on("console", lambda message: _note_message(message, troubles))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda asked: _note_request(asked, address, troubles))
    yield page
    context.close()
    assert troubles == []


def keep_picture(page: Page, name: str) -> None:
    """A screenshot in `build/screenshots`; the page must not be wider than the window."""
    size = page.viewport_size
    assert size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], name
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}-{size['width']}{'-dark' if dark else ''}.png")


def _note_message(message: ConsoleMessage, troubles: list[str]) -> None:
    cut = "net::ERR_" in message.text  # a test may cut the connection; other failures have words
    if message.type in ("error", "warning") and not cut:
        troubles.append(message.text)


def _note_request(asked: Request, address: str, troubles: list[str]) -> None:
    if not asked.url.startswith(address):
        troubles.append(f"request to {asked.url}")
