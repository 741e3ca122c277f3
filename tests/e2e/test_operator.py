"""What an admin does where something is stuck or was not right."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from ladder.contests.tournaments import creating, lifecycle
from tests.e2e.browser import chromium, clean_page
from tests.e2e.gates import PATIENT, Gate, enter, gated_bots
from tests.e2e.inspection import inspect
from tests.e2e.processes import until
from tests.e2e.santiago import own_folder
from tests.e2e.season import ADMIN, Season, play_season
from tests.e2e.sites import Parts, parts
from tests.e2e.visiting import follow, signed_in

STUCK = ("uno", "dos")


@dataclass(frozen=True)
class Arena:
    """A service on which a season was played, and a match does not go on."""

    address: str
    season: Season


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with own_folder() as folder:
        season = play_season(folder / "data")
        gate = Gate(folder / "gate")
        gate.allow(5)
        with gated_bots(folder, gate, STUCK) as bots, parts(folder) as site:
            start_cup(site, bots)
            until(site.playing)
            yield Arena(site.address, season)


def start_cup(site: Parts, bots: dict[str, str]) -> None:
    with site.ladder() as session:
        ids = enter(session, bots)
        made = creating.create(
            session, None, name="Atasco", seats=2, bot_ids=ids, deals=1, clock=PATIENT
        )
        lifecycle.start(session, made.id)
        session.commit()


@pytest.fixture(scope="module")
def browser(arena: Arena) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def boss_signed_in(browser: Browser, arena: Arena) -> StorageState:
    return signed_in(browser, arena.address, ADMIN)


@pytest.fixture
def boss(browser: Browser, arena: Arena, boss_signed_in: StorageState) -> Iterator[Page]:
    """A page of the admin."""
    with clean_page(browser, arena.address, state=boss_signed_in) as opened:
        yield opened


def do(page: Page, title: str, button: str, reason: str) -> None:
    """A deed with its reason, confirmed."""
    card = (
        page.get_by_role("region")
        .or_(page.locator("section.card"))
        .filter(has=page.get_by_role("heading", name=title, exact=True))
    )
    card.get_by_label("Reason").fill(reason)
    card.get_by_label("I am sure").check()
    follow(card.get_by_role("button", name=button))


def games(page: Page, bot: str) -> int:
    """How many the ladder of two counts for a bot."""
    page.goto("/?seats=2")
    row = page.locator(".standings tbody tr").filter(has=page.get_by_role("link", name=bot))
    return int(row.locator("td.number").first.inner_text())


def test_queue_and_workers_are_seen(boss: Page) -> None:
    boss.goto("/admin")
    boss.get_by_role("link", name="Operator").click()
    workers = boss.get_by_role("group", name="Workers").locator("tbody tr")
    expect(workers).to_have_count(1)
    queue = boss.get_by_role("group", name="Queue").locator("tbody tr")
    expect(queue.filter(has_text="tournament")).to_be_visible()
    expect(boss.get_by_role("group", name="Running")).to_contain_text("uno")


def test_an_annulled_match_counts_no_more(boss: Page, arena: Arena) -> None:
    before = games(boss, "havana")
    boss.goto(f"/matches?bot={arena.season.bots['havana']}&tournament={arena.season.cups[2]}")
    match = boss.locator("tbody th").first.inner_text()
    boss.goto("/operator")
    boss.get_by_label("Number").fill(match)
    follow(boss.get_by_role("button", name="Open"))
    boss.get_by_label("Reason").fill("the worker was out of order")
    boss.get_by_role("button", name=f"Annul match {match}").click()
    expect(boss.get_by_text("Annulled:")).to_have_count(0)  # the box was not ticked
    do(boss, "Annul", f"Annul match {match}", "the worker was out of order")
    expect(boss.get_by_text("Annulled: the worker was out of order")).to_be_visible()
    inspect(boss, "operator-annulled")
    assert games(boss, "havana") == before - 1
    boss.goto("/admin/audit")
    expect(boss.get_by_role("row").filter(has_text="out of order")).to_contain_text("annul")


def test_a_stuck_match_is_played_anew_and_then_cancelled(boss: Page) -> None:
    boss.goto("/operator")
    follow(boss.get_by_role("group", name="Running").locator("tbody th a").first)
    do(boss, "Play it again", "Put in the queue", "it stands still")
    expect(boss.locator(".page-head")).to_contain_text(re.compile("attempt [12]"))
    do(boss, "Cancel", "Cancel match", "nobody waits for it")
    expect(boss.locator("h1 .state")).to_have_text("cancelled")
    expect(boss.get_by_text("Nothing can be done")).to_be_visible()


def test_a_bot_is_paused_and_resumed(boss: Page, arena: Arena) -> None:
    boss.goto(f"/bots/{arena.season.bots['rumba']}")
    follow(boss.get_by_role("link", name="Admin actions"))
    do(boss, "Pause", "Pause rumba", "it floods the queue")
    expect(boss.locator("h1 .state").first).to_have_text("paused")
    boss.goto("/operator")
    away = boss.get_by_role("group", name="Bots that do not play")
    expect(away.get_by_role("row").filter(has_text="rumba")).to_contain_text("floods the queue")
    inspect(boss, "operator-away")
    follow(away.get_by_role("link", name="rumba"))
    do(boss, "Resume", "Resume rumba", "its author has mended it")
    expect(boss.locator("h1 .state-paused")).to_have_count(0)
