"""The replay viewer in a real browser: moving in it, charts, choices, motion, small windows."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.e2e.browser import clean_page, keep_picture
from tests.e2e.replay.viewing import (
    REPLAY,
    SAID,
    SWIPE,
    first,
    frames,
    moment,
    open_replay,
    seen_at_each,
    sentence,
    stands_at,
)

THUMB = """(chart, [x, down]) => {
  const { left, top } = chart.getBoundingClientRect();
  const touch = (name, y) => chart.dispatchEvent(new PointerEvent(name, {
    pointerType: "touch", buttons: 1, clientX: left + x, clientY: top + y,
  }));
  touch("pointerdown", 20);
  touch("pointermove", 20 + down);
  touch("pointerup", 20 + down);
}"""
"""Puts a thumb on a chart at `x` and takes it away further down."""
BELOW_ITS_HEADING = """() => {
  const line = document.querySelector(".log a[aria-current]");
  let heading = line.parentElement;
  while (!heading.matches(".log-turn")) heading = heading.previousElementSibling;
  return line.getBoundingClientRect().top - heading.getBoundingClientRect().bottom;
}"""
"""By how many pixels the line of the log that is shown begins below the heading of its turn."""
CUT = """() => {
  const log = document.querySelector(".log");
  const { top } = log.getBoundingClientRect();
  const from = top + log.querySelector(".log-turn").offsetHeight;
  const cut = [...log.querySelectorAll(".log-line")].filter((line) => {
    const box = line.getBoundingClientRect();
    return box.top < from - 4 && box.bottom > from + 4; // what it has above and below its letters
  });
  return log.scrollTop ? cut.map((line) => line.textContent) : [];
}"""
"""The line of the log, if it has scrolled, that is cut by the heading above it, or none."""
HEAR = """() => {
  window.heard = [];
  const sentence = document.querySelector(".sentence");
  new MutationObserver(() => {
    if (sentence.getAttribute("aria-live") === "polite") heard.push(sentence.textContent);
  }).observe(sentence, { childList: true });
}"""
"""Notes the sentences that readers of screens read aloud."""
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))"
PLACE_OF_BOARD = """() => {
  const board = document.querySelector("[data-part=board]");
  return board.getBoundingClientRect().toJSON();
}"""

# Loading and stepping.


def test_the_game_comes_in_one_request_and_steps_need_none(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.resource_type} {request.url}"))
    open_replay(page)
    page.wait_for_load_state("networkidle")
    assert len([line for line in asked if line.endswith("/frames")]) == 1
    asked.clear()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "PageDown", "End", "Home"):
        page.keyboard.press(key)
    page.locator(".log a").nth(5).click()
    page.wait_for_url("**/matches/1?at=*")
    alone = [line for line in asked if "analysis" not in line]  # which comes at the end of a game
    assert alone == []


def test_each_step_is_told_to_who_does_not_see_it(page: Page) -> None:
    open_replay(page)
    told = page.locator("[data-part=sentence]")
    expect(told).to_have_attribute("aria-live", "polite")
    seen = set()
    for frame in frames(page)[1:12]:
        page.keyboard.press("ArrowRight")
        expect(told).to_have_text(frame["text"])
        seen.add(page.locator(".board").get_attribute("aria-label") or "")
    assert len(seen) > 3
    assert all(re.search(r"Ship \d.*Car: ", label) for label in seen)


def test_the_end_tells_what_the_match_changed_of_the_ratings(page: Page) -> None:
    open_replay(page, at=5)
    changes = page.locator(".player .rating")
    expect(changes).to_have_count(3)
    expect(changes.first).to_be_hidden()
    page.keyboard.press("End")
    expect(changes.first).to_be_visible()
    expect(changes.first).to_have_text(re.compile(r"Elo \d+ ± \d+ \([+−]\d+\)"))
    page.keyboard.press("ArrowLeft")
    expect(changes.first).to_be_hidden()


def test_the_sources_of_points_add_up_to_what_each_player_has(page: Page) -> None:
    open_replay(page)
    for at in (0, 60, len(frames(page)) - 1):
        page.get_by_role("slider", name="Moment of the game").fill(str(at))
        stands_at(page, at)
        points = page.locator(".player .points b").all_inner_texts()
        found = page.locator(".sources tbody tr").evaluate_all(
            "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent))"
        )
        sums = [
            sum(int(text.replace("−", "-")) for text in seat) for seat in zip(*found, strict=True)
        ]
        assert [2 + gained for gained in sums] == [int(text) for text in points]
        marked = page.locator(".player.leads .points b").all_inner_texts()
        assert set(marked) == ({max(points, key=int)} if at == 60 else set())


def test_back_and_forward_lead_to_where_one_was(page: Page) -> None:
    open_replay(page, at=5)
    before = sentence(page)
    page.locator(".log a[data-at='40']").click()
    page.wait_for_url("**/matches/1?at=40")
    there = sentence(page)
    page.go_back()
    expect(page.locator("[data-place]")).to_contain_text("5 /")
    assert sentence(page) == before
    page.go_forward()
    expect(page.locator("[data-place]")).to_contain_text("40 /")
    assert sentence(page) == there


def test_keys_are_explained_and_do_nothing_meanwhile(page: Page) -> None:
    open_replay(page)
    page.keyboard.press("?")
    help_on_keys = page.get_by_role("dialog", name="Keys")
    expect(help_on_keys).to_be_visible()
    page.keyboard.press("ArrowRight")
    stands_at(page, 0)
    page.keyboard.press("Escape")
    expect(help_on_keys).to_be_hidden()
    page.keyboard.press("ArrowRight")
    stands_at(page, 1)
    log = page.locator(".log")
    log.press("PageDown")
    expect(log).not_to_have_js_property("scrollTop", 0)
    log.press("ArrowRight")
    stands_at(page, 2)


def test_keys_change_the_speed(page: Page) -> None:
    open_replay(page)
    speed = page.get_by_label("Speed")
    expect(speed).to_have_value("1")
    page.keyboard.press("+")
    expect(speed).to_have_value("2")
    page.keyboard.press("-")
    page.keyboard.press("-")
    expect(speed).to_have_value("0.5")


# Charts.


@pytest.mark.parametrize("name", ["race", "thinking"])
def test_a_chart_is_a_time_line(page: Page, name: str) -> None:
    open_replay(page)
    chart = page.locator(f"[data-part={name}]")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("[data-place]")).not_to_have_text(re.compile("^[0-9] /"))
    middle = moment(page)
    assert middle > 10
    expect(chart).to_have_attribute("aria-valuenow", str(middle))
    expect(chart).to_have_attribute("aria-valuetext", sentence(page))
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] / 2})
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 20)
    page.mouse.up()
    expect(page.locator("[data-place]")).not_to_have_text(re.compile(f"^{middle} /"))
    assert moment(page) > middle
    dragged = moment(page)
    chart.evaluate(THUMB, [40, 40])  # it scrolls the page
    stands_at(page, dragged)
    chart.evaluate(THUMB, [40, 0])
    expect(page.locator("[data-place]")).not_to_have_text(re.compile(f"^{dragged} /"))
    dragged = moment(page)
    chart.focus()
    page.keyboard.press("ArrowRight")
    stands_at(page, dragged + 1)


def test_departures_and_faults_are_marked(page: Page) -> None:
    open_replay(page)
    left = {frame["state"]["ship"] for frame in frames(page)} - {1}
    for name in ("race", "thinking", "milestones"):
        chart = page.locator(f"[data-part={name}]")
        assert chart.locator(".fault").count() == 1, name
        assert chart.locator(".departure").count() == len(left), name


def hosted(route: Route) -> None:
    """The same game, with the CPU time measured of the first seat's bot."""
    answer = route.fetch()
    game = answer.json()
    for frame in game["frames"]:
        if frame.get("by") == "bot" and frame["seat"] == 0:
            frame["cpu_ms"] = 0.5
    route.fulfill(response=answer, json=game)


def test_cpu_time_stands_within_the_bars_of_who_was_measured(page: Page) -> None:
    page.route("**/frames*", hosted)
    open_replay(page)
    chart = page.locator("[data-part=thinking]")
    decisions = sum(frame.get("by") == "bot" and frame["seat"] == 0 for frame in frames(page))
    lanes = [lane.get_attribute("d") or "" for lane in chart.locator(".bars.cpu").all()]
    assert [lane.count("M") for lane in lanes] == [decisions, 0, 0]
    expect(chart).to_contain_text("narrow bars: CPU time")
    chosen = first(page, lambda frame: frame.get("by") == "bot" and frame["seat"] == 0)
    page.goto(f"/matches/1?at={chosen}")
    expect(page.locator("[data-part=where]")).to_contain_text("CPU time 0.5 ms")
    keep_picture(page, "replay-cpu-time")


def test_a_chart_tells_what_is_under_the_pointer(page: Page) -> None:
    open_replay(page)
    hint = page.locator("[data-part=hint]")
    expect(hint).to_contain_text("Choose a point of a chart")
    page.locator("[data-part=race]").hover()
    expect(hint).to_have_text(re.compile(r"\.$"))
    assert hint.inner_text() in [frame["text"] for frame in frames(page)]
    stands_at(page, 0)
    page.mouse.move(1, 1)
    expect(hint).to_contain_text("Choose a point of a chart")


# Possible choices.


def test_all_choices_are_shown_in_words(page: Page) -> None:
    at = first(page, lambda frame: frame.get("kind") == "drive" and len(frame["legal"]) > 2)
    open_replay(page, at)
    frame = frames(page)[at]
    panel = page.locator(".legal-panel")
    expect(panel).to_contain_text(f"How far to drive: {len(frame['legal'])} choices")
    assert panel.locator("li").all_inner_texts() == frame["choices"]
    chosen = frame["choices"][frame["legal"].index(frame["move"])]
    expect(panel.locator("[aria-current]")).to_have_text(chosen)


# Motion, and windows large and small.


def test_the_stage_on_the_whole_screen(page: Page) -> None:
    open_replay(page)
    page.keyboard.press("f")
    expect(page.locator(".stage:fullscreen")).to_be_visible()
    expect(page.locator("[data-part=strip]")).to_be_visible()
    page.get_by_role("button", name="Full screen").click()
    expect(page.locator(".stage:fullscreen")).to_have_count(0)


def test_a_phone_on_its_side_shows_all_of_the_board_on_the_whole_screen(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    open_replay(page, at=40)
    expect(page.locator(".drawing.tall")).to_be_visible()
    expect(page.locator("[data-part=race]")).to_have_attribute("viewBox", re.compile("^0 0 800 "))
    page.keyboard.press("f")
    board = page.locator(".drawing.wide")
    expect(board).to_be_in_viewport(ratio=1)
    sentence_box, board_box = page.locator(".sentence").bounding_box(), board.bounding_box()
    assert sentence_box is not None
    assert board_box is not None
    assert sentence_box["y"] + sentence_box["height"] <= board_box["y"]
    assert board_box["width"] > 844 / 3
    page.keyboard.press("f")
    expect(page.locator(".drawing.tall")).to_be_visible()
    page.evaluate("document.documentElement.requestFullscreen()")  # as by F11
    page.wait_for_function("() => matchMedia('(display-mode: fullscreen)').matches")
    expect(page.locator(".drawing.tall")).to_be_visible()
    page.evaluate("document.exitFullscreen()")


def gaining_drive(frame: dict[str, Any]) -> bool:
    gains = [change for change in frame["changes"] if change.get("by", 0) > 0]
    return frame.get("kind") == "drive" and bool(gains)


@pytest.mark.parametrize("page", [{}, {"calm": True}], indirect=True)
def test_goods_travel_unless_motion_is_unwelcome(page: Page) -> None:
    calm = page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    open_replay(page, first(page, gaining_drive) - 1)
    page.evaluate(
        """() => {
          window.flown = 0;
          new MutationObserver((changes) => {
            for (const { addedNodes } of changes) window.flown += addedNodes.length;
          }).observe(document.querySelector(".flights"), { childList: true });
        }"""
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator(".player .count.gain .delta").first).to_contain_text("+")
    assert (page.evaluate("window.flown") == 0) == calm


@pytest.mark.parametrize("page", [{"width": 360, "calm": True}], indirect=True)
def test_on_a_phone_the_harbour_is_wide_and_the_controls_stay(page: Page) -> None:
    """The board scrolls, so that its text can be read; the end of it is not under the controls."""
    page.set_viewport_size({"width": 360, "height": 640})
    open_replay(page)
    caption, board, controls = (
        page.locator(part).bounding_box() for part in (".caption", ".board", ".controls")
    )
    assert caption is not None
    assert board is not None
    assert controls is not None
    assert 0 <= caption["y"] < board["y"]
    assert board["width"] >= 340
    assert controls["y"] + controls["height"] <= 640
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    end, controls = page.locator(".board").bounding_box(), page.locator(".controls").bounding_box()
    assert end is not None
    assert controls is not None
    assert end["y"] + end["height"] <= controls["y"]
    score = page.locator("[data-part=strip] li")
    assert [text.split()[-1] for text in score.all_inner_texts()] == ["2", "2", "2"]


def test_of_moments_in_haste_the_first_and_the_last_are_read_aloud(
    browser: Browser, site: str
) -> None:
    with clean_page(browser, site) as page:
        page.clock.install()
        open_replay(page, at=10)
        page.evaluate(HEAR)
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        stands_at(page, 14)
        last = sentence(page)
        first_heard = page.evaluate("heard")
        assert len(first_heard) == 1
        page.clock.run_for(60_000)
        assert page.evaluate("heard") == [*first_heard, last]
        page.keyboard.press("ArrowLeft")
        stands_at(page, 13)
        assert page.evaluate("heard") == [*first_heard, last, sentence(page)]


def test_a_swipe_over_the_board_steps(page: Page) -> None:
    open_replay(page, at=10)
    expect(page.locator("[data-step=forward]")).to_have_css("touch-action", "manipulation")
    for start, end, expected in [(300, 100, 11), (100, 300, 10), (100, 110, 10)]:
        page.evaluate(SWIPE, [start, end])
        stands_at(page, expected)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 2})  # two fingers
    page.evaluate(SWIPE, [300, 100])
    stands_at(page, 10)
    devtools.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 1})
    devtools.detach()


@pytest.mark.parametrize(
    "page", [{"locale": "it-IT"}, {"locale": "it-IT", "width": 360}], indirect=True
)
def test_long_names_stay_on_their_tiles(page: Page) -> None:
    open_replay(page)
    names = page.locator(".building .name")
    expect(names).to_have_count(12)
    for index in range(12):
        name = names.nth(index).bounding_box()
        card = page.locator(".building .card").nth(index).bounding_box()
        assert name is not None
        assert card is not None
        assert card["x"] <= name["x"]
        assert name["x"] + name["width"] <= card["x"] + card["width"]


def longer_and_longer(route: Route) -> None:
    game = route.fetch().json()
    for at, frame in enumerate(game["frames"]):
        frame["text"] = ("The car goes around Santiago " * 5)[: 40 + 7 * at]
    route.fulfill(json=game)


@pytest.mark.parametrize("page", [{}, {"width": 390}, {"width": 360}], indirect=True)
def test_the_board_keeps_its_place_under_a_long_sentence(page: Page) -> None:
    page.route("**/frames*", longer_and_longer)
    open_replay(page)
    place = page.evaluate(PLACE_OF_BOARD)
    assert seen_at_each(page, "ArrowRight", 15, PLACE_OF_BOARD) == [place] * 15
    stands_at(page, 15)


def test_the_line_shown_is_never_under_the_heading_of_its_turn(page: Page) -> None:
    open_replay(page, at=60)
    below = seen_at_each(page, "ArrowLeft", 39, BELOW_ITS_HEADING)
    stands_at(page, 21)
    assert min(below) >= 0, below


def test_the_log_scrolls_to_whole_lines(page: Page) -> None:
    open_replay(page, at=60)
    for key in ("ArrowLeft", "ArrowRight", "PageDown", "End", "PageUp"):
        assert seen_at_each(page, key, 8, CUT) == [[]] * 8, key


def test_the_log_shows_whole_lines_whatever_its_height(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 760})
    open_replay(page)
    page.keyboard.press("End")
    log = page.locator(".log")
    for height in (790, 815, 845, 880, 920):
        page.set_viewport_size({"width": 1280, "height": height})
        page.evaluate(DRAWN)
        assert log.evaluate(CUT) == [], height


def test_the_log_stays_where_a_person_has_scrolled_it(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 760})
    open_replay(page, at=60)
    log = page.locator(".log")
    log.evaluate("(log) => { log.scrollTop = 100; }")
    page.evaluate(DRAWN)
    page.set_viewport_size({"width": 1280, "height": 790})
    page.evaluate(DRAWN)
    assert log.evaluate("(log) => log.scrollTop") == 100
    page.keyboard.press("ArrowRight")
    stands_at(page, 61)
    expect(log.locator("[aria-current]")).to_be_in_viewport(ratio=1)


def test_what_bots_say_is_shown_from_that_moment_on(page: Page) -> None:
    said = first(page, lambda frame: "note" in frame)
    notes = page.get_by_role("region", name="What the bots say")
    open_replay(page, at=said - 1)
    expect(notes.locator("li")).to_have_text("Nothing up to this moment")
    page.keyboard.press("ArrowRight")
    expect(notes.locator("q")).to_have_text(SAID)
    expect(notes.locator(".seen")).to_contain_text("60%")
    told = page.request.get(f"{REPLAY}/frames").json()["frames"][said]["note"]
    expect(notes.get_by_title(frames(page)[said]["move"])).to_have_text(
        f"It expects: {told['expected']}"
    )
