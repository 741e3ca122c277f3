"""The analysis in the viewer: nothing is given away, and then everything can be looked at."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import delete, update

from ladder.analyses.job import ANALYSIS
from ladder.model import Analysis, Job
from tests.e2e.browser import keep_picture
from tests.e2e.inspection import inspect
from tests.e2e.replay.viewing import (
    first,
    frames,
    moment,
    open_replay,
    played_site,
    sentence,
    stands_at,
)
from tests.ladder.databases import session_on
from tests.web.arena import analyse

Found = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the database is."""
    return tmp_path_factory.mktemp("analysis")


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """The address of a site with three matches, of which the first one is analysed."""
    with played_site(folder, looks=8) as address:
        yield address


def found(page: Page) -> Found:
    """The analysis as the viewer gets it."""
    told: Found = page.request.get("/matches/1/analysis/document").json()
    return told


def open_analysis(page: Page, at: int = 0) -> None:
    """The match at a moment, with its analysis, all of it."""
    open_replay(page, at)
    page.get_by_role("link", name="Show the analysis").click()
    page.get_by_role("button", name="Show the whole game").click()
    expect(page.get_by_role("heading", name="The players")).to_be_visible()


def test_nothing_is_given_away_before_it_is_asked_for(page: Page) -> None:
    open_replay(page, at=20)
    expect(page.get_by_role("slider", name="Chances to win")).to_have_count(0)
    expect(page.locator(".judged")).to_have_count(0)
    page.get_by_role("link", name="Show the analysis").press("Enter")
    expect(page.get_by_role("slider", name="Chances to win")).to_be_visible()
    expect(page.locator(".veil")).to_be_visible()
    expect(page.get_by_role("region", name="Why it was won")).to_be_focused()
    expect(page.get_by_role("heading", name="The players")).to_be_hidden()
    marked = [int(at) for at, one in found(page)["decisions"].items() if one["mark"]]
    expect(page.locator(".log .judged")).to_have_count(sum(at <= 20 for at in marked))
    expect(page.locator(".log a[data-at='20']")).to_be_visible()
    expect(page.locator(".log a[data-at='21']")).to_be_hidden()
    page.get_by_role("slider", name="Moment of the game").fill("40")
    expect(page.locator(".log .judged")).to_have_count(sum(at <= 40 for at in marked))
    page.get_by_role("button", name="Show the whole game").click()
    expect(page.locator(".log .judged")).to_have_count(len(marked))
    expect(page.locator(".milestones .decision")).to_have_count(len(marked))
    expect(page.get_by_role("heading", name="The players")).to_be_visible()
    expect(page.locator(".veil")).to_have_count(0)
    expect(page.locator(".log a[data-at]").last).to_be_visible()


def events(page: Page, reached: int) -> dict[str, int]:
    """How many ships have left by this moment, and how many bots have faulted."""
    told = frames(page)[: reached + 1]
    ships = [frame["state"]["ship"] for frame in told]
    return {
        "departure": sum(before != after for before, after in pairwise(ships)),
        "fault": sum(frame["type"] == "fault" for frame in told),
    }


def test_charts_and_slider_do_not_tell_how_the_game_goes_on(page: Page) -> None:
    told = frames(page)
    at = first(page, lambda frame: frame["type"] == "fault")
    most = max(player["vp"] for frame in told[: at + 1] for player in frame["state"]["players"])
    scale = page.locator(".race-chart .axis[text-anchor=end]").last
    bars = page.locator(".thinking-chart .bars").first
    open_replay(page, at=1)
    page.get_by_role("link", name="Show the analysis").click()
    expect(page.locator(".thinking")).to_be_visible()
    for reached in (at - 1, at, len(told) - 1):
        page.get_by_role("slider", name="Moment of the game").fill(str(reached))
        for name, count in events(page, reached).items():
            for place in (".milestones", ".race-chart", ".thinking-chart"):
                expect(page.locator(f"{place} .{name}")).to_have_count(count)
        if reached == at:
            assert int(scale.text_content() or "") <= max(5, most)
            few = (bars.get_attribute("d") or "").count("M")
            page.locator(".race-chart").hover()
            expect(page.locator("[data-part=hint]")).to_contain_text("Choose a point of a chart")
    assert int(scale.text_content() or "") > max(5, most)
    assert (bars.get_attribute("d") or "").count("M") > few
    page.locator(".race-chart").hover()
    expect(page.locator("[data-part=hint]")).not_to_contain_text("Choose a point of a chart")


def test_who_has_seen_the_end_sees_all_of_it_now_and_later(page: Page) -> None:
    open_replay(page)
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="The players")).to_be_visible()
    expect(page.locator(".chance")).to_have_count(3)
    page.goto("/matches/1?at=3")
    expect(page.get_by_role("heading", name="The players")).to_be_visible()
    stands_at(page, 3)


def test_keys_and_buttons_lead_from_one_turning_point_to_the_next(page: Page) -> None:
    open_analysis(page)
    told = {one["at"]: one["text"] for one in found(page)["turning"]}
    assert told
    for at, text in told.items():
        page.keyboard.press("t")
        stands_at(page, at)
        expect(page.locator(".turning-told")).to_have_text(text)
    expect(page.get_by_role("button", name="Next turning point")).to_have_attribute(
        "aria-disabled", "true"
    )
    page.keyboard.press("End")
    for at in reversed(told):
        page.get_by_role("button", name="Previous turning point").click()
        stands_at(page, at)
    page.locator(".turning-list a").last.click()
    stands_at(page, max(told))


def test_the_chances_are_a_time_line(page: Page) -> None:
    open_analysis(page)
    chart = page.get_by_role("slider", name="Chances to win")
    box = chart.bounding_box()
    assert box is not None
    chart.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    expect(page.locator("[data-place]")).not_to_have_text(re.compile("^0 /"))
    now = found(page)["chances"][moment(page)]
    odds = page.locator(".race-panel .odds b")
    assert odds.all_inner_texts() == [f"{int(100 * chance + 0.5)}%" for chance in now]
    told = chart.get_attribute("aria-valuetext") or ""
    assert told.startswith(sentence(page))
    assert all(number in told for number in odds.all_inner_texts())
    chart.focus()
    before = moment(page)
    page.keyboard.press("ArrowLeft")
    stands_at(page, before - 1)


def test_all_that_was_possible_has_a_value(page: Page) -> None:
    made = found(page)["decisions"]
    at = first(page, lambda frame: len(frame.get("legal", [])) > 3 and frame["by"] == "bot")
    open_analysis(page, at)
    frame, shares = frames(page)[at], made[str(at)]["shares"]
    panel = page.locator(".legal-panel")
    expect(panel.get_by_role("heading")).to_have_text("What was possible")
    order = sorted(range(len(shares)), key=lambda index: -shares[index])
    texts = panel.locator(".what").evaluate_all("all => all.map(one => one.firstChild.data)")
    assert texts == [frame["choices"][index] for index in order]
    played = frame["choices"][frame["legal"].index(frame["move"])]
    expect(panel.locator("[aria-current] .what")).to_contain_text(f"{played} played")
    page.keyboard.press("Home")
    expect(panel.get_by_role("heading")).to_have_text("Possible choices")
    expect(panel.locator("[data-part=legal]")).to_have_text(
        "There is nothing to decide at this moment."
    )


def test_a_mark_stands_in_sign_and_word_beside_the_moment(page: Page) -> None:
    analysis = found(page)
    at, made = next((int(at), one) for at, one in analysis["decisions"].items() if one["mark"])
    open_analysis(page, at)
    mark = analysis["marks"][made["mark"]]
    for place in ("[data-part=where] .judged", f".log a[data-at='{at}'] .judged"):
        expect(page.locator(place)).to_contain_text(f"{mark['glyph']} {mark['name']}")


def measured(route: Route) -> None:
    """The same game, with the thinking time and the CPU time of bots on a host."""
    answer = route.fetch()
    game = answer.json()
    for frame in game["frames"]:
        if frame.get("by") == "bot":
            frame.update(think_ms=152, cpu_ms=152)
    route.fulfill(response=answer, json=game)


@pytest.mark.parametrize("page", [{"width": 360}], indirect=True)
@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_a_mark_beside_the_moment_is_seen_on_a_phone(page: Page, language: str) -> None:
    page.request.get(f"/language/{language}?next=/rules")
    at = next(int(at) for at, one in found(page)["decisions"].items() if one["mark"])
    page.route("**/frames*", measured)
    open_replay(page, at)
    page.locator("[data-open]").click()
    seen = page.locator("[data-part=where]:has(.judged)")
    expect(seen).to_be_visible()
    assert seen.evaluate("where => where.scrollHeight - where.clientHeight") <= 1


def test_a_roll_says_whom_it_helped(page: Page) -> None:
    open_analysis(page, first(page, lambda frame: frame["type"] == "roll"))
    expect(page.locator(".legal-panel .odds li")).to_have_count(3)
    expect(page.locator(".legal-panel")).to_contain_text("What this roll gave or took")


def longest_line(page: Page) -> int:
    """A decision whose best line has some moves, and is not what was played."""
    for at, frame in enumerate(frames(page)):
        if frame.get("by") == "bot" and len(frame["legal"]) > 1:
            told = page.request.get(f"/matches/1/analysis/lines/{at}").json()
            if told[0]["move"] != frame["move"]:
                return at
    raise AssertionError("every move was the best one")


@pytest.mark.parametrize("page", [{}, {"width": 360, "calm": True}], indirect=True)
def test_the_best_line_is_stepped_and_left_again(page: Page) -> None:
    at = longest_line(page)
    told = page.request.get(f"/matches/1/analysis/lines/{at}").json()
    open_analysis(page, at)
    played, board = sentence(page), page.locator("[data-part=board]")
    there = board.get_attribute("aria-label")
    page.get_by_role("button", name="Best line").click()
    bar = page.get_by_role("group", name="Best line")
    expect(bar.get_by_role("status")).to_have_text(told[0]["text"])
    expect(page.locator("[data-part=sentence]")).to_have_text(told[0]["text"])
    for frame in told[1:]:
        page.keyboard.press("ArrowRight")
        expect(bar.get_by_role("status")).to_have_text(frame["text"])
    keep_picture(page, "replay-best-line")
    bar.get_by_role("button", name="A step back in the line").click()
    stands_at(page, at)
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    assert sentence(page) == played
    assert board.get_attribute("aria-label") == there
    page.get_by_role("button", name="Best line").click()
    expect(bar).to_be_visible()
    page.get_by_role("button", name="Step", exact=True).click()
    expect(bar).to_have_count(0)
    stands_at(page, at + 1)


@pytest.mark.parametrize("page", [{"width": 360, "calm": True}], indirect=True)
def test_an_open_analysis_is_for_all(page: Page) -> None:
    open_analysis(page, at=found(page)["turning"][0]["at"])
    inspect(page, "replay-analysis")


@pytest.mark.parametrize("page", [{"script": False}], indirect=True)
def test_a_summary_needs_no_script(page: Page) -> None:
    page.goto("/matches/1")
    page.get_by_role("link", name="Show the analysis").click()
    expect(page.get_by_role("table").first).to_be_visible()
    page.locator(".turning-list a").first.click()
    at = found(page)["turning"][0]["at"]
    expect(page.locator(".steps .here")).to_contain_text(f"{at} /")


def test_the_engine_stands_beside_what_bots_say(page: Page) -> None:
    said = first(page, lambda frame: "note" in frame)
    open_analysis(page, at=said)
    engine = page.locator(".notes li").first
    expect(engine).to_contain_text("The engine")
    expect(engine.locator(".odds-bar rect")).to_have_count(3)


def cut_forms(route: Route) -> None:
    """No form reaches the site."""
    if route.request.method == "POST":
        route.abort()
    else:
        route.fallback()


@pytest.mark.parametrize(("page", "match_id"), [({}, 2), ({"script": False}, 3)], indirect=["page"])
def test_an_analysis_is_asked_for_and_then_there(page: Page, folder: Path, match_id: int) -> None:
    page.goto(f"/matches/{match_id}")
    if match_id == 2:  # else the link leads to the page for those without script
        expect(page.locator("[data-place]")).to_contain_text("0 /")
    page.get_by_role("link", name="Show the analysis").click()
    asks = page.get_by_role("button", name="Analyse this game")
    if match_id == 2:  # it can be pressed again if the connection was cut
        page.route("**/*", cut_forms)
        with page.expect_event("requestfailed"):
            asks.click()
        expect(asks).to_be_enabled()
        page.unroute("**/*")
    asks.click()
    expect(page.get_by_text("The analysis is waiting for its turn.")).to_be_visible()
    if match_id == 2:  # a keyboard goes on from the panel, not from the top of the page
        expect(page.locator("[data-part=analysis]")).to_be_focused()
    with session_on(f"sqlite:///{folder}/ladder.db") as session:
        session.execute(delete(Job).where(Job.kind == ANALYSIS))
        analyse(session, match_id, looks=1)
    if match_id == 2:  # it looks by itself
        expect(page.get_by_role("slider", name="Chances to win")).to_be_visible()
    else:
        page.reload()
        expect(page.get_by_role("heading", name="The players")).to_be_visible()


def test_it_is_made_anew_while_the_page_stays(page: Page, folder: Path) -> None:
    with session_on(f"sqlite:///{folder}/ladder.db") as session:
        session.execute(update(Analysis).where(Analysis.match_id == 1).values(engine=1))
        session.commit()
        open_analysis(page, at=20)
        page.get_by_role("button", name="Analyse it again with the newer engine").click()
        expect(page.get_by_text("The analysis is waiting for its turn.")).to_be_visible()
        expect(page.get_by_role("slider", name="Chances to win")).to_have_count(1)
        session.execute(delete(Job).where(Job.kind == ANALYSIS))
        session.execute(delete(Analysis).where(Analysis.match_id == 1))
        analyse(session, 1, looks=1)
    expect(page.get_by_text("The analysis is waiting for its turn.")).to_have_count(0)
    expect(page.get_by_role("slider", name="Chances to win")).to_have_count(1)
    stands_at(page, 20)
