"""People in front of a browser: signing in, and the cookies of those who are."""

from collections.abc import Iterable

from playwright.sync_api import Browser, BrowserContext, Locator, Page, StorageState, expect

from tests.e2e.browser import TIMEOUT, clean_page, watched
from tests.web.accounts.visitors import PASSWORD


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """By the form, to one's bots."""
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your bots")


def follow(leads: Locator) -> None:
    """Clicks what leads to another page, or to this one anew, and returns when that is loaded."""
    with leads.page.expect_navigation():
        leads.click()


def signed_in(browser: Browser, address: str, name: str) -> StorageState:
    """The cookies of somebody who has signed in."""
    with clean_page(browser, address) as page:
        sign_in(page, name)
        return page.context.storage_state()


def contexts(
    browser: Browser, address: str, names: Iterable[str]
) -> dict[str | None, BrowserContext]:
    """By who is signed in, None for a stranger: pages made in one share cookies and a cache.

    They ask for reduced motion: what fades in or out has no colours to judge.
    """
    found: dict[str | None, BrowserContext] = {
        name: browser.new_context(base_url=address, reduced_motion="reduce")
        for name in (None, *names)
    }
    for context in found.values():
        context.set_default_timeout(TIMEOUT)
    for name in names:
        with watched(found[name], address, kept=True) as page:
            sign_in(page, name)
    return found


def field(page: Page, label: str) -> Locator:
    """The field of a form with this label, whatever the hint below it says."""
    labelled = page.locator("label.field", has=page.get_by_text(label, exact=True))
    return labelled.locator("input, select")
