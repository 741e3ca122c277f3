"""People at the table in real browsers: two of them and two bots, on a desk and on a phone."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from ladder.casual import opening
from ladder.casual.opening import Wish
from ladder.model import CasualGame, CasualPace
from tests.e2e.browser import Lender, chromium, clean_page, keep_picture, overhang
from tests.e2e.inspection import findings, small_targets
from tests.e2e.processes import until
from tests.e2e.replay.viewing import SWIPE
from tests.e2e.santiago import own_folder
from tests.e2e.sites import Parts, parts
from tests.ladder.bots.authors import house_bot
from tests.ladder.casual.tables import HouseBot, choose as to_choose, friends, to_other_drive
from tests.referee.games import served
from web.lesson.script import STEPS

PHONE = 360
OVERLAPS = """() => {
  const all = [...document.querySelectorAll(".replay > section")];
  const parts = all.filter((part) => part.offsetParent);
  const boxes = parts.map((part) => [part.className, part.getBoundingClientRect()]);
  const meet = (a, b) =>
    a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
  return boxes.flatMap(([one, a], at) =>
    boxes.slice(at + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${one} / ${other}`));
}"""
"""The parts of the viewer that stand on one another, by pairs of their classes."""
UNDER_THE_POINTER = """() => {
  const { style } = document.querySelector("[data-confirms]");
  Object.assign(style, { position: "fixed", inset: 0, width: "100%", height: "100%" });
}"""
"""Puts the confirmation of a choice below the pointer, wherever that is."""
IN_ONE_PLACE = """() => {
  const place = document.querySelector(".board .lit").dataset.lit;
  const choices = document.querySelectorAll(".choices-now button");
  for (const { dataset } of choices) dataset.placeOf = place;
}"""
"""Lets all choices be made at the first place that is lit."""
SET_APART = """() => {
  const far = document.createElement("details");
  const [, ...others] = document.querySelectorAll(".choices-now li");
  far.className = "far";
  far.innerHTML = "<summary>More</summary>";
  far.append(...others);
  document.querySelector(".choices-now").after(far);
}"""
"""Puts all choices but the first one where drives of more than a lap are."""
HOLD_PATIENCE = """() => {
  const { timeout } = AbortSignal;
  const patience = new AbortController();
  AbortSignal.timeout = () => patience.signal;
  window.giveUp = () => {
    AbortSignal.timeout = timeout;
    patience.abort();
  };
}"""
"""Lets the page wait for its next answers until `giveUp` is called."""
KEEP_STREAMS = """window.streams = [];
window.EventSource = class extends EventSource {
  constructor(address) {
    super(address);
    window.streams.push(this);
  }
};"""
IS_UNCOVERED = """one => {
  const { left, bottom } = one.getBoundingClientRect();
  return document.elementFromPoint(left + 5, bottom - 2) === one;
}"""
"""Whether nothing stands before the lower edge of a part of the page."""
COVERED_BY_CONTROLS = """board => {
  const { top } = document.querySelector(".controls").getBoundingClientRect();
  return top < board.getBoundingClientRect().bottom;
}"""
MIDDLES = """all => all.map((one) => {
  const { top, bottom, height } = one.getBoundingClientRect();
  return height > 1 ? (top + bottom) / 2 : null;
}).filter((middle) => middle !== null)"""
"""How far down the middle of each is; what only readers of screens see is left out."""
CONNECTIONS = 6
"""How many connections a browser has to a site by HTTP/1.1, for all of its tabs."""
OUT_OF_SIGHT = """window.unseen = true;
Object.defineProperty(document, "hidden", { get: () => window.unseen });"""
SHOW = "unseen = false; document.dispatchEvent(new Event('visibilitychange'))"
IS_OPEN = "() => streams.some(({ readyState }) => readyState === EventSource.OPEN)"
"""Whether the page gets news by a stream."""
STREAMS = "streams.map(({ readyState }) => readyState < EventSource.CLOSED)"
"""Whether each stream that the page has asked for is still its own."""


@pytest.fixture(scope="module")
def place() -> Iterator[Parts]:
    with own_folder() as folder, served(HouseBot, f"unix:{folder}/bot"), parts(folder) as running:
        yield running


@pytest.fixture(scope="module")
def browser(place: Parts) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lender(browser: Browser, place: Parts) -> Lender:
    return Lender(browser, place.address)


@pytest.fixture
def seats(place: Parts) -> tuple[str, str]:
    """The seats of two friends at a table with two bots."""
    with place.ladder() as session:
        bots = [house_bot(session, name, f"unix:{place.data.parent}/bot") for name in "ab"]
        game = opening.open_game(session, Wish((None, *bots)))
        session.commit()
        return f"/play/{game.table[0].key}", f"/play/{game.table[1].key}"


def top(part: Locator) -> float:
    """How far below the window's edge a part of the page begins."""
    box = part.bounding_box()
    assert box is not None
    return box["y"]


def asked(*pages: Page) -> Page:
    """The page of who has to choose."""
    until(lambda: any(page.locator("[data-decision]").count() for page in pages))
    return next(page for page in pages if page.locator("[data-decision]").count())


def choose(page: Page) -> None:
    """Compose a choice, take it back, compose it again and confirm it."""
    decision = page.locator("[data-decision]")
    expect(decision).to_be_visible()
    number = decision.get_attribute("data-decision")
    confirms = page.get_by_role("button", name="Confirm")
    first = page.locator(".choices-now button").first
    expect(first).to_have_attribute("aria-pressed", "false")  # the script is there
    first.click()
    page.get_by_role("button", name="Take back").click()
    expect(confirms).to_be_hidden()
    first.focus()
    page.keyboard.press("Enter")
    expect(confirms).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(f"[data-decision='{number}']")).to_have_count(0)


def give_up(page: Page) -> None:
    """Two clicks in haste only open the question; a third answers it."""
    gives_up = page.get_by_role("button", name="Give up")
    expect(gives_up).to_be_hidden()
    page.get_by_text("Give up…").dblclick()
    expect(gives_up).to_be_visible()
    gives_up.click()


def test_two_people_and_two_bots(place: Parts, browser: Browser, seats: tuple[str, str]) -> None:
    own, friends = seats
    with clean_page(browser, place.address) as desk, clean_page(browser, place.address) as friend:
        desk.goto(own)
        expect(desk.get_by_text(friends)).to_be_visible()
        desk.get_by_role("button", name="Copy").click()
        expect(desk.get_by_text("Copied")).to_be_visible()
        friend.goto(friends)
        friend.get_by_role("button", name="Start the game").click()
        expect(friend.get_by_text("Waiting for the others")).to_be_visible()
        seat = friend.url
        desk.goto(friends)  # by the link that the opener has sent
        expect(desk.get_by_text("Somebody has taken this seat")).to_be_visible()
        desk.goto(own)
        expect(desk.get_by_text("ready", exact=True)).to_be_visible()
        desk.get_by_role("button", name="Start the game").click()
        for _ in range(3):
            choose(asked(desk, friend))
        friend.goto(friends)
        expect(friend).to_have_url(seat)
        friend.close()
    with (
        clean_page(browser, place.address, width=PHONE, calm=True) as phone,
        clean_page(browser, place.address) as desk,
    ):
        phone.goto(friends)
        expect(phone.get_by_text("Somebody has taken this seat")).to_be_visible()
        expect(phone.locator("[data-loading]")).to_have_count(0)
        assert overhang(phone) == 0
        assert findings(phone) == []
        expect(phone.locator(".taken")).to_be_in_viewport(ratio=1)
        assert top(phone.locator(".controls")) < top(phone.locator(".players"))
        keep_picture(phone, "play-watched")
        desk.goto(friends)
        expect(desk.locator("[data-loading]")).to_have_count(0)
        assert desk.evaluate(OVERLAPS) == []
        keep_picture(desk, "play-watched")
        phone.goto(seat)  # on another device, by the same address
        desk.goto(own)
        choose(asked(phone, desk))
        assert overhang(phone) == 0
        give_up(desk)
        expect(desk.get_by_text("Give up…")).to_have_count(0)
        choose(phone)


def test_the_end_is_said_once_and_beside_it_what_can_follow(place: Parts, browser: Browser) -> None:
    with place.ladder() as session:
        game = opening.open_game(session, Wish((None,)))
        for seat in game.table:
            opening.accept(session, str(seat.key), b"x")
        session.commit()
        own, friends = (f"/play/{one.key}" for one in game.table)
    with (
        clean_page(browser, place.address, width=PHONE) as phone,
        clean_page(browser, place.address, calm=True) as desk,
    ):
        for page, address in ((desk, own), (phone, friends)):
            page.goto(address)
            expect(page.get_by_text("Give up…")).to_be_visible()
        give_up(phone)  # opens the replay at its end
        expect(phone.locator("[data-step=last]")).to_have_attribute("aria-disabled", "true")
        for page in (phone, desk):
            expect(page.get_by_text("The game is over", exact=True)).to_have_count(1)
            expect(page.get_by_role("button", name="Rematch")).to_have_count(1)
            expect(page.get_by_role("link", name="Play a new game")).to_have_count(1)
            assert overhang(page) == 0
        desk.get_by_role("link", name="Watch the replay").click()
        expect(desk.locator("[data-step=first]")).to_have_attribute("aria-disabled", "true")
        for page in (phone, desk):  # who has played it need not ask to see the end
            expect(page.get_by_role("button", name="Analyse this game")).to_be_visible()
            assert page.evaluate(OVERLAPS) == []
        at_hand, analysis = (phone.locator(part) for part in (".controls", ".analysis-panel"))
        assert top(at_hand) < top(analysis)
        keep_picture(phone, "play-over-analysis")
        keep_picture(desk, "play-over-analysis")
        expect(analysis).not_to_be_in_viewport()
        phone.get_by_role("link", name="Why it was won").click()
        expect(analysis).to_be_in_viewport()
        expect(phone.locator("[data-step=last]")).to_have_attribute("aria-disabled", "true")
        phone.get_by_role("button", name="Rematch").click()
        expect(desk.get_by_text("The rematch is open")).to_be_visible()
        desk.get_by_role("button", name="Rematch").click()
        expect(desk.get_by_role("button", name="Start the game")).to_be_visible()


def test_a_tab_out_of_sight_says_whose_turn_it_is(place: Parts, browser: Browser) -> None:
    with place.ladder() as session:
        game = opening.open_game(session, Wish((None,)))
        session.commit()
        own, friends = (f"/play/{one.key}" for one in game.table)
    with (
        clean_page(browser, place.address, width=PHONE) as phone,
        clean_page(browser, place.address) as desk,
    ):
        for page in (phone, desk):
            page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true })")
        phone.goto(own)
        phone.get_by_role("button", name="Start the game").click()
        expect(phone.get_by_text("Waiting for the others")).to_be_visible()
        desk.goto(friends)
        desk.get_by_role("button", name="Start the game").click()
        expect(phone.get_by_text("Give up…")).to_be_visible()
        now = asked(phone, desk)
        expect(now).to_have_title("Your turn · Your game · Santiago Arena")
        waits = desk if now is phone else phone
        expect(waits).to_have_title("Your game · Santiago Arena")
        expect(waits.get_by_role("status").filter(has_text="Your turn")).to_have_count(0)
        for page in (phone, desk):  # until each of them has had to choose
            while asked(phone, desk) is not page:
                choose(desk if page is phone else phone)
            expect(page).to_have_title("Your turn · Your game · Santiago Arena")
            expect(page.get_by_role("status").filter(has_text="Your turn")).to_have_count(1)
        expect(desk.locator(".own-turn")).to_be_hidden()  # the choices are beside the board


def test_tables_out_of_sight_leave_connections_to_other_tabs(
    place: Parts, browser: Browser
) -> None:
    with place.ladder() as session:
        games = [friends(session) for _ in range(CONNECTIONS + 1)]
        waiting = [one.table[1 - (one.deciding or 0)] for one in games]
        with clean_page(browser, place.address) as page:
            tabs = [page.context.new_page() for _ in range(CONNECTIONS)]
            for tab, seat in zip(tabs, waiting, strict=False):
                tab.add_init_script(KEEP_STREAMS + OUT_OF_SIGHT)
                tab.goto(f"/play/{seat.key}")
                tab.wait_for_function("() => streams.length > 0")
            page.add_init_script(KEEP_STREAMS)
            page.goto(f"/play/{waiting[-1].key}")
            page.wait_for_function(IS_OPEN)
            until(lambda: sum(tab.evaluate(IS_OPEN) for tab in tabs) == 1)
            for tab, game, seat in zip(tabs, games, waiting, strict=False):
                while session.get_one(CasualGame, game.id, populate_existing=True).deciding != (
                    seat.seat
                ):
                    to_choose(session, game)
                expect(tab).to_have_title("Your turn · Your game · Santiago Arena")
            tabs[-1].evaluate(SHOW)
            tabs[-1].wait_for_function(IS_OPEN)
            expect(tabs[-1].locator("[data-decision]")).to_be_visible()
            for tab in tabs:
                tab.close()


def test_a_phone_leads_from_the_board_to_the_choices(
    place: Parts, browser: Browser, alone: str
) -> None:
    with clean_page(browser, place.address, width=PHONE) as phone:
        phone.set_viewport_size({"width": PHONE, "height": 640})
        phone.goto(alone)
        expect(phone.locator("[data-decision]")).not_to_be_in_viewport()
        sign = phone.get_by_role("link", name="Your turn")
        expect(sign).to_be_in_viewport(ratio=1)
        assert small_targets(phone) == []
        phone.evaluate(IN_ONE_PLACE)
        phone.locator(".board .lit").first.click()
        expect(phone.locator(".choices-now button").last).to_be_in_viewport(ratio=1)
        phone.get_by_role("button", name="Take back").click()
        expect(phone.locator("[data-decision]")).not_to_be_in_viewport()
        sign.click()
        expect(phone.locator("[data-decision] h2")).to_be_in_viewport(ratio=1)
        phone.get_by_text("Meanwhile (").click()
        told = phone.locator(".meanwhile li").first
        expect(told).to_be_visible()
        phone.route(f"**{alone}/turn", as_news, times=1)
        phone.route(f"**{alone}/turn", lambda route: route.abort(), times=1)  # it looks again
        phone.locator("[data-replay]").dispatch_event("news")
        expect(phone.get_by_text("A friend has moved")).to_be_visible()
        expect(told).to_be_visible()
        phone.locator(".choices-now button").first.click()
        last = phone.get_by_role("link", name="Italiano")
        last.focus()
        assert last.evaluate(IS_UNCOVERED)
        phone.get_by_role("button", name="Take back").click()
        choose(phone)


def test_a_phone_on_its_side_confirms_what_was_chosen_on_the_board(
    lender: Lender, alone: str
) -> None:
    with lender.page() as page:
        page.goto(alone)
        lit = page.locator(".board .lit:visible")
        expect(lit).not_to_have_count(0)
        page.evaluate(IN_ONE_PLACE)
        for width, height in (568, 320), (740, 360), (844, 390), (1024, 768):
            page.set_viewport_size({"width": width, "height": height})
            turn, board = (page.locator(part).bounding_box() for part in (".turn", ".board"))
            assert turn
            assert board
            beside = turn["x"] >= board["x"] + board["width"]
            assert beside == (height in (360, 390)), "where the window has room for both"
            lit.first.click()
            first = page.locator(".choices-now button").first
            expect(first).to_be_in_viewport(ratio=1)
            first.click()
            expect(page.get_by_role("button", name="Confirm")).to_be_in_viewport(ratio=1)
            assert overhang(page) == 0
            assert height > 480 or not page.locator(".board").evaluate(COVERED_BY_CONTROLS)
            page.get_by_role("button", name="Take back").click()


@pytest.mark.parametrize("code", ["en", "fr"])
def test_text_of_twice_the_size_fits(place: Parts, browser: Browser, alone: str, code: str) -> None:
    with clean_page(browser, place.address, width=PHONE) as phone:
        phone.goto(f"/{code}{alone}")
        expect(phone.locator("[data-loading]")).to_have_count(0)
        first, *others = phone.locator(".place-in-game > :visible").evaluate_all(MIDDLES)
        assert others
        assert max(abs(one - first) for one in others) < 2, "one row at the normal size"
        sizes = {"fontSizes": {"standard": 32}}
        phone.context.new_cdp_session(phone).send("Page.setFontSizes", sizes)
        phone.reload()
        expect(phone.locator("[data-loading]")).to_have_count(0)
        assert overhang(phone) == 0


def test_whoever_has_to_drive_has_the_turn(place: Parts, lender: Lender) -> None:
    with place.ladder() as session:
        game = friends(session)
        driver = to_other_drive(session, game)
        own = f"/play/{game.table[driver].key}"
    with lender.page() as page:
        page.goto(own)
        expect(page.locator("[data-loading]")).to_have_count(0)
        for marked in (".player.active h2", ".strip .active .who"):
            expect(page.locator(marked)).to_have_text(["You"])
        page.keyboard.press("ArrowLeft")  # a step back, where the other one moves, or dice fall
        expect(page.locator(".player.active h2", has_text="You")).to_have_count(0)
        page.locator(".choices-now button").first.focus()
        with place.ladder() as session:  # in another tab
            game = session.get_one(CasualGame, game.id)
            while game.deciding == driver:
                to_choose(session, game)
        expect(page.locator("[data-part=turn]")).to_be_focused()


@pytest.fixture
def alone(place: Parts) -> str:
    """The seat of somebody who plays against a bot."""
    with place.ladder() as session:
        bot = house_bot(session, "alone", f"unix:{place.data.parent}/bot")
        game = opening.open_game(session, Wish((bot,), CasualPace.RELAXED))
        session.commit()
        return f"/play/{game.table[0].key}"


def test_no_news_takes_nothing_back(place: Parts, lender: Lender, alone: str) -> None:
    with lender.page() as page:
        page.goto(alone)
        expect(page.locator("[data-decision]")).to_be_visible()
        page.route(f"**{alone}/live?*", lambda _: None)  # the page hears no news but ours
        page.reload()
        page.locator(".choices-now button").first.click()
        for _ in range(2):
            with page.expect_response(f"**{alone}/turn"):
                page.locator("[data-replay]").dispatch_event("news")
        expect(page.locator(".choices-now [aria-pressed=true]")).to_have_count(1)
        page.get_by_role("button", name="Take back").click()
        expect(page.locator(".choices-now [aria-pressed=true]")).to_have_count(0)
        first = page.locator(".choices-now button").first
        box = first.bounding_box()
        assert box is not None
        page.evaluate(UNDER_THE_POINTER)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        page.mouse.dblclick(box["x"] + 5, box["y"] + 5)
        expect(first).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(first).to_have_attribute("aria-pressed", "false")
        assert "POST" not in sent
        page.get_by_text("Give up…").click()
        page.route(f"**{alone}/turn", as_news)
        page.locator("[data-replay]").dispatch_event("news")
        expect(page.get_by_text("A friend has moved")).to_be_visible()
        expect(page.get_by_role("button", name="Give up")).to_be_visible()
        lit = page.locator(".board .lit")
        all_places = lit.count()
        page.evaluate(SET_APART)
        for places in (all_places, 1):  # opened, then closed
            page.locator(".far summary").click()
            expect(lit).to_have_count(places)


def test_a_click_before_the_script_is_there_sends_nothing(
    place: Parts, browser: Browser, alone: str
) -> None:
    """Without the script, which may be lost or blocked, choices are sent once some time is over."""
    with clean_page(browser, place.address) as page:
        page.goto(alone)
        decision = page.locator("[data-decision]").get_attribute("data-decision")
        page.route("**/play/turn.*.js", lambda route: route.abort())
        animations = page.context.new_cdp_session(page)
        animations.send("Animation.enable")
        animations.send("Animation.setPlaybackRate", {"playbackRate": 0})
        page.reload()
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        first = page.locator(".choices-now button").first
        first.click(force=True)
        animations.send("Animation.setPlaybackRate", {"playbackRate": 100})
        page.unroute_all()  # the next page needs the script if the bot has not answered yet
        first.click()
        expect(page.locator("[data-decision]")).not_to_have_attribute(
            "data-decision", decision or ""
        )
        assert sent.count("POST") == 1


def test_a_choice_leads_back_to_the_newest_moment(lender: Lender, alone: str) -> None:
    with lender.page() as page:
        page.goto(alone)
        expect(page.locator("[data-decision]")).to_be_visible()
        page.goto(f"{alone}?at=0")
        live = page.locator("[data-part=follow]")
        expect(live).to_have_text("Jump to now")
        choose(page)
        expect(live).to_have_text("Live")
        page.wait_for_url(f"**{alone}")


def as_news(route: Route) -> None:
    """The part of the page with something new in it."""
    answer = route.fetch()
    route.fulfill(response=answer, body=f"<p>A friend has moved</p>{answer.text()}")


def test_a_choice_without_connection_is_sent_again(lender: Lender, alone: str) -> None:
    held: list[Route] = []

    def hold_one(route: Route) -> None:
        """The first choice gets no answer. To take the route away would send it on after all."""
        if held:
            route.continue_()
        else:
            held.append(route)

    with lender.page() as page:
        page.goto(alone)
        decision = page.locator("[data-decision]")
        number = decision.get_attribute("data-decision")
        page.route(f"**{alone}/move", lambda route: route.abort(), times=1)
        page.locator(".choices-now button").first.click()
        confirms = page.get_by_role("button", name="Confirm")
        confirms.click()
        told = page.get_by_role("alert")
        expect(told).to_have_text("No connection. Please try again in a moment.")
        expect(confirms).to_be_focused()
        page.evaluate(HOLD_PATIENCE)
        page.route(f"**{alone}/move", hold_one)
        with page.expect_request(f"**{alone}/move"):
            confirms.click()
        expect(confirms).to_be_disabled()
        page.evaluate("giveUp()")
        expect(told).to_have_text("No connection. Please try again in a moment.")
        expect(confirms).to_be_focused()
        clock = page.locator("[data-left]")
        expect(clock).to_have_text(re.compile("^[3-5]:"))
        page.evaluate("const { now } = Date; Date.now = () => now() + 200_000")  # it slept
        expect(clock).to_have_text(re.compile("^[01]:"))
        confirms.click()
        expect(page.locator(f"[data-decision='{number}']")).to_have_count(0)


def test_a_key_that_is_held_down_confirms_nothing(lender: Lender, alone: str) -> None:
    with lender.page() as page:
        page.goto(alone)
        expect(page.locator("[data-loading]")).to_have_count(0)
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method))
        confirms = page.get_by_role("button", name="Confirm")
        for key, at in (("Enter", ".choices-now button"), ("Space", ".board .lit")):
            page.locator(at).first.focus()
            for _ in range(3):
                page.keyboard.down(key)
            page.keyboard.up(key)
            expect(confirms).to_be_focused()
            page.keyboard.press("Escape")
        assert "POST" not in sent


def test_a_page_whose_look_is_not_answered_looks_no_second_time(
    place: Parts, browser: Browser, alone: str
) -> None:
    with clean_page(browser, place.address) as page:
        page.goto(alone)
        expect(page.locator("[data-decision]")).to_be_visible()
        page.route(f"**{alone}/live?*", lambda _: None)  # the page hears no news
        looks: list[str] = []
        page.route(f"**{alone}/turn", lambda route: looks.append(route.request.url))
        page.clock.install()
        page.reload()
        page.clock.run_for(1_000)
        with page.expect_request(f"**{alone}/turn"):
            page.evaluate("const { now } = Date; Date.now = () => now() + 400_000")  # time is over
            page.clock.run_for(2_000)
        page.clock.run_for(10_000)
        assert len(looks) == 1
        choose(page)


def test_a_stream_that_is_dead_without_an_error_is_asked_for_again(
    place: Parts, browser: Browser, alone: str
) -> None:
    with clean_page(browser, place.address) as page:
        page.goto(alone)
        expect(page.locator("[data-decision]")).to_be_visible()
        page.clock.install()
        page.clock.pause_at(datetime.now(UTC) + timedelta(days=1))
        page.add_init_script(KEEP_STREAMS)
        page.route(f"**{alone}/live?*", lambda _: None)  # the page hears no beat but ours
        page.reload()
        page.wait_for_function("() => streams.length")  # the site forbids to look by `eval`
        page.clock.fast_forward(20_000)
        page.evaluate("streams[0].dispatchEvent(new Event('beat'))")
        page.clock.fast_forward(20_000)
        assert page.evaluate(STREAMS) == [True]
        page.clock.fast_forward(20_000)
        assert page.evaluate(STREAMS) == [False, True]
        choose(page)


def test_a_hint_is_lit_on_the_board(lender: Lender, alone: str) -> None:
    with lender.page() as page:
        page.goto(alone)  # it starts at once, since nobody else has to
        lit = page.locator(".wide .citizen.lit").first
        expect(lit).to_have_accessible_name(re.compile("^drive [1-4] stop"))
        expect(lit).to_have_accessible_description(re.compile(": the .+: "))
        page.get_by_role("button", name="Hint", exact=True).click()
        expect(page.get_by_text("greedy would choose:")).to_be_visible()
        expect(page.locator(".choices-now .hinted")).to_be_focused()
        expect(page.locator(".board .lit.hinted")).to_have_count(1)
        unlit = page.locator(".wide :is(.citizen, .building):not(.lit)").first
        unlit.evaluate("tile => tile.focus({ focusVisible: true })")
        expect(page.locator(".legend")).to_have_text(unlit.get_attribute("aria-label") or "?")
        expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)
        choose(page)


def test_a_thumb_and_a_keyboard_learn_the_game(place: Parts, browser: Browser) -> None:
    with place.ladder() as session:
        house_bot(session, "easy", f"unix:{place.data.parent}/bot")
        session.commit()
    with clean_page(browser, place.address, width=PHONE, dark=True) as phone:
        phone.set_viewport_size({"width": PHONE, "height": 640})
        phone.goto("/play")
        phone.get_by_role("link", name="Learn it at the board").click()
        phone.get_by_role("link", name="Begin").click()
        expect(phone.locator(".board .lit")).to_have_count(4)
        phone.get_by_role("link", name="Rules of the game").focus()
        phone.keyboard.press("Shift+Tab")
        assert phone.locator(":focus").evaluate(IS_UNCOVERED)
        phone.locator(".choices-now button").first.click()
        phone.get_by_role("link", name="Italiano").focus()
        assert phone.locator(":focus").evaluate(IS_UNCOVERED)
        phone.get_by_role("button", name="Take back").click()
        for wrong in ("pedro", "conchita"):  # the second answer is the same as the first
            phone.locator(f".board .lit[data-citizen={wrong}]").click()
            phone.get_by_role("button", name="Confirm").click()
            expect(phone.get_by_role("alert")).to_contain_text("Drive just 1 stop")
            expect(phone.locator(".board .lit")).to_have_count(4)
        assert findings(phone) == small_targets(phone) == []
        for number in range(2, len(STEPS)):
            expect(phone.get_by_text(f"Step {number} of {len(STEPS)}")).to_be_in_viewport(ratio=1)
            lit = phone.locator(".board .lit.hinted")
            if lit.count():
                lit.click()
            confirms = phone.get_by_role("button", name="Confirm")
            if not confirms.is_visible():  # there is more than one choice at this place, or none
                phone.locator(".choices-now .hinted").click()
            expect(confirms).to_be_in_viewport(ratio=1)
            confirms.click()
            expect(phone).to_have_url(f"{place.address}/learn/{number + 1}")
        assert overhang(phone) == 0
        frames = f"**/learn/{len(STEPS) - 1}/frames"
        phone.route(frames, lambda route: route.abort(), times=1)
        with phone.expect_event("load"):  # the board can't follow, so the page comes as a whole
            phone.go_back()
        expect(phone.get_by_text(f"Step {len(STEPS) - 1} of")).to_be_visible()
        phone.go_forward()
        phone.get_by_role("button", name="Play against").click()
        expect(phone.get_by_text("Give up…")).to_be_visible()
    with clean_page(browser, place.address, calm=True) as desk:
        desk.goto(f"/learn/{len(STEPS) - 2}")
        desk.locator(".choices-now .hinted").focus()
        for _ in range(2):
            expect(desk.locator(".choices-now .hinted")).to_be_focused()
            desk.keyboard.press("Enter")
            expect(desk.get_by_role("button", name="Confirm")).to_be_focused()
            desk.keyboard.press("Enter")
        expect(desk.get_by_role("button", name="Play against")).to_be_focused()
        expect(desk.locator("[data-part=said]")).to_contain_text("the game is over")
        expect(desk.locator("[data-part=sentence]")).to_contain_text("You win with")
        assert findings(desk) == []


def test_a_large_phone_on_its_side_shows_the_words_of_the_lesson_beside_the_board(
    lender: Lender,
) -> None:
    with lender.page() as page:
        page.set_viewport_size({"width": 844, "height": 390})
        page.goto("/learn/3")
        page.locator(".board .lit:visible").last.click()
        told = page.locator("[data-part=sentence]").inner_text()
        page.evaluate(SWIPE, [100, 300])  # no button would lead back to what is asked
        expect(page.locator("[data-part=sentence]")).to_have_text(told)
        for part in (page.get_by_role("button", name="Confirm"), page.get_by_text("Step 3 of")):
            expect(part).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="Take back").click()
        page.evaluate("scrollTo(0, 0)")
        page.locator(".board .lit:visible").first.dispatch_event("click")
        expect(page.get_by_role("button", name="Confirm")).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 568, "height": 320})
        page.goto("/fr/learn/3")
        page.locator(".board .lit:visible").last.click()
        expect(page.get_by_role("button", name="Confirmer")).to_have_css("height", "44px")
        assert overhang(page) == 0
        page.set_viewport_size({"width": 820, "height": 1180})  # one row, too
        expect(page.locator(".confirming")).to_have_css("height", "61px")


def test_the_lesson_waits_for_a_connection_that_is_lost(place: Parts, browser: Browser) -> None:
    with clean_page(browser, place.address, refused=True) as page:
        page.goto("/learn")
        begin = page.get_by_role("link", name="Begin")
        expect(page.locator("[data-replay]")).not_to_have_attribute("data-loading", "")
        page.context.set_offline(True)
        begin.click()
        expect(page.get_by_role("alert")).to_have_text(
            "No connection. Please try again in a moment."
        )
        page.context.set_offline(False)
        begin.click()
        expect(page.get_by_text("Step 2 of")).to_be_visible()
        page.route("**/learn/3?*", lambda route: route.fulfill(status=502), times=1)
        skip = page.get_by_role("link", name="Skip this step")
        skip.click()  # while the site restarts behind a proxy
        expect(page.get_by_role("alert")).to_have_text(
            "No connection. Please try again in a moment."
        )
        skip.click()
        expect(page.get_by_text("Step 3 of")).to_be_visible()
