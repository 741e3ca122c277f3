import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.bots.availability import pause_for
from ladder.contests.tournaments import lookup
from ladder.contests.tournaments.correcting import withdraw
from ladder.contests.tournaments.forfeits import forfeit
from ladder.contests.tournaments.lookup import Tournament
from ladder.matches.listing import list_matches
from ladder.model import Bot, BotState
from tests.ladder.contests.tournaments.cups import come_back, go_away, gone_on
from tests.ladder.league import NewBot, add_bots, host
from tests.web.accounts.visitors import make, post, sign_in
from tests.web.arena import register, tournament

FIELDS = {
    "name": "Copa Oriente",
    "format": "round_robin",
    "seats": "2",
    "deals": "3",
    "rounds": "",
    "first": "",
    "rated": "on",
    "move_limit": "5",
    "bank": "60",
    "increment": "0.5",
    "start_up": "10",
    "grace": "120",
}


@pytest.fixture
def ana(client: FlaskClient, session: Session) -> FlaskClient:
    """The browser of an organiser."""
    make(session, role="organiser")
    sign_in(client)
    return client


def fill_in(client: FlaskClient, bots: list[int], **fields: str) -> tuple[int, str]:
    """Send the form for a new tournament: the status, and where it leads to or what is shown."""
    chosen = {"bots": [str(bot) for bot in bots]}
    answer = post(client, "/tournaments", "/tournaments/new", **(FIELDS | fields | chosen))
    return answer.status_code, answer.headers.get("Location") or answer.text


def newest(session: Session) -> Tournament:
    session.rollback()
    return lookup.page(session, limit=1)[0]


def test_an_organiser_makes_a_tournament(ana: FlaskClient, session: Session) -> None:
    bots = register(session, ["ana", "luz", "rey"])
    assert 'href="/tournaments/new"' in ana.get("/tournaments").text
    assert fill_in(ana, bots) == (303, "/tournaments/1")
    made = newest(session)
    assert (made.name, made.state, made.total, made.organiser) == (
        "Copa Oriente",
        "created",
        18,
        "ana",
    )
    assert (made.clock.move_limit, made.grace, made.rated) == (5.0, 120.0, True)
    page = ana.get("/tournaments/1").text
    assert "Start</button>" in page
    assert "by ana" in page


def test_a_second_click_makes_no_second_tournament(ana: FlaskClient, session: Session) -> None:
    bots = register(session, ["ana", "luz", "rey"])
    assert [fill_in(ana, bots)[1] for _ in range(2)] == ["/tournaments/1"] * 2
    assert fill_in(ana, bots, deals="4") == (303, "/tournaments/2")
    assert fill_in(ana, bots[:2]) == (303, "/tournaments/3")
    post(ana, "/tournaments/3/steps", "/tournaments/3", step="cancelled")
    assert fill_in(ana, bots[:2]) == (303, "/tournaments/4")


def test_a_gauntlet_and_a_swiss_tournament(ana: FlaskClient, session: Session) -> None:
    bots = register(session, ["ana", "luz", "rey", "sol"])
    fill_in(ana, bots[:3], format="gauntlet", first=str(bots[3]))
    assert lookup.entries(session, newest(session).id)[0].bot_id == bots[3]
    fill_in(ana, bots, format="swiss", rounds="4", deals="1")
    made = newest(session)
    assert (made.format, made.rounds, made.total) == ("swiss", 4, 16)
    fill_in(ana, bots, format="round_robin", rounds="4", deals="1")
    assert newest(session).rounds == 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "A name has 1 to 60 printable characters"),
        ({"deals": "-1"}, "Give a whole number without a sign, such as 4"),
        ({"deals": "0"}, "Deals can be 1 to 1000, not 0"),
        ({"deals": "9" * 12}, "Deals can be 1 to 1000, not 999999999999"),
        ({"seats": "4"}, "A table of 4 needs at least 4 bots, not 3"),
        ({"format": "knockout"}, "The format can be round_robin, swiss, gauntlet"),
        ({"format": "gauntlet"}, '<select name="first" aria-invalid="true" autofocus>'),
        ({"format": "gauntlet", "first": "99"}, "There is no bot 99"),
        ({"format": "swiss", "rounds": "99"}, "Rounds can be 1 to 30, not 99"),
        ({"move_limit": "soon"}, "Give a number of seconds"),
        ({"bank": "-1"}, "A clock needs a move limit of up to"),
        ({"grace": "nan"}, "The grace time is 0 to 86400 seconds"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    ana: FlaskClient, session: Session, fields: dict[str, str], sentence: str
) -> None:
    bots = register(session, ["ana", "luz", "rey"])
    code, page = fill_in(ana, bots, **({"name": "<i>Copa</i>"} | fields))
    assert code == 422
    assert sentence in page
    assert page.count('role="alert"') == 1
    assert page.count(" checked") == 3 + ("knockout" not in fields.values()) + 1
    assert "<i>Copa" not in page


def test_without_bots_the_form_says_what_is_missing(ana: FlaskClient) -> None:
    assert "No bot can play yet" in ana.get("/tournaments/new").text


def test_it_is_led_to_its_end(ana: FlaskClient, session: Session) -> None:
    fill_in(ana, register(session, ["ana", "luz"]))
    for step, state, then in (
        ("started", "running", ("Pause</button>", "Cancel the tournament")),
        ("paused", "paused", ("Resume</button>", "Cancel the tournament")),
        ("resumed", "running", ("Pause</button>", "Cancel the tournament")),
        ("cancelled", "cancelled", ()),
    ):
        answer = post(ana, "/tournaments/1/steps", "/tournaments/1", step=step)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/tournaments/1")
        page = ana.get("/tournaments/1").text
        assert f"state-{state}" in page
        assert all(words in page for words in then)
    assert "/tournaments/1/steps" not in page


def test_a_step_that_is_not_possible(ana: FlaskClient, session: Session) -> None:
    fill_in(ana, register(session, ["ana", "luz"]))
    for step, code in (("resumed", 409), ("finished", 422), ("", 422)):
        answer = post(ana, "/tournaments/1/steps", "/tournaments/1", step=step)
        assert answer.status_code == code
    assert post(ana, "/tournaments/9/steps", "/tournaments/1", step="started").status_code == 404


def test_authors_and_strangers_lead_none(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz"]))
    page = client.get(f"/tournaments/{cup}").text
    assert "Cancel the tournament" not in page
    assert client.get("/tournaments/new").headers["Location"].startswith("/sign-in")
    make(session, "luz")
    sign_in(client, "luz")
    assert "Cancel the tournament" not in client.get(f"/tournaments/{cup}").text
    assert "/tournaments/new" not in client.get("/tournaments").text
    assert client.get("/tournaments/new").status_code == 403
    assert post(client, "/tournaments", **FIELDS, bots=["1", "2"]).status_code == 403
    answer = post(client, f"/tournaments/{cup}/steps", step="cancelled")
    assert answer.status_code == 403
    assert newest(session).state == "running"


def test_a_form_from_elsewhere_does_nothing(ana: FlaskClient, session: Session) -> None:
    fill_in(ana, register(session, ["ana", "luz"]))
    assert ana.post("/tournaments/1/steps", data={"step": "started"}).status_code == 400
    assert newest(session).state == "created"


def test_an_organiser_withdraws_a_bot(ana: FlaskClient, session: Session) -> None:
    first, second, third = register(session, ["luz", "rey", "sol"])
    cup = tournament(session, [first, second, third])
    page = f"/tournaments/{cup}"
    shown = ana.get(page).text
    assert ">rey (compay)</option>" in shown
    assert "Withdraw it, and annul its results" in shown
    answer = post(ana, f"{page}/withdrawals", page, bot=str(second))
    assert (answer.status_code, answer.headers["Location"]) == (303, page)
    post(ana, f"{page}/withdrawals", page, bot=str(third), annul="1")
    shown = ana.get(page).text
    assert ">rey (compay)</option>" not in shown
    assert shown.count('<span class="by">withdrew</span>') == 4  # in standing and entry list
    assert gone_on(session, cup).state == "finished"  # nobody is left for luz to meet
    shown = ana.get(page).text
    ranks = re.findall(
        r'<span class="place place-\d">(\d)</span>|<span class="quiet">(–)</span>', shown
    )
    assert ranks[:3] == [("1", ""), ("", "–"), ("", "–")]  # who withdrew has played nothing
    assert 'finished · 1 luz"' in shown
    assert post(ana, f"{page}/withdrawals", page, bot=str(first)).status_code == 409
    assert post(ana, f"{page}/withdrawals", page, bot="x").status_code == 422


def test_an_author_withdraws_the_own_bot_alone(client: FlaskClient, session: Session) -> None:
    own, other = register(session, ["luz", "rey"])
    cup = tournament(session, [own, other])
    page = f"/tournaments/{cup}"
    assert "Withdraw a bot" not in client.get(page).text
    luz = make(session, "luz")
    session.get_one(Bot, own).user_id = luz.id
    session.commit()
    sign_in(client, "luz")
    shown = client.get(page).text
    assert ">luz (luz)</option>" in shown
    assert ">rey (compay)</option>" not in shown
    assert "annul its results" not in shown
    for fields in ({"bot": str(other)}, {"bot": str(own), "annul": "1"}):
        assert post(client, f"{page}/withdrawals", page, **fields).status_code == 403
    assert post(client, f"{page}/withdrawals", page, bot=str(own)).status_code == 303
    assert lookup.entries(session, cup)[0].withdrew


def test_notices_of_a_tournament_lead_to_it(client: FlaskClient, session: Session) -> None:
    bots = register(session, ["luz", "rey"])
    ana = make(session, "ana")
    session.execute(update(Bot).values(user_id=ana.id))
    cup = tournament(session, bots)
    withdraw(session, cup, bots[0])
    session.commit()
    sign_in(client, "ana")
    shown = client.get("/notices").text
    assert "has begun" in shown
    links = f'<a href="/tournaments/{cup}">Tournament</a>'
    assert shown.count(links) == shown.count("Copa")


def test_forfeits_are_played_when_the_bot_is_back(ana: FlaskClient, session: Session) -> None:
    bots = register(session, ["luz", "rey", "sol"])
    cup = tournament(session, bots, seats=3)
    page = f"/tournaments/{cup}"
    first = min(row.id for row in list_matches(session, tournament_id=cup, limit=9).matches)
    forfeit(session, first, [0, 1])
    session.commit()
    go_away(session, cup, *bots)
    assert "forfeited match after all" not in ana.get(page).text
    refused = post(ana, f"{page}/forfeits", f"{page}?rows=1")
    assert refused.status_code == 409
    assert f'href="{page}?rows=1">Back<' in refused.text
    come_back(session, *bots)
    shown = ana.get(page).text
    assert "Play 1 forfeited match after all" in shown
    assert shown.count("did not appear in 1 match<") == 2
    assert post(ana, f"{page}/forfeits", page).status_code == 303
    shown = ana.get(page).text
    assert "forfeited match after all" not in shown
    assert "did not appear" not in shown.split('id="standing-title"')[1].split("</section>")[0]
    assert newest(session).total == 4


def test_a_bot_that_may_not_enter_cannot_be_chosen(ana: FlaskClient, session: Session) -> None:
    """One that is retired never may: it would only be in the way of the others."""
    luz, zorro, rey, old = register(session, ["luz", "Zorro", "rey", "abuelo"])
    pause_for(session, rey, "It rests.")
    session.get_one(Bot, old).state = BotState.RETIRED
    session.commit()
    page = ana.get("/tournaments/new").text
    boxes = re.findall(r'name="bots" value="(\d+)"( disabled)?', page)
    assert boxes == [(str(luz), ""), (str(rey), " disabled"), (str(zorro), "")]
    assert page.count("· paused<") == 1
    assert f'<option value="{rey}"' not in page


def listed(page: str) -> list[str]:
    """The bots that the form shows; those chosen have a *."""
    found = re.findall(r'name="bots" value="\d+"( checked)?> <span class="text">(.+?) <', page)
    return [f"{name}*" if chosen else name for chosen, name in found]


def test_a_long_list_is_searched(ana: FlaskClient, session: Session) -> None:
    new = [NewBot(f"bot-{n:03}", f"author {n % 7}", "unix:/nowhere") for n in range(120)]
    add_bots(session, new)
    session.commit()
    page = ana.get("/tournaments/new").text
    assert listed(page) == [f"bot-{n:03}" for n in range(100)]
    assert page.count("<option value=") == 101
    assert "The first 100 bots by name." in page
    page = ana.get("/tournaments/new?search=R%206").text
    assert listed(page) == [f"bot-{n:03}" for n in range(6, 120, 7)]
    assert "The first 100" not in page
    assert "No bot found" in ana.get("/tournaments/new?search=nobody").text


def test_what_is_filled_in_and_chosen_stays_through_a_search(
    ana: FlaskClient, session: Session
) -> None:
    bots = register(session, ["luz", "rey", "ida", "zoe"])
    typed = FIELDS | {"format": "gauntlet", "first": str(bots[3]), "search": "E", "name": "Copa"}
    chosen = [str(bots[0]), str(bots[1]), "x"]
    form = "/tournaments/new"
    answer = post(ana, form, form, **(typed | {"move_limit": "abc"}), bots=chosen)
    assert answer.status_code == 200
    assert listed(answer.text) == ["luz*", "rey*", "zoe"]
    assert f'<option value="{bots[3]}" selected>' in answer.text
    assert 'name="search" value="E"' in answer.text
    assert re.search(r'name="move_limit" [^>]*value="abc"', answer.text)
    assert lookup.page(session, limit=1) == []
    wrong = fill_in(ana, bots[:2], move_limit="abc", search="zo")
    assert listed(wrong[1]) == ["luz*", "rey*", "zoe"]
    first = re.search(r"<button [^>]*>", wrong[1].partition('action="/tournaments"')[2])
    assert first is not None
    assert 'name="entered" value="zo"' in first[0]
    entered = fill_in(ana, bots[:3], search="", entered="zo")
    assert (entered[0], listed(entered[1])) == (200, ["ida*", "luz*", "rey*", "zoe"])
    assert fill_in(ana, bots[:3], search="zo", entered="zo") == (303, "/tournaments/1")


def test_only_hosted_bots_enter_if_the_organiser_says_so(
    ana: FlaskClient, session: Session
) -> None:
    bots = register(session, ["luz", "rey"])
    status, shown = fill_in(ana, bots, hosted_only="on")
    assert status == 422
    assert "of their own: luz, rey. Leave them out" in shown
    assert 'name="hosted_only" checked' in shown
    host(session, bots)
    assert "· hosted<" in ana.get("/tournaments/new").text
    _, page = fill_in(ana, bots, hosted_only="on")
    assert "hosted bots only" in ana.get(page).text
    assert newest(session).hosted_only
