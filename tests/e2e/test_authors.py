"""What an author does: from the first visit to a bot on the ladder, and all that follows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from babel.support import Translations
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from ladder.bots.versions import register
from ladder.model import Bot
from tests.conftest import PROJECT, free_port
from tests.e2e import gates
from tests.e2e.bots import bot_at, sample_bot
from tests.e2e.browser import chromium, clean_page, keep_picture
from tests.e2e.inspection import inspect
from tests.e2e.santiago import Ladder, own_folder
from tests.e2e.season import ADMIN, AUTHOR, OTHER_AUTHOR
from tests.e2e.sites import parts
from tests.e2e.visiting import field, follow, sign_in, signed_in
from tests.web.accounts.visitors import PASSWORD, make

GATEWAY = "gateway.example:50052"
OWN_BOTS = {"zorro": AUTHOR, "sol": OTHER_AUTHOR}
PLAYED_WITHIN = 300_000  # milliseconds, on a busy machine


@dataclass(frozen=True)
class Arena:
    """A service with people and their bots, by name; the ladder is played on by house bots."""

    address: str
    bots: dict[str, int]


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    settings = {"SANTIAGO_PUBLIC_GATEWAY": GATEWAY, "SANTIAGO_LADDER_PACE": "1"}
    with own_folder() as folder, sample_bot(folder) as bot, parts(folder, **settings) as running:
        yield Arena(running.address, enter(running, bot))


def enter(running: Ladder, bot: str) -> dict[str, int]:
    """Accounts, a bot of each author, and two of the house; one program plays for all."""
    with running.ladder() as session:
        for name in (AUTHOR, OTHER_AUTHOR):
            make(session, name)
        make(session, ADMIN, "admin")
        found = {
            name: register(session, name=name, author=author, address=bot, version="1").id
            for name, author in OWN_BOTS.items()
        }
        for house in gates.enter(session, {"casa": bot, "cocina": bot}):
            session.get_one(Bot, house).house = True
        session.commit()
    return found


@pytest.fixture(scope="module")
def browser(arena: Arena) -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser, arena: Arena) -> Iterator[Page]:
    """Of a visitor."""
    with clean_page(browser, arena.address, refused=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def ana_signed_in(browser: Browser, arena: Arena) -> StorageState:
    return signed_in(browser, arena.address, AUTHOR)


@pytest.fixture
def ana(browser: Browser, arena: Arena, ana_signed_in: StorageState) -> Iterator[Page]:
    """A page of the first author."""
    with clean_page(browser, arena.address, state=ana_signed_in) as opened:
        yield opened


def sign_up(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/sign-in")
    page.get_by_role("link", name="Sign up").click()
    field(page, "Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign up").click()


_ABOVE = """(selectors) => {
  const [one, other] = selectors.map((selector) => document.querySelector(selector));
  return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
}"""


def test_from_the_first_visit_to_the_ladder_in_german(page: Page) -> None:
    say = Translations.load(PROJECT / "web" / "translations", ["de"]).gettext
    page.goto("/de/sign-in")
    page.get_by_role("main").get_by_role("link").click()
    field(page, say("Name")).fill("marisol")
    page.get_by_label(say("Password")).fill(PASSWORD)
    page.get_by_role("button", name=say("Sign up")).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(say("Your bots"))
    page.get_by_role("link", name=say("Submit a bot")).first.click()
    address, secret = f"127.0.0.1:{free_port()}", field(page, say("Secret")).input_value()
    start = page.locator("#start-line")
    expect(start).to_contain_text(f"SANTIAGO_SECRET={secret} ")
    above = page.evaluate(_ABOVE, ["#start-line", "[name=name]"])
    assert above, "the command comes before the fields"
    field(page, say("Name")).fill("!")
    expect(page.locator(".field.wrong")).to_contain_text(say("Name"))
    expect(field(page, say("Name"))).to_have_attribute("aria-invalid", "true")
    field(page, say("Name")).fill("guitarra")
    field(page, say("Version")).fill("1")
    field(page, say("Address")).fill(address)
    expect(page.get_by_text(say("All fields are right."))).to_be_visible()
    expect(page.locator(".field.wrong, [aria-invalid=true]")).to_have_count(0)
    expect(start).to_contain_text(f"SANTIAGO_ADDRESS={address} ")
    inspect(page, "submit-guided")
    with bot_at(address, secret):
        page.get_by_role("button", name=say("Submit"), exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Version 1")
        checked = page.get_by_role("listitem").filter(has_text=say("Checked"))
        said = say("All %(count)s checks passed, %(time)s.")
        passed = re.compile(said % {"count": r"(\d+)", "time": ".+"})
        expect(checked).to_contain_text(passed, timeout=PLAYED_WITHIN)
        count = int(passed.findall(checked.inner_text())[0])
        expect(page.locator(".checks .check-passed")).to_have_count(count)
        active = re.compile(say("Active since %(time)s.") % {"time": ".+"})
        expect(page.get_by_text(active)).to_be_visible(timeout=PLAYED_WITHIN)
        expect(page.locator(".steps .step-done")).to_have_count(4)
        title = say("%(bot)s is on the ladder") % {"bot": "guitarra"}
        ladder = say("Tables of %(seats)s") % {"seats": 2}
        arrived = page.get_by_role("region", name=title).get_by_role("link", name=ladder)
        expect(arrived).to_be_visible()
        keep_picture(page, "submitted-and-accepted")
        trial = re.compile("^" + say("Match %(match)s") % {"match": r"\d+"})
        page.locator(".steps").get_by_role("link", name=trial).click()
        expect(page.locator("[data-part=sentence]")).to_contain_text("am Tisch Platz.")
    page.goto("/notices")
    expect(page.locator(".notices .new")).to_contain_text(["guitarra"])


def test_a_form_says_what_is_wrong_with_all_that_was_typed(page: Page) -> None:
    sign_up(page, "x y")
    expect(page.locator(".field.wrong")).to_contain_text("Name")
    inspect(page, "sign-up-wrong")
    sign_in(page, AUTHOR)
    page.goto("/bots/submit")
    field(page, "Name").fill("!")
    field(page, "Version").fill("1")
    field(page, "Address").fill("nowhere")
    field(page, "Secret").fill("short")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator(".field.wrong")).to_have_count(3)
    expect(field(page, "Address")).to_have_value("nowhere")
    inspect(page, "submit-wrong")


def test_a_wrong_password_is_told(page: Page) -> None:
    page.goto("/notices")
    field(page, "Name").fill(AUTHOR)
    page.get_by_label("Password").fill("no ship sails")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    inspect(page, "sign-in-wrong")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Notices")  # where it wanted to go
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_behind_the_gateway_a_bot_needs_a_token(ana: Page) -> None:
    ana.goto("/bots/submit")
    field(ana, "Name").fill("behind the wall")
    field(ana, "Version").fill("1")
    ana.get_by_label("Through the gateway").check()
    expect(field(ana, "Secret")).to_be_hidden()
    ana.get_by_role("button", name="Submit").click()
    token = ana.locator(".shown-once").inner_text()
    command = ana.locator(".command")
    expect(command).to_contain_text(f"SANTIAGO_TOKEN={token} santiago bot join {GATEWAY}")
    expect(command.get_by_role("button", name="Copy")).to_be_visible()
    inspect(ana, "gateway-token")
    ana.get_by_role("link", name="I have saved it").click()
    expect(ana.get_by_text("as soon as it joins the gateway")).to_be_visible()
    ana.get_by_role("button", name="Withdraw this version").click()
    expect(ana.locator("h1 .state")).to_have_text("rejected")


def click_twice(button: Locator) -> None:
    """Click once more before the form is answered, as people do; it must be sent once."""
    button.evaluate("button => { button.click(); setTimeout(() => button.click(), 1); }")


def test_tokens_are_made_and_revoked(ana: Page) -> None:
    ana.goto("/account")
    form = ana.locator("form", has=ana.get_by_role("button", name="Create a token"))
    form.get_by_label("Name of the new token").fill("laptop")
    form.get_by_label("Your password").fill(PASSWORD)
    click_twice(form.get_by_role("button"))
    token = ana.locator(".shown-once").inner_text()
    expect(ana.get_by_role("button", name="Copy")).to_be_visible()
    inspect(ana, "account-token")
    ana.reload()
    expect(ana.locator(".shown-once")).to_have_count(0)
    row = ana.get_by_role("row").filter(has_text="laptop")
    expect(row).to_contain_text("read")
    assert asked_by(ana, token) == 200
    row.get_by_role("button", name="Revoke").click()
    expect(row).to_have_count(0)
    assert asked_by(ana, token) == 401


def asked_by(page: Page, token: str) -> int:
    """How the site answers a program with this token."""
    told = {"Authorization": f"Bearer {token}"}
    return page.request.get("/api/v1/account/bots", headers=told).status


def test_a_challenge_is_watched_to_its_replay_and_logged_for_its_author(
    ana: Page, browser: Browser, arena: Arena
) -> None:
    ana.goto(f"/bots/{arena.bots['zorro']}/own")
    ana.get_by_role("link", name="Challenge others").click()
    ana.get_by_label("Bot or author").fill(OTHER_AUTHOR)
    ana.get_by_role("button", name="Find").click()
    ana.get_by_role("link", name="Add sol").click()
    ana.get_by_role("button", name="Play now").click()
    over = re.compile("Replay file|The replay of match")
    expect(ana.get_by_role("link", name=over).first).to_be_visible(timeout=PLAYED_WITHIN)
    ana.reload()
    expect(ana.get_by_role("link", name="Replay file")).to_be_visible()
    match = ana.url.split("/")[-1].split("?")[0]
    ana.goto(f"/bots/{arena.bots['zorro']}/own")
    ana.get_by_role("link", name="Private log").click()
    entry = ana.locator(".log > li").filter(has_text=re.compile(rf"Match {match}\b"))
    expect(entry).to_contain_text("challenge")
    expect(entry).to_contain_text("Decisions")
    keep_picture(ana, "challenge-log")
    with clean_page(browser, arena.address, refused=True) as luz:
        luz.goto(f"/bots/{arena.bots['zorro']}/log")
        expect(luz.get_by_role("heading", level=1)).to_have_text("Sign in")
        luz.get_by_label("Name").fill(OTHER_AUTHOR)
        luz.get_by_label("Password").fill(PASSWORD)
        luz.get_by_role("button", name="Sign in").click()
        expect(luz.get_by_text("You have no bot")).to_be_visible()
        luz.goto(f"/bots/{arena.bots['sol']}/log")
        entry = luz.locator(".log > li").filter(has_text=re.compile(rf"Match {match}\b"))
        expect(entry).to_be_visible()


def test_an_admin_makes_a_link_for_who_forgot_the_password(
    page: Page, browser: Browser, arena: Arena
) -> None:
    sign_up(page, "olvido")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your bots")
    with clean_page(browser, arena.address) as boss:
        sign_in(boss, ADMIN)
        boss.get_by_role("link", name="Users").click()
        boss.get_by_label("Name contains").fill("olvido")
        follow(boss.get_by_role("button", name="Find"))
        follow(boss.get_by_role("button", name="Make reset link"))
        link = boss.locator(".shown-once").inner_text()
        inspect(boss, "reset-link")
    page.goto(link)
    page.get_by_label("New password").fill("a better one to keep")
    page.get_by_role("button", name="Set password").click()
    sign_in(page, "olvido", "a better one to keep")
    page.goto(link)
    expect(page.locator(".error-page")).to_contain_text("404")
