"""Every page of the site in a real browser: for all eyes, on wide and narrow windows."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, expect

from ladder.casual import opening, playing
from ladder.casual.opening import Wish
from ladder.config import Settings
from ladder.contests.tournaments import creating, lifecycle
from ladder.model import CasualOutput, now
from ladder.people import roles, tickets
from tests.e2e.browser import chromium, keep_picture, overhang, watched
from tests.e2e.gates import PATIENT, Gate, enter, gated_bots
from tests.e2e.inspection import NARROW, WIDE, bring_axe, findings, inspect, small_targets
from tests.e2e.processes import until
from tests.e2e.santiago import Ladder, own_folder
from tests.e2e.season import ADMIN, AUTHOR, FIELD, ORGANISER, OTHER_AUTHOR, play_season, renew
from tests.e2e.site_pages import (
    AT_TABLE,
    BOT,
    CASUAL,
    DOCUMENTS,
    GATHERING,
    LIVE,
    OVER,
    PAGES,
    TICKET,
    SitePage,
    Value,
    address,
    routes,
)
from tests.e2e.sites import parts
from tests.e2e.visiting import contexts
from tests.web.conftest import BOX
from web import create_app

SWISS = ("uno", "dos", "tres", "cuatro", "cinco")


@dataclass(frozen=True)
class Place:
    """A service on which something of everything is to be seen."""

    address: str
    known: dict[str, Value]


@pytest.fixture(scope="module")
def app() -> Flask:
    """To ask for routes; it serves nobody, and no database answers it."""
    return create_app(Settings("sqlite:////dev/null/ladder.db", "unix:///nowhere"), BOX)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """A season is over, a Swiss tournament is held in its first round."""
    with own_folder() as folder:
        play_season(folder / "data")
        renew(folder / "data", FIELD[-1])
        gate = Gate(folder / "gate")
        gate.allow(25)
        with gated_bots(folder, gate, SWISS) as bots, parts(folder) as running:
            start_swiss(running, bots)
            until(lambda: len(running.playing()) >= 2)
            yield Place(
                running.address,
                {
                    LIVE: running.playing()[0],
                    TICKET: reset_ticket(running),
                    **casual_games(running),
                },
            )


def start_swiss(running: Ladder, addresses: dict[str, str]) -> None:
    with running.ladder() as session:
        made = creating.create(
            session,
            roles.named(session, ORGANISER),
            name="Suizo de la Habana",
            format="swiss",
            rounds=2,
            seats=2,
            bot_ids=enter(session, addresses),
            deals=1,
            clock=PATIENT,
        )
        lifecycle.start(session, made.id)
        session.commit()


def reset_ticket(running: Ladder) -> str:
    with running.ladder() as session:
        made = tickets.make_reset_link(session, None, roles.named(session, OTHER_AUTHOR).id)
        session.commit()
        return made.ticket


def casual_games(running: Ladder) -> dict[str, Value]:
    """The keys of seats whose pages differ."""
    with running.ladder() as session:
        gathers, played, over = (opening.open_game(session, Wish((None,))) for _ in range(3))
        for game in (played, over):
            for seat in game.table:
                opening.accept(session, str(seat.key), b"")
        keys = [str(game.table[game.deciding or 0].key) for game in (gathers, played, over)]
        playing.leave(session, over, over.table[over.deciding or 0])
        wrote = {"output": b"3 pesos left\n", "errors": b"", "at": now(session)}
        session.add(CasualOutput(game_id=over.id, seat=0, bot_id=BOT, **wrote))
        session.commit()
        return {**dict(zip((GATHERING, AT_TABLE, OVER), keys, strict=True)), CASUAL: over.id}


@pytest.fixture(scope="module")
def browser(place: Place) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def visitors(browser: Browser, place: Place) -> dict[str | None, BrowserContext]:
    found = contexts(browser, place.address, (AUTHOR, ORGANISER, ADMIN))
    for context in found.values():
        bring_axe(context)
    return found


def test_no_page_is_forgotten(app: Flask) -> None:
    assert {page.endpoint for page in PAGES} == routes(app)


@pytest.mark.parametrize("shown", PAGES, ids=lambda page: page.name)
def test_a_page_is_for_all(
    shown: SitePage, app: Flask, place: Place, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[shown.who], place.address, kept=True) as page:
        answer = page.goto(address(app, shown, place.known))
        assert answer is not None
        assert answer.status == 200
        inspect(page, shown.name)


@pytest.mark.parametrize("path", ["/", "/?seats=3", "/bots/1/against/2"])
def test_tabs_fit_the_narrowest_phones(
    path: str, place: Place, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[None], place.address, kept=True) as page:
        page.set_viewport_size({"width": 320, "height": 568})
        page.goto(path)
        expect(page.locator(".tabs").first).to_be_visible()
        assert overhang(page) == 0
        assert small_targets(page) == []


@pytest.mark.parametrize("who", [None, AUTHOR])
def test_nothing_in_the_masthead_covers_another_thing(
    who: str | None, place: Place, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[who], place.address, kept=True) as page:
        page.set_viewport_size({"width": 320, "height": 568})
        page.goto("/docs")
        page.locator(".theme-switch").click(trial=True, position={"x": 4, "y": 16})
        name = page.locator(".visitor .own")
        assert name.evaluate("own => own.scrollWidth <= own.clientWidth")
        keep_picture(page, "masthead")
        page.set_viewport_size({"width": NARROW, "height": 800})
        if who is not None:
            name.evaluate("own => { own.textContent = 'ladder-author'; }")
        assert name.evaluate("own => own.scrollWidth <= own.clientWidth")
        page.set_viewport_size({"width": WIDE, "height": 800})
        in_one_row = page.locator(".masthead").evaluate("head => head.offsetHeight")
        name.evaluate("own => { own.textContent = 'm'.repeat(32); }")
        assert page.locator(".masthead").evaluate("head => head.offsetHeight") == in_one_row


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_for_all(
    name: str, place: Place, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[None], place.address, kept=True) as page:
        page.set_viewport_size({"width": NARROW, "height": 800})
        page.emulate_media(color_scheme="dark")
        page.goto(f"/docs/{name}")
        assert findings(page) == []
        assert overhang(page) == 0


@pytest.mark.parametrize(("path", "code"), [("/nowhere", 404), ("/operator", 403)])
def test_a_refusal_is_for_all(
    path: str, code: int, place: Place, visitors: dict[str | None, BrowserContext]
) -> None:
    with watched(visitors[AUTHOR], place.address, refused=True, kept=True) as page:
        page.goto(path)
        expect(page.locator(".error-page")).to_contain_text(str(code))
        inspect(page, f"error-{code}")
