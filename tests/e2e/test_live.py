"""A match is watched while it is played: worker, Redis, site and browser are real."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

import web
from ladder.contests.tournaments import creating, lifecycle
from ladder.errors import Refused
from ladder.matches.listing import list_matches
from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.gates import ALL, PATIENT, Gate, enter, gated_bots
from tests.e2e.processes import until
from tests.e2e.santiago import Santiago, own_folder
from tests.e2e.sites import Service, service

LOOK_EVERY = 200  # milliseconds: at each frame, as playwright does, the page is drawn all the time
OUT_OF_SIGHT = """window.streams = [];
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    window.streams.push(this);
  }
};
window.unseen = true;
Object.defineProperty(document, "hidden", { get: () => window.unseen });"""
ARE_CLOSED = "() => streams.length > 0 && streams.every(({ readyState }) => readyState === 2)"
TELLING = Path(web.__file__).parent / "static" / "replays" / "telling.js"


@dataclass(frozen=True)
class Arena:
    """A service whose bots play at the pace of a gate, and the id of their first match."""

    service: Santiago
    address: str
    gate: Gate
    first: int


@pytest.fixture(scope="module")
def live_service() -> Iterator[Service]:
    with own_folder() as folder, service(folder, "--pace", "0") as started:
        yield started


@pytest.fixture
def arena(live_service: Service, folder: Path) -> Iterator[Arena]:
    """A tournament of two bots; what is left of it after the test is cancelled."""
    gate, up = Gate(folder / "gate"), live_service.up
    gate.allow(25)
    with gated_bots(folder, gate, ("ana", "luz")) as addresses:
        with up.ladder() as session:
            bot_ids = enter(session, addresses)
            cup = creating.create(
                session, None, name="Copa", seats=2, bot_ids=bot_ids, deals=1, clock=PATIENT
            ).id
            lifecycle.start(session, cup)
            session.commit()
            made = list_matches(session, tournament_id=cup, limit=9).matches
        yield Arena(up, live_service.address, gate, min(match.id for match in made))
        with up.ladder() as session, suppress(Refused):
            lifecycle.cancel(session, cup)
            session.commit()


@pytest.fixture(scope="module")
def browser(live_service: Service) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(arena: Arena, browser: Browser) -> Iterator[Page]:
    with clean_page(browser, arena.address) as opened:
        yield opened


def last(page: Page) -> int:
    return int(page.locator("[data-place]").inner_text().split("/")[1])


def frames(page: Page, match_id: int) -> list[dict[str, Any]]:
    """The game so far, as a page asks for it."""
    document = page.request.get(f"/matches/{match_id}/live/frames").json()
    found: list[dict[str, Any]] = document["frames"]
    return found


def until_held(page: Page, match_id: int, decisions: int) -> None:
    """Returns when a bot has made all that the gate allows: little can happen before it waits."""

    def is_held() -> bool:
        made = Counter(one["seat"] for one in frames(page, match_id) if one.get("by") == "bot")
        return max(made.values(), default=0) >= decisions

    until(is_held)


def catch_up(page: Page, match_id: int) -> None:
    """Returns when all that has happened is shown, though more comes meanwhile."""

    def is_newest() -> bool:
        page.locator("[data-part=follow]").click()
        return last(page) == len(frames(page, match_id)) - 1

    until(is_newest)


def watch(page: Page, match_id: int) -> None:
    """From the lobby into the middle of the match."""
    page.goto("/live")
    link = page.get_by_role("link", name=f"Watch match {match_id}", exact=True)
    with page.expect_navigation():
        link.press("Enter")  # the list may be drawn anew between the halves of a click
    until_beyond(page, 29)


def in_haste(page: Page) -> None:
    """Moments that wait are told ten times as fast as usual."""
    page.get_by_label("Speed").select_option("10")


def at_leisure(page: Page) -> None:
    """Of several moments that come all but the first wait, however long a test needs."""
    page.get_by_label("Speed").evaluate("speed => speed.add(new Option('', 0.001, true, true))")


def shared(page: Page) -> int:
    """The moment to which the link leads that one gets now."""
    page.get_by_role("button", name="Share").click()
    link = page.get_by_label("Link", exact=True).input_value()
    page.keyboard.press("Escape")
    return int(link.partition("at=")[2])


def boxes(page: Page) -> list[object]:
    """Where the viewer's parts are in the window."""
    parts = page.locator(".caption, .board, .controls, .players, .race-panel, .log-panel")
    return [part.bounding_box() for part in parts.all()]


def is_live(page: Page) -> None:
    """The newest frame is shown, and the log has a line for each and one for the start."""
    page.wait_for_function(
        """() => {
            const place = document.querySelector("[data-place]"); // not yet, if the page loads
            const [shown, last] = place?.textContent.split("/") ?? [];
            const lines = document.querySelectorAll(".log-line").length;
            return Number(shown) === Number(last) && lines === Number(last) + 1;
        }""",
        polling=LOOK_EVERY,
    )


def until_beyond(page: Page, frame: int) -> None:
    """Returns when frames beyond this one are there."""
    page.wait_for_function(
        "frame => document.querySelector('[data-place]')?.textContent.split('/')[1] > frame",
        arg=frame,
        polling=LOOK_EVERY,
    )


def test_a_match_from_its_middle_to_its_end(page: Page, arena: Arena) -> None:
    watch(page, arena.first)
    is_live(page)
    expect(page).to_have_title(re.compile(rf"^Match {arena.first} live: "))
    seen = last(page)
    expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
    page.locator(".log-line a").last.focus()
    at_leisure(page)
    arena.gate.allow(40)
    until_beyond(page, seen)
    expect(page.locator(".log-line a:focus")).to_have_count(1)  # more was said of this moment
    now = page.get_by_role("button", name="Jump to now")
    until_held(page, arena.first, 40)
    until(lambda: last(page) == len(frames(page, arena.first)) - 1)  # those that wait count, too
    expect(page.locator(".log-line")).to_have_count(seen + 2)
    now.click()
    in_haste(page)
    catch_up(page, arena.first)
    expect(now).to_have_count(0)
    is_live(page)
    dice = page.locator(".dice-panel")
    expect(dice).to_have_attribute("data-verdict", "later")
    keep_picture(page, "live")
    page.keyboard.press("Home")
    seen = last(page)
    arena.gate.allow(45)
    until_beyond(page, seen)
    expect(page.locator("[data-place]")).to_have_text(re.compile("^0 / "))
    wide = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 640})
    height = "one => one.offsetHeight"
    assert page.locator(".place-in-game").evaluate(height) < 1.5 * now.evaluate(height)
    assert wide
    page.set_viewport_size(wide)
    now.click()
    expect(page.get_by_role("button", name="Live", exact=True)).to_be_visible()
    until(lambda: shared(page) == last(page))  # more may come between the two looks
    places = boxes(page)
    cut = f"**/matches/{arena.first}/frames*"  # the first time, the game's end does not come
    page.route(cut, lambda route: route.abort(), times=1)
    arena.gate.allow(ALL)
    expect(page.get_by_role("heading", name="The match is over")).to_be_visible()
    expect(page.locator("[data-part=sentence]")).to_contain_text(re.compile("wins with|share"))
    expect(page.locator(".final .rating")).to_have_count(2)
    expect(page).to_have_title(re.compile(rf"^Match {arena.first}: (ana, luz|luz, ana) · "))
    assert boxes(page) == places, (boxes(page), places)
    expect(dice).to_have_attribute("data-verdict", "fair")
    keep_picture(page, "live-end")
    page.set_viewport_size({"width": 360, "height": 640})
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".board .tall")).to_be_visible()
    final, controls = (page.locator(name).bounding_box() for name in (".final", ".controls"))
    assert final
    assert controls
    assert final["y"] + final["height"] <= controls["y"]
    page.get_by_role("link", name=re.compile("The replay of match")).click()
    expect(page.locator("[data-part=sentence]")).to_contain_text("sit down to play.")


def test_a_running_match_in_a_frame_of_another_site(page: Page, arena: Arena) -> None:
    watch(page, arena.first)
    seen = last(page)
    page.goto(page.url + "/embed")
    until_beyond(page, seen - 1)
    expect(page.locator("[data-place]")).to_have_text(re.compile(r"^(\d+) / \1$"))
    arena.gate.allow(ALL)
    behind = page.get_by_role("button", name="Jump to now")
    end = page.get_by_role("heading", name="The match is over")
    until(
        lambda: (
            behind.evaluate_all("all => { all.forEach(one => one.click()) }") or end.is_visible()
        )
    )
    expect(page.locator("[data-part=sentence]")).to_contain_text(re.compile("wins with|share"))
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    keep_picture(page, "embed-live")


def test_the_connection_is_cut_and_comes_back(page: Page, arena: Arena) -> None:
    watch(page, arena.first)
    seen = last(page)
    page.route("**/live?*", lambda route: route.abort())  # until the notice was read
    arena.service.kill_part("site")
    expect(page.locator("[data-part=notice]")).to_contain_text("Connection lost")
    keep_picture(page, "live-cut")
    page.unroute("**/live?*")
    arena.gate.allow(40)
    until_beyond(page, seen)
    expect(page.locator("[data-part=notice]")).to_be_hidden()
    is_live(page)


def test_a_page_out_of_sight_keeps_no_connection(page: Page, arena: Arena) -> None:
    watch(page, arena.first)
    page.add_init_script(OUT_OF_SIGHT)
    page.reload()
    page.wait_for_function(ARE_CLOSED)
    seen = last(page)
    arena.gate.allow(40)
    page.evaluate("unseen = false; document.dispatchEvent(new Event('visibilitychange'))")
    until_beyond(page, seen)
    page.evaluate("unseen = true; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function(ARE_CLOSED)
    arena.gate.allow(ALL)
    expect(page).to_have_title(re.compile(rf"^Match {arena.first}: (ana, luz|luz, ana) · "))


def test_another_attempt_starts_over(page: Page, arena: Arena) -> None:
    def meanwhile(route: Route) -> None:
        """More happens before the stream begins than is told before the notice goes."""
        arena.gate.allow(8)
        until_held(page, arena.first, 8)
        route.continue_()

    watch(page, arena.first)
    page.route("**/live?from=2-*", meanwhile, times=1)
    arena.gate.allow(2)
    arena.service.kill_part("worker")
    expect(page.locator("[data-part=notice]")).to_contain_text("played again")
    until_beyond(page, 9)
    expect(page.locator("[data-part=notice]")).to_contain_text("with new dice")
    expect(page.locator("[data-place]")).to_contain_text(re.compile(r"/ [12]?\d$"))
    keep_picture(page, "live-again")
    until(lambda: last(page) == len(frames(page, arena.first)) - 1)  # the stream has begun
    in_haste(page)
    arena.gate.allow(20)
    expect(page.locator("[data-part=notice]")).to_be_hidden()
    arena.gate.allow(ALL)
    expect(page.get_by_role("heading", name="The match is over")).to_be_visible()


def test_a_page_slower_than_the_pace_tells_several_moments_at_once(browser: Browser) -> None:
    page = browser.new_page()
    told = page.evaluate(
        """async (source) => {
            const { telling } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
            const told = [];
            await new Promise((done) => {
                const put = (moments) => {
                    told.push(moments);
                    const free = performance.now() + 100; // the pace is 36 to 90 milliseconds
                    while (performance.now() < free);
                    if (!teller.behind()) done();
                };
                const teller = telling(put, () => 10);
                teller.add([...Array(30).keys()]);
            });
            return told;
        }""",
        TELLING.read_text(),
    )
    page.close()
    assert [moment for moments in told for moment in moments] == list(range(30))
    assert len(told) < 30


def test_the_lobby_keeps_up(page: Page, arena: Arena) -> None:
    page.goto("/live")
    expect(page.locator(".live-games li.panel").first).to_contain_text("Ship")
    arena.gate.allow(ALL)
    empty = page.get_by_role("heading", name="No match is being played")
    expect(empty).to_be_visible()
    keep_picture(page, "lobby-empty")


def test_without_javascript_the_page_says_how_the_match_stands(
    browser: Browser, arena: Arena
) -> None:
    context = browser.new_context(base_url=arena.address, java_script_enabled=False)
    page = context.new_page()
    words = f"/matches/{arena.first}/live/words"
    until(lambda: page.request.get(words).text().count("<li id=") > 10)
    link = page.get_by_role("link", name=f"Watch match {arena.first}", exact=True)
    until(lambda: page.goto("/live") and link.count() == 1)  # one look serves all for a second
    link.click()
    expect(page.locator("[data-part=where]")).to_contain_text(re.compile(r"Ship \d"))
    expect(page.locator(".board .pawn:visible")).not_to_have_count(0)
    expect(page.get_by_role("navigation", name="Step through the game")).to_be_visible()
    page.get_by_role("link", name="all moves so far in words").click()
    expect(page.locator(".sentences li").nth(10)).to_be_visible()
    context.close()
