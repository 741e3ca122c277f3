"""The server's board: the viewer's at every moment, and all that there is without scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import Lender, keep_picture, overhang
from tests.e2e.replay.viewing import REPLAY, frames, moment, open_replay, stands_at

SHOWN = """() => {
  const plain = document.querySelector(".board").cloneNode(true);
  for (const each of plain.querySelectorAll("[class]")) {
    const names = [...each.classList].filter((name) => name !== "moving").sort();
    each.setAttribute("class", names.join(" "));
  }
  for (const tile of plain.querySelectorAll(".wide :has(> title), .wide [data-legend]")) {
    const title = tile.querySelector(":scope > title");
    tile.setAttribute("words", tile.dataset.legend ?? title.textContent);
    title?.remove();
    for (const name of ["data-legend", "role", "aria-label", "tabindex"]) {
      tile.removeAttribute(name);
    }
  }
  for (const each of plain.querySelectorAll(".pawn.absent, .die.absent")) {
    each.removeAttribute("transform");
  }
  return plain.querySelector(".wide").innerHTML;
}"""
"""The wide board, without what is not seen; the words of a tile wherever they stand."""

BOXES = "all => all.map((one) => one.getBoundingClientRect().toJSON())"
FRAMES = ((320, 360), (320, 720), (360, 800), (540, 400), (640, 780), (800, 780), (1000, 780))
"""The sizes of frames on other sites, in pixels."""
STEPS = """(times) => {
  const key = { key: "ArrowRight", bubbles: true, cancelable: true };
  while (times--) document.body.dispatchEvent(new KeyboardEvent("keydown", key));
}"""
"""Steps that are shown one after the other, but not painted: half of what a real key costs."""


@pytest.fixture
def still(lender: Lender) -> Iterator[Page]:
    with lender.page(script=False) as lent:
        yield lent


@pytest.mark.parametrize("page", [{"calm": True}], indirect=True)
def test_the_server_draws_what_the_viewer_shows(page: Page, still: Page) -> None:
    told = frames(page)
    open_replay(page)
    for at in sorted({*range(0, len(told), 20), len(told) - 1}):
        page.evaluate(STEPS, at - moment(page))
        stands_at(page, at)
        still.goto(f"{REPLAY}?at={at}")
        assert page.evaluate(SHOWN) == still.evaluate(SHOWN), at
        for part in (".board", "[data-part=players] article"):
            name = "aria-label"
            shown, drawn = page.locator(part).first, still.locator(part).first
            assert shown.get_attribute(name) == drawn.get_attribute(name)
        sentence = "[data-part=sentence]"
        assert page.locator(sentence).inner_text() == still.locator(sentence).inner_text()
        held = ".player .count b"
        assert page.locator(held).all_inner_texts() == still.locator(held).all_inner_texts()


@pytest.mark.parametrize("at", [0, 47])
@pytest.mark.parametrize("width", [1280, 360])
def test_no_pixel_changes_when_the_script_takes_over(lender: Lender, width: int, at: int) -> None:
    pictures: list[bytes] = []
    for script in (False, True):
        with lender.page(width=width, script=script, calm=True) as page:
            page.goto(f"{REPLAY}?at={at}")
            expect(page.locator("[data-loading]")).to_have_count(0 if script else 1)
            pictures.append(alone(page))
    assert pictures[0] == pictures[1]


def alone(page: Page) -> bytes:
    """A picture of the board alone, in a corner of the window and in a size of its own."""
    page.evaluate(
        """() => {
          const board = document.querySelector(".board");
          const [drawn] = [...board.children].filter((form) => form.clientWidth);
          document.body.replaceChildren(...document.querySelectorAll(".sheet"), board);
          board.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 340px";
          drawn.style.maxHeight = "none";
        }"""
    )
    return page.screenshot(clip={"x": 0, "y": 0, "width": 340, "height": 560})


@pytest.mark.parametrize("width", [1280, 360])
def test_without_scripts_links_step_through_the_game(lender: Lender, width: int) -> None:
    with lender.page(width=width, script=False) as page:
        told = frames(page)
        page.goto(REPLAY)
        sentence = page.locator("[data-part=sentence]")
        for at in (1, 2, 3):
            page.get_by_role("link", name="Step", exact=True).click()
            expect(sentence).to_have_text(told[at]["text"])
            expect(sentence).to_be_in_viewport(ratio=1)
            expect(page.locator(".steps")).to_be_in_viewport(ratio=1)
        keep_picture(page, "replay-without-script")
        boxes = page.locator(".steps a").evaluate_all(BOXES)
        assert len({box["y"] for box in boxes}) == 1, "they have one row"
        assert min(min(box["width"], box["height"]) for box in boxes) >= 44
        assert overhang(page) == 0
        page.get_by_role("link", name="Next ship").click()
        expect(page.locator(".steps .here")).not_to_have_text(re.compile("^[03] /"))
        page.get_by_role("link", name="End", exact=True).click()
        expect(page.locator(".player.first .rank-mark")).to_have_text("Rank 1")
        page.get_by_role("link", name="Start").click()
        expect(sentence).to_have_text(told[0]["text"])


def smallest_text(page: Page) -> float:
    """The height in pixels, to a tenth, of the smallest letters on the board that is shown."""
    expect(page.locator(".drawing:visible")).to_have_count(1)  # in another form if it was resized
    sizes = page.locator(".drawing text").evaluate_all(
        """(texts) => texts.filter((text) => text.checkVisibility()).map((text) => {
          const { a, b } = text.getScreenCTM();
          return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
        })"""
    )
    return float(round(min(sizes), 1))


def test_text_on_the_board_can_be_read(page: Page) -> None:
    open_replay(page)
    for at in (0, 1, 60):
        page.get_by_role("slider", name="Moment of the game").fill(str(at))
        stands_at(page, at)
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert smallest_text(page) >= 11, (at, width)


def test_text_on_the_board_can_be_read_in_a_frame(page: Page) -> None:
    page.goto(f"{REPLAY}/embed?at=60")
    expect(page.locator("[data-place]")).to_contain_text("60 /")
    step = page.get_by_role("button", name="Step", exact=True)
    for width, height in FRAMES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        assert smallest_text(page) >= 11, (width, height)
        assert overhang(page) == 0, (width, height)
        expect(step, f"in {width} x {height}").to_be_in_viewport()
        page.mouse.wheel(0, 2000)
        expect(step, f"in {width} x {height}, scrolled").to_be_in_viewport()
        keep_picture(page, f"embed-{width}-{height}")
