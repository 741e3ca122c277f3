"""A site with one match, and the replay viewer on it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.sites import site
from tests.ladder.databases import new_ladder, session_on
from tests.web.arena import AnyMove, GivesUp, Talkative, analyse, play_next, register, tournament

REPLAY = "/matches/1"
SWIPE = """([from, to]) => {
  const board = document.querySelector(".board");
  const touch = (x) => new Touch({ identifier: 1, target: board, clientX: x, clientY: 300 });
  const [start, end] = [touch(from), touch(to)];
  const tell = (name, about) => board.dispatchEvent(new TouchEvent(name, about));
  tell("touchstart", { touches: [start], changedTouches: [start] });
  tell("touchend", { touches: [], changedTouches: [end] });
}"""
"""Moves a finger sideways over the board."""
SAID = "The bank pays."
"""What the third bot says beside each of its choices."""
Frame = dict[str, Any]


@contextmanager
def played_site(folder: Path, looks: int = 0) -> Iterator[str]:
    """The address of a site whose first match had a bot that gave up and a caretaker for it.

    With `looks` it is analysed, with so many for a decision, and there are two matches more.
    """
    url = new_ladder(folder / "ladder.db")
    with session_on(url) as session:
        cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
        match_id = play_next(session, cup, [AnyMove(1), GivesUp(10), Talkative(2, SAID)])
        if looks:
            analyse(session, match_id, looks)
            play_next(session, cup)
            play_next(session, cup)
    with site(url) as address:
        yield address


def open_replay(page: Page, at: int = 0) -> None:
    """The match at a moment, shown."""
    page.goto(f"{REPLAY}?at={at}")
    expect(page.locator("[data-place]")).to_contain_text(f"{at} /")


def seen_at_each(page: Page, key: str, times: int, look: str) -> list[Any]:
    """What the script `look` finds after each of so many keys.

    They are not the keyboard's: with a call for each, a key costs the browser several times more.
    """
    found: list[Any] = page.evaluate(
        f"""async ([key, times]) => {{
          const look = {look};
          const found = [];
          while (times--) {{
            const down = new KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }});
            document.body.dispatchEvent(down);
            await new Promise(requestAnimationFrame);
            found.push(look());
          }}
          return found;
        }}""",
        [key, times],
    )
    return found


def sentence(page: Page) -> str:
    """What is told of the moment."""
    return page.locator("[data-part=sentence]").inner_text()


def moment(page: Page) -> int:
    """The number of the moment."""
    return int(page.locator("[data-place]").inner_text().split("/")[0])


def stands_at(page: Page, at: int) -> None:
    """The page comes to this moment: what a key or a click does may take a while."""
    expect(page.locator("[data-place]")).to_have_text(re.compile(rf"^{at} /"))


def frames(page: Page) -> list[Frame]:
    """All moments, as the page has them."""
    game: dict[str, Any] = page.request.get(f"/api/v1{REPLAY}/frames").json()
    return list(game["frames"])


def first(page: Page, wanted: Callable[[Frame], bool]) -> int:
    """The first moment whose frame is like that."""
    return next(at for at, frame in enumerate(frames(page)) if wanted(frame))
