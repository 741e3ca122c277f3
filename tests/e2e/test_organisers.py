"""What an organiser does: make a tournament on the site, lead it, and watch it go on by itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.gates import ALL, Gate, enter, gated_bots
from tests.e2e.inspection import inspect
from tests.e2e.santiago import own_folder
from tests.e2e.season import ORGANISER
from tests.e2e.sites import parts
from tests.e2e.visiting import field, follow, signed_in
from tests.web.accounts.visitors import make

BOTS = ("uno", "dos", "tres")
PLAYED_WITHIN = 300_000  # milliseconds, on a busy machine


@dataclass(frozen=True)
class Arena:
    """A service with an organiser, and bots that play at the pace of a gate."""

    address: str
    gate: Gate


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with own_folder() as folder:
        gate = Gate(folder / "gate")
        gate.allow(0)
        with gated_bots(folder, gate, BOTS) as bots, parts(folder) as running:
            with running.ladder() as session:
                make(session, ORGANISER, "organiser")
                enter(session, bots)
                session.commit()
            yield Arena(running.address, gate)


@pytest.fixture(scope="module")
def browser(arena: Arena) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def olga_signed_in(browser: Browser, arena: Arena) -> StorageState:
    return signed_in(browser, arena.address, ORGANISER)


@pytest.fixture
def olga(browser: Browser, arena: Arena, olga_signed_in: StorageState) -> Iterator[Page]:
    """A page of the organiser."""
    with clean_page(browser, arena.address, state=olga_signed_in, refused=True) as opened:
        yield opened


def make_tournament(page: Page, name: str) -> None:
    """A round robin of all bots for two at a table, each pair in both orders: six matches."""
    page.goto("/tournaments")
    page.get_by_role("link", name="New tournament").click()
    field(page, "Name").fill(name)
    page.get_by_label("Round robin").check()
    field(page, "Seats at a table").select_option("2")
    field(page, "Deals").fill("1")
    for bot in BOTS:
        page.get_by_role("group", name="Bots").get_by_label(bot).first.check()
    page.get_by_text("Clock and grace time").click()
    field(page, "Seconds for one move").fill("600")
    field(page, "Seconds for the game").fill("6000")
    lead(page, "Create the tournament")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


def lead(page: Page, button: str) -> None:
    follow(page.get_by_role("button", name=button))


def state(page: Page) -> Locator:
    return page.locator("[data-live=state] .state")


def count(page: Page, name: str) -> Locator:
    return page.locator(f"[data-count={name}]")


def test_from_the_form_to_the_cross_table(olga: Page, arena: Arena) -> None:
    arena.gate.allow(0)
    make_tournament(olga, "Copa de Mayo")
    expect(count(olga, "total")).to_have_text("6")
    keep_picture(olga, "tournament-made")
    lead(olga, "Start")
    expect(state(olga)).to_have_text("running")
    olga.evaluate("window.stayed = true")
    expect(count(olga, "running")).not_to_have_text("0")
    keep_picture(olga, "tournament-running")
    arena.gate.allow(ALL)
    expect(count(olga, "finished")).to_have_text("6", timeout=PLAYED_WITHIN)
    expect(state(olga)).to_have_text("finished", timeout=PLAYED_WITHIN)
    expect(olga.get_by_text(re.compile(r"Finished \d"))).to_be_visible()
    expect(olga.get_by_role("button", name="Pause")).to_have_count(0)
    expect(olga.get_by_text("Withdraw a bot…")).to_have_count(0)
    assert olga.evaluate("window.stayed")  # nobody has loaded the page again
    cells = olga.get_by_role("group", name="Cross table").locator("tbody td a")
    expect(cells).to_have_count(6)
    points = [float(cell.inner_text().split("/")[0].replace("½", ".5")) for cell in cells.all()]
    assert sum(points) == 6  # one for each match
    keep_picture(olga, "tournament-finished")
    seen = set()
    for at in range(cells.count()):
        said = cells.nth(at).get_attribute("aria-label") or ""
        follow(cells.nth(at))
        rows = olga.locator("tbody tr")
        expect(rows).to_have_count(2)
        for row in rows.all():
            assert all(name in said for name in row.locator("a.bot").all_inner_texts())
        seen |= set(olga.locator("tbody th").all_inner_texts())
        olga.go_back()
    assert len(seen) == 6
    follow(cells.first)
    olga.locator("tbody th a").first.click()
    expect(olga.locator("[data-part=sentence]")).to_contain_text("sit down to play.")


def test_it_is_paused_resumed_and_cancelled(olga: Page, arena: Arena) -> None:
    arena.gate.allow(0)
    make_tournament(olga, "Copa Breve")
    lead(olga, "Start")
    lead(olga, "Pause")
    expect(state(olga)).to_have_text("paused")
    keep_picture(olga, "tournament-paused")
    lead(olga, "Resume")
    expect(state(olga)).to_have_text("running")
    olga.get_by_text("Cancel…").click()
    inspect(olga, "tournament-cancel")
    lead(olga, "Cancel the tournament")
    expect(state(olga)).to_have_text("cancelled")
    expect(count(olga, "finished")).to_have_text("0")
    expect(count(olga, "cancelled")).to_have_text("6")
    expect(olga.get_by_role("button", name="Start")).to_have_count(0)


def test_a_word_finds_bots_for_a_tournament(olga: Page) -> None:
    olga.goto("/tournaments/new")
    shown = olga.locator(".bot-list label")
    expect(shown).to_have_count(len(BOTS))
    olga.get_by_role("checkbox", name=re.compile("^uno ")).check()
    search = field(olga, "Bot or author")
    search.fill("TRES")
    expect(shown).to_have_text([re.compile("uno"), re.compile("tres")])
    search.fill("nueve")
    expect(shown).to_have_text([re.compile("uno")])
    expect(olga.get_by_role("status")).to_have_text("No bot found")
    search.fill("TRES")
    expect(olga.get_by_role("status")).to_have_text("")
    field(olga, "Name").fill("Copa")
    search.press("Enter")  # it does not send the form
    expect(olga.get_by_role("alert")).to_have_count(0)
    search.fill("")
    expect(shown).to_have_count(len(BOTS))
    expect(olga.locator("[name=first] option")).to_have_count(1 + len(BOTS))
    expect(olga.get_by_role("checkbox", name=re.compile("^uno "))).to_be_checked()
    other = {"content_type": "text/html", "body": "<h1>Sign in</h1>"}
    olga.route("**/tournaments/new?search=dos", lambda asked: asked.fulfill(**other))
    with olga.expect_event("requestfinished"):
        search.fill("dos")
    expect(olga.get_by_role("status")).to_have_text("")
    expect(shown).to_have_count(len(BOTS))


def test_the_form_says_what_is_wrong(olga: Page) -> None:
    olga.goto("/tournaments/new")
    field(olga, "Name").fill("Copa Vacía")
    field(olga, "Deals").fill("many")
    lead(olga, "Create the tournament")
    expect(olga.locator(".wrong-sentence, .field.wrong").first).to_be_visible()
    expect(field(olga, "Name")).to_have_value("Copa Vacía")
    inspect(olga, "tournament-wrong")
