"""The dice of a game, checked in the reader's browser."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.browser import clean_page
from tests.e2e.replay.viewing import frames, open_replay


@pytest.fixture
def clean(browser: Browser, site: str) -> Iterator[Page]:
    """A page whose clock, scripts and permissions may change."""
    with clean_page(browser, site) as opened:
        yield opened


def test_the_readers_browser_finds_the_dice_fair(clean: Page) -> None:
    clean.context.grant_permissions(["clipboard-read", "clipboard-write"])
    clean.clock.install()
    open_replay(clean)
    panel = clean.locator(".dice-panel")
    expect(panel).to_have_attribute("data-verdict", "fair")
    expect(panel.locator(".verdict")).to_contain_text("The dice were fair")
    expect(panel.locator("[role=status], [aria-live]")).to_have_count(0)  # nobody has asked for it
    rolls = sum(frame["type"] == "roll" for frame in frames(clean))
    draws = sum(frame.get("by") == "caretaker" for frame in frames(clean))
    assert draws > 0
    assert panel.locator(".checks li").all_inner_texts() == [
        "✓ The seed is the one that was promised before the game",
        f"✓ Rolls that follow from the seed: {rolls} / {rolls}",
        f"✓ Moves of the caretaker that follow from the seed: {draws} / {draws}",
    ]
    panel.get_by_text("All numbers").click()
    clean.clock.pause_at(datetime.now(UTC) + timedelta(days=1))
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    clean.clock.resume()
    expect(panel.get_by_role("button", name="Copy", exact=True)).to_be_visible()
    copied = clean.evaluate("navigator.clipboard.readText()")
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

    page.route("**/frames*", answer)
    open_replay(page)
    panel = page.locator(".dice-panel")
    expect(panel).to_have_attribute("data-verdict", "unfair")
    expect(panel.locator(".verdict")).to_contain_text("The dice are wrong")
    expect(panel.locator(".checks .differs").first).to_contain_text("✗")


def test_a_browser_that_may_not_check_says_so(clean: Page) -> None:
    clean.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    open_replay(clean)
    expect(clean.locator(".dice-panel")).to_have_attribute("data-verdict", "insecure")
    expect(clean.locator(".verdict")).to_contain_text("santiago replay verify")
