"""A real browser, and pages that must stay without errors and without any request to elsewhere."""

import asyncio
import base64
import os
import re
import shutil
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TypedDict, Unpack

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    StorageState,
    expect,
    sync_playwright,
)

from tests.conftest import missing

WIDE, HEIGHT = 1280, 800
"""Of a window, unless a test says something else."""
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",  # a process for it costs some per cent more
    "--disable-dev-shm-usage",
    "--disable-background-networking",
]
_REFUSAL = re.compile("the server responded with a status of (4|502)")  # 502 is a proxy's

_OVERHANG = "html => html.scrollWidth - html.clientWidth"
TIMEOUT = 180_000  # milliseconds: busy machines are slow
expect.set_options(timeout=TIMEOUT)


_ending = ExitStack()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Lend the browser that all files of a process share: to start one takes two CPU seconds.

    Meanwhile playwright keeps the thread's event loop.
    """
    browser, loop = _browser()
    with _running(loop):
        yield browser
        for context in browser.contexts:
            context.close()


@cache
def _browser() -> tuple[Browser, AbstractEventLoop]:
    """Debian's chromium, rather without a window, and playwright's loop; both last until `end`."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is None:
        missing("chromium (Debian's package chromium-headless-shell, or chromium)")
    playwright = _ending.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
    _ending.callback(browser.close)
    return browser, asyncio.get_running_loop()


@contextmanager
def _running(loop: AbstractEventLoop) -> Iterator[None]:
    """Tell the thread that this loop runs: playwright's does, between its calls as in them."""
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(None)


def end() -> None:
    """End the browser of this process, if there is one."""
    if _browser.cache_info().currsize:
        with _running(_browser()[1]):
            _ending.close()
        _browser.cache_clear()


class Form(TypedDict, total=False):
    """How a page is shown; `calm` asks for reduced motion, `state` has who is signed in."""

    width: int
    dark: bool
    calm: bool
    script: bool
    state: StorageState
    locale: str


@contextmanager
def clean_page(
    browser: Browser, address: str, *, refused: bool = False, **form: Unpack[Form]
) -> Iterator[Page]:
    """A watched page on the site at an address, with cookies and a cache of its own."""
    context = _context(browser, address, **form)
    with watched(context, address, refused=refused) as page:
        yield page
    context.close()


def _context(browser: Browser, address: str, **form: Unpack[Form]) -> BrowserContext:
    context = browser.new_context(
        base_url=address,
        viewport={"width": form.get("width", WIDE), "height": HEIGHT},
        color_scheme="dark" if form.get("dark") else "light",
        reduced_motion="reduce" if form.get("calm") else "no-preference",
        java_script_enabled=form.get("script", True),
        storage_state=form.get("state"),
        locale=form.get("locale", "en-GB"),
    )
    context.set_default_timeout(TIMEOUT)
    return context


class Lender:
    """Lends tests of a file one page of each form: a new one costs as much as to load a page in it.

    It has no cookies and remembers nothing, but what it shows stays until the test loads something.
    Of a test that sets the clock, adds a script or needs an empty cache the page has to be clean.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._contexts: dict[tuple[tuple[str, object], ...], BrowserContext] = {}

    @contextmanager
    def page(self, **form: Unpack[Form]) -> Iterator[Page]:
        key = tuple(sorted(form.items()))
        if key not in self._contexts:
            self._contexts[key] = _context(self._browser, self._address, **form)
        with watched(self._contexts[key], self._address, kept=True) as page:
            self._renew(page, form.get("width", WIDE))
            yield page

    def _renew(self, page: Page, width: int) -> None:
        page.context.clear_cookies()
        devtools = page.context.new_cdp_session(page)
        stored = {"origin": self._address, "storageTypes": "local_storage"}
        devtools.send("Storage.clearDataForOrigin", stored)
        devtools.detach()
        page.mouse.move(0, 0)
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": width, "height": HEIGHT})


@contextmanager
def watched(
    context: BrowserContext, address: str, *, refused: bool = False, kept: bool = False
) -> Iterator[Page]:
    """A page that must tell no error and ask for nothing but what is at the address.

    `refused` lets answers with the codes 4xx and 502 pass. `kept` shows it where the context's last
    page was: a new one costs as much as to load a page in it.
    """
    troubles: list[str] = []

    def note_message(message: ConsoleMessage) -> None:
        _note_message(message, troubles, refused=refused)

    def note_error(error: Error) -> None:
        troubles.append(str(error))

    def note_request(asked: Request) -> None:
        _note_request(asked, address, troubles)

    page = context.pages[0] if kept and context.pages else context.new_page()
    page.on("console", note_message)
    page.on("pageerror", note_error)
    page.on("request", note_request)
    try:
        yield page
    finally:
        page.remove_listener("console", note_message)
        page.remove_listener("pageerror", note_error)
        page.remove_listener("request", note_request)
        if not page.is_closed():  # else who still waits for the site's answer fails the next test
            page.unroute_all(behavior="ignoreErrors")
        if not kept:
            page.close()
    assert not troubles, troubles


def keep_picture(page: Page, name: str) -> None:
    """The page must not be wider than the window. With PICTURES set, a screenshot too.

    It is in `build/screenshots`, for people to look at.
    """
    assert overhang(page) <= 0, name
    if not os.environ.get("PICTURES"):
        return
    size = page.viewport_size
    assert size is not None
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    file = SCREENSHOTS / f"{name}-{size['width']}{'-dark' if dark else ''}.png"
    file.write_bytes(_picture(page))


def _picture(page: Page) -> bytes:
    """The whole page as a PNG, packed in less time than playwright takes for a smaller one."""
    devtools = page.context.new_cdp_session(page)
    whole = devtools.send("Page.getLayoutMetrics")["cssContentSize"]
    wanted = {
        "optimizeForSpeed": True,
        "captureBeyondViewport": True,
        "clip": {**whole, "scale": 1},
    }
    taken = devtools.send("Page.captureScreenshot", wanted)
    devtools.detach()
    return base64.b64decode(taken["data"])


def overhang(page: Page) -> int:
    """By how many pixels the page is wider than its window: so far it scrolls sideways.

    A page that loads itself anew in this moment is measured then.
    """
    html = page.locator("html")  # waits for it: a document that has just begun is empty
    try:
        return int(html.evaluate(_OVERHANG))
    except Error as error:
        if "context was destroyed" not in error.message:
            raise
    page.wait_for_load_state()
    return int(html.evaluate(_OVERHANG))


def _note_message(message: ConsoleMessage, troubles: list[str], *, refused: bool) -> None:
    cut = "net::ERR_" in message.text  # a test may cut the connection; other failures have words
    told = refused and _REFUSAL.search(message.text)
    if message.type in ("error", "warning") and not cut and not told:
        troubles.append(message.text)


def _note_request(asked: Request, address: str, troubles: list[str]) -> None:
    if not asked.url.startswith(f"{address}/"):
        troubles.append(f"request to {asked.url}")
