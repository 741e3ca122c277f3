"""A site with one match, and a browser on it; both serve all tests of a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import Lender, chromium
from tests.e2e.replay.viewing import played_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site with one match, in which a bot gave up and the caretaker went on."""
    with played_site(tmp_path_factory.mktemp("replay")) as address:
        yield address


@pytest.fixture(scope="module")
def browser(site: str) -> Iterator[Browser]:
    """Starts after the site, whose games need an event loop: playwright keeps the thread's own."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lender(browser: Browser, site: str) -> Lender:
    return Lender(browser, site)


@pytest.fixture
def page(lender: Lender, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page, of another form where the test says so."""
    with lender.page(**getattr(request, "param", {})) as lent:
        yield lent
