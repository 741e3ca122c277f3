"""Playing on the site: a guest opens a game, chooses by forms, and sees the replay."""

import json
import re
from html import unescape
from pathlib import Path
from typing import NoReturn, cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses.engine import Analysed
from ladder.analyses.job import CASUAL_ANALYSES
from ladder.bots import availability
from ladder.casual import opening, opponents, playing
from ladder.casual.opening import Wish
from ladder.jobs import attempts
from ladder.model import Bot, CasualGame, CasualPace, CasualSeat, CasualState
from referee.analysis import analyse, pack, results
from referee.engine import VERSION
from referee.replay import read
from tests.ladder.bots.authors import house_bot
from tests.ladder.casual.tables import HouseBot, answer, friends, play, to_other_drive
from tests.ladder.casual.test_elsewhere import open_to_people
from tests.ladder.people.people import PASSWORD, sign_up
from tests.referee.games import served
from tests.threads import one_too_many
from tests.web.accounts.visitors import make, post, sign_in, token
from tests.web.test_mischief import RAW, WORDS
from web.database import sessions
from web.viewer import tables
from web.viewer.hub import EXTENSION, OF_ONE


def seat(session: Session, game: CasualGame) -> str:
    """The address of the seat that is asked."""
    session.rollback()  # to see what the site has written
    session.refresh(game)
    assert game.deciding is not None
    return f"/play/{game.table[game.deciding].key}"


def send(client: FlaskClient, path: str, **fields: str) -> int:
    """The status of a form that is sent."""
    return client.post(path, data={"csrf_token": token(client), **fields}).status_code


def test_a_guest_opens_a_game_against_a_bot(client: FlaskClient, session: Session) -> None:
    bot = house_bot(session, "greedy")
    page = client.get("/play")
    assert "greedy" in page.text
    assert "10 s for a choice, 60 s for the game." in page.text
    data = {"csrf_token": token(client), "opponent": str(bot), "pace": "relaxed"}
    answer = client.post("/play", data=data)
    assert answer.status_code == 303
    page = client.get(answer.location)
    assert page.headers["Cache-Control"] == "no-store"
    _, told = page.text.split("Start the game")
    assert told.index("<details>") < told.index("The dice follow from a seed whose hash")
    assert "Without JavaScript, the site chooses that number" in told
    assert send(client, f"{answer.location}/accept", nonce="00ff") == 303
    assert "<h2>greedy is playing …</h2>" in client.get(answer.location).text
    game = session.scalars(select(CasualGame)).one()
    assert (game.state, game.table[0].nonce) == (CasualState.PLAYING, b"\0\xff")


def test_a_stream_that_nobody_can_feed_takes_no_place(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    path = f"/play/{friends(session).table[0].key}/live"
    with one_too_many("tables"):
        for _ in range(OF_ONE):
            with pytest.raises(RuntimeError):
                client.get(path, environ_overrides={"REMOTE_ADDR": "8.8.8.8"})
    hub = app.extensions[EXTENSION]
    for _ in range(OF_ONE):
        hub.enter("8.8.8.8")


def test_without_bots_friends_can_play(client: FlaskClient) -> None:
    page = client.get("/play").text
    assert "A friend, by link" in page
    assert "weakest bot comes first" not in page


def test_choices_are_buttons(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    game.dice_seed = bytes(32)  # four dice that show 0 would fill the ship at once
    session.commit()
    own = seat(session, game)
    page = client.get(own).text
    moves = [unescape(move) for move in re.findall(r'name="move" value="([^"]*)"', page)]
    assert all(move.startswith("exclude ") for move in moves)
    assert "Whoever has the most victory points (VP)" in page  # explained to who is new
    assert send(client, f"{own}/move", decision="0", move=moves[0]) == 303
    assert re.search("<h2>Guest [12] is playing …</h2>", client.get(own).text)
    other = client.get(f"{seat(session, game)}/turn").text
    assert 'name="decision" value="1"' in other
    assert "Meanwhile (2)" in other
    assert re.search(r"<li>Guest \d leaves \w+ ashore; ", other)
    assert len(json.loads(client.get(f"{own}/frames").text)["frames"]) == 3


def test_who_read_a_game_before_others_takes_nothing_back(
    app: Flask, client: FlaskClient, session: Session
) -> None:
    game = friends(session)
    own = seat(session, game)
    with sessions(app)() as earlier:
        before = earlier.get_one(CasualGame, game.id)
        assert before.table
        earlier.expunge_all()
    move = re.findall(r'name="move" value="([^"]*)"', client.get(own).text)[0]
    assert send(client, f"{own}/move", decision="0", move=unescape(move)) == 303
    session.rollback()  # to see what the site has written
    assert game.decisions > before.decisions
    table = tables.CasualTable(game)
    table.catch_up(game)
    mark, frames = table.mark, len(table.channel.game()["frames"])
    table.catch_up(before)
    assert (table.mark, len(table.channel.game()["frames"])) == (mark, frames)


@pytest.mark.parametrize("pace", CasualPace)
def test_the_time_for_a_choice_is_shown_if_it_has_an_end(
    client: FlaskClient, session: Session, pace: CasualPace
) -> None:
    page = client.get(seat(session, friends(session, pace=pace))).text
    assert ("Time left for this choice" in page) == (pace is not CasualPace.NONE)


def test_the_own_seat_is_you(client: FlaskClient, session: Session) -> None:
    make(session, "ana")
    sign_in(client)
    opened = post(client, "/play", opponent="friend", pace="none")
    game = session.scalars(select(CasualGame)).one()
    own, friend = opened.location, f"/play/{game.table[1].key}"
    assert post(client, f"{own}/accept", nonce="").status_code == 303
    friend = post(client, f"{friend}/accept", nonce="").location
    session.rollback()  # to see what the site has written
    game.table[1].user_id = None
    session.commit()
    for path, labels in ((own, ["Tú", "Guest 2"]), (friend, ["ana", "Tú"])):
        wish = {"Accept-Language": "es"}
        document = client.get(f"{path}/frames", headers=wish).get_json()
        assert [seat["label"] for seat in document["seats"]] == labels
        roll = document["frames"][1]
        assert roll["text"].startswith(f"{labels[roll['seat']]} ")
    assert post(client, f"{own}/leave").status_code == 303
    page = client.get(own).text
    assert re.search(r'<h2>You</h2>\s*<small class="by">ana</small>', page)
    page = client.get(friend).text
    assert re.search(r"<h2>You</h2>\s*<span", page)


def test_whoever_has_to_drive_has_the_turn(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    driver = to_other_drive(session, game)
    page = client.get(f"/play/{game.table[driver].key}").text
    marked = re.findall(r'<article class="player seat-(\d) active', page)
    assert marked == [str(driver)]
    last = json.loads(client.get(f"/play/{game.table[driver].key}/frames").text)["frames"][-1]
    assert (last["seat"], last["state"]["active"]) == (1 - driver, driver)
    assert f"Turn {last['state']['turn']} ·" in page


def test_a_script_gets_the_part_that_changes(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    own = seat(session, game)
    form = {"csrf_token": token(client), "decision": "0", "part": "1"}
    refused = client.post(f"{own}/move", data={**form, "move": "drive 1"})
    assert (refused.status_code, refused.mimetype) == (409, "text/html")
    assert "That move is not possible now." in refused.text


def test_a_game_that_is_over_is_a_replay(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    own = seat(session, game)
    assert client.get(f"{own}/replay.santiago").status_code == 404
    assert "Possible choices" not in client.get(own).text, "they would be those of the move before"
    assert send(client, f"{own}/leave") == 303
    page = client.get(own).text
    assert "Possible choices" in page
    assert "Replay file" in page
    assert page.count("nobody else is left without a fault: ") == 1, "it begins at the end"
    assert "nobody else is left without a fault: " not in client.get(f"{own}?at=0").text
    over = json.loads(client.get(f"{own}/frames").text)
    assert over["result"]["type"] == "forfeit"
    assert "nobody else is left without a fault: " in over["frames"][-1]["text"]
    assert client.get(f"{own}/replay.santiago").data.startswith(b"SANTIAGO")
    assert client.get(f"{own}/turn").text.count("The game is over") == 1
    assert "nobody else is left without a fault: " in client.get(f"{own}/turn").text
    assert re.search(f'"{own}.at=0">Watch the replay', client.get(f"{own}/turn").text)
    assert "Watch the replay" not in page, "it is there"
    assert "everybody at the table received the commitment" in page, "not the bots alone"


def test_a_game_without_a_result_has_no_replay_and_no_rematch(
    client: FlaskClient, session: Session
) -> None:
    game = friends(session)
    own = seat(session, game)
    playing.close(session, game)
    session.commit()
    part = client.post(
        f"{own}/move", data={"csrf_token": token(client), "decision": "0", "move": "x", "part": "1"}
    ).text
    assert "This game ended without a result." in part
    assert "Rematch" not in part
    assert "Watch the replay" not in part


def test_who_has_played_sees_why_the_game_was_won(
    client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "LEAST_SWING", 0.02)  # some games of chance never turn by more
    game = friends(session)
    own = f"/play/{game.table[0].key}"
    assert client.get(f"{own}/analysis").status_code == 404, "it goes on"
    assert send(client, f"{own}/analysis") == 409
    play(session, game)
    page = client.get(own).text
    assert "Show the analysis" in page
    assert '<a class="button" href="#analysis">Why it was won</a>' in page
    assert "Analyse this game" in client.get(f"{own}/analysis").text
    assert client.get(f"{own}/analysis/document").status_code == 404
    assert send(client, f"{own}/analysis") == 303
    assert "is waiting for its turn" in client.get(f"{own}/analysis/part").text
    session.rollback()
    claim = attempts.claim(session, CASUAL_ANALYSES, game.id, "tester", lease=60.0)
    session.commit()
    assert claim is not None
    found = analyse(read(claim.replay), looks=1)
    CASUAL_ANALYSES.finish(session, claim, Analysed(VERSION, 1, pack(found)))
    session.commit()
    page = client.get(f"{own}/analysis").text
    assert "</svg> You</th>" in page
    assert "Your chance to win" in page
    assert "Guest 1" not in page
    assert "Analyse this game" not in page
    at = found.turning[0]
    assert f'href="{own}?at={at}"' in page
    document = client.get(f"{own}/analysis/document").get_json()
    assert [point["at"] for point in document["turning"]] == list(found.turning)
    assert "Guest 1" not in str(document["turning"])
    moment = found.decisions[0].moment
    assert client.get(f"{document['lines']}/{moment}").get_json()[0]["text"]
    assert client.get(f"{document['lines']}/0").status_code == 404
    friend = client.get(f"/play/{game.table[1].key}/analysis").text
    assert page.count("<tr>") == friend.count("<tr>")
    assert "Guest 1’s chance to win" in friend
    assert "Guest 2" not in friend
    assert client.get(f"/play/{'k' * 24}/analysis").status_code == 404


def test_games_that_nobody_watches_are_forgotten(
    app: Flask, client: FlaskClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MOST", 1)
    first, second, third = (friends(session).table[0].key for _ in range(3))
    client.get(f"/play/{first}")
    with app.app_context():
        kept = tables.tables()._tables
        (watched,) = kept.values()
        watched.channel.watch(begins=True)
        client.get(f"/play/{second}")
        client.get(f"/play/{third}")
        assert len(kept) == 2
        assert watched in kept.values()


def test_while_nobody_watches_no_game_is_looked_at() -> None:
    def ask() -> NoReturn:
        raise LookupError

    idle = tables.Tables(cast("sessionmaker[Session]", ask))
    idle._wanted.set()
    idle._look(idle._watched())
    assert not idle._wanted.is_set(), "its thread sleeps"


def test_no_page_names_the_dice_to_come(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    own = seat(session, game)
    for path in ("", "/turn", "/frames"):
        assert game.dice_seed.hex() not in client.get(own + path).text


def test_forms_take_any_text(client: FlaskClient, session: Session) -> None:
    house_bot(session, "greedy")
    own = seat(session, friends(session))
    gathers = opening.open_game(session, Wish((None,)))
    session.commit()
    for path, fields in (
        ("/play", ("opponent", "pace", "key")),
        (f"/play/{gathers.table[0].key}/accept", ("nonce",)),
        (f"{own}/move", ("decision", "move", "part")),
        (f"{own}/hint", ("decision", "part")),
    ):
        for name in fields:
            for word in WORDS:
                answer = client.post(path, data={"csrf_token": token(client), name: word})
                assert answer.status_code < 500, (path, name, word)
                assert not RAW.search(answer.text), (path, name, word)


def test_other_addresses_lead_nowhere(client: FlaskClient) -> None:
    assert client.get(f"/play/{'x' * 24}").status_code == 404
    assert client.get("/play/short").status_code == 404


def test_friends_are_invited_by_link(client: FlaskClient, session: Session) -> None:
    data = {"csrf_token": token(client), "opponent": "friend", "pace": "none"}
    own = client.post("/play", data=data).location
    game = session.scalars(select(CasualGame)).one()
    friend = f"/play/{game.table[1].key}"
    assert friend in client.get(own).text
    invitation = client.get(friend).text
    assert "Invite your friends" not in invitation
    assert "You are invited to play the board game Santiago de Cuba." in invitation
    assert "against Guest 1 · Clock: None. Take all the time you need." in invitation
    page = client.get(own).text
    assert "You are invited" not in page
    assert page.index("Invite your friends") < page.index("The dice follow from a seed")
    assert send(client, f"{friend}/accept", nonce="") == 303
    assert send(client, f"{own}/accept", nonce="") == 303
    session.rollback()
    drawn = {seat.nonce for seat in game.table}
    assert len(drawn - {b""}) == 2, "whose browser runs no script has a part in the dice, too"
    assert "The board" in client.get(own).text


def test_who_takes_a_seat_has_it_alone(app: Flask, client: FlaskClient, session: Session) -> None:
    opener, friend, luz = client, app.test_client(), app.test_client()
    own = post(opener, "/play", opponent=["friend", "friend"], pace="none").location
    game = session.scalars(select(CasualGame)).one()
    invitation, third = (f"/play/{one.key}" for one in game.table[1:])
    page = opener.get(f"/de{own}").text
    links = re.findall(r"(Guest \d · .+?)</strong>.+?(/play/.+?)</code>", page)
    assert links == [("Guest 2 · Sitz 2", invitation), ("Guest 3 · Sitz 3", third)]
    copying = re.findall(r'<button[^>]* data-copies="(.+?)" aria-describedby="(.+?)"', page)
    assert copying == [("friend-1", "friend-1"), ("friend-2", "friend-2")]
    seat = post(friend, f"{invitation}/accept", nonce="").location
    assert seat != invitation
    for _ in "12":  # the form that comes twice, and the invitation once more
        assert post(friend, f"{invitation}/accept", nonce="").location == seat
        assert friend.get(invitation).location == seat
    with friend.session_transaction() as cookie:
        del cookie["opened"]  # as if the answer had been lost on the way
    assert friend.get(invitation).location == seat
    page = opener.get(own).text
    assert f">http://localhost{invitation}<" in opener.get(f"/de{own}").text, (
        "in the friend's language"
    )
    assert invitation in page
    assert seat not in page
    assert post(opener, f"{invitation}/accept", nonce="").location == invitation
    assert "Somebody has taken this seat" in opener.get(invitation).text
    assert "Waiting for the others" in opener.get(invitation).text
    make(session, "luz")
    sign_in(luz, "luz")
    mine = post(luz, f"{third}/accept", nonce="").location
    at_home = app.test_client()
    sign_in(at_home, "luz")
    assert at_home.get(third).location == mine
    post(opener, f"{own}/accept", nonce="")
    session.rollback()
    session.refresh(game)
    assert game.state is CasualState.PLAYING
    page = opener.get(invitation).text
    assert "Somebody has taken this seat" in page
    assert 'name="move"' not in page
    seats = opener.get(f"{invitation}/frames").get_json()["seats"]
    assert [one["label"] for one in seats] == ["Guest 1", "Guest 2", "luz"], "none of them is You"
    assert send(opener, f"{invitation}/move", decision="0", move="pass") == 404
    assert send(opener, f"{invitation}/leave") == 404
    assert send(friend, f"{seat}/leave") == 303
    for path in (own, mine):
        post(opener, f"{path}/leave")
    assert "This game ended without a result." in opener.get(invitation).text


def test_who_was_invited_sees_the_end(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    assert send(client, f"{seat(session, game)}/leave") == 303
    page = client.get(f"/play/{game.table[1].invitation}").text
    assert "Somebody has taken this seat" in page
    assert "data-live" not in page
    assert "Rematch" not in page


def test_who_waits_for_one_other_is_told_the_name(client: FlaskClient, session: Session) -> None:
    for count, told in ((2, "Guest [12] is playing …"), (3, "The others are playing …")):
        pages = [client.get(f"/play/{one.key}").text for one in friends(session, count).table]
        assert sum(bool(re.search(f"<h2>{told}</h2>", page)) for page in pages) == count - 1
        assert 'aria-label="Your turn"' not in "".join(pages), "the focus waits there for others"


def test_a_table_is_told_who_no_longer_plays(client: FlaskClient, session: Session) -> None:
    game = friends(session, 4)
    leaver = seat(session, game)
    assert send(client, f"{leaver}/leave") == 303
    late = seat(session, game)
    playing.play_on(session, playing.locked(session, game.id))
    session.commit()
    pages = {path: client.get(path).text for path in (f"/play/{one.key}" for one in game.table)}
    gone = [one for one in game.table if f"/play/{one.key}" in (leaver, late)]
    for path, page in pages.items():
        replaced = path in (leaver, late)
        assert ("A caretaker plays your seat with random moves." in page) == replaced
        assert ("Give up" in page) != replaced
        for one in gone:
            told = f"Guest {one.guest} no longer plays. A caretaker plays the seat"
            assert (told in page) == (path != f"/play/{one.key}")


def test_a_table_is_told_who_gives_up_before_it_is_their_turn(
    client: FlaskClient, session: Session
) -> None:
    game = friends(session, 3)
    own = seat(session, game)
    leaver = next(one for one in game.table if f"/play/{one.key}" != own)
    assert send(client, f"/play/{leaver.key}/leave") == 303
    assert f"Guest {leaver.guest} no longer plays." in client.get(f"{own}/turn").text


def test_a_rematch_is_one_click_away(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    own = seat(session, game)
    assert send(client, f"{own}/rematch") == 409
    assert send(client, f"{own}/leave") == 303
    again = client.post(f"{own}/rematch", data={"csrf_token": token(client)}).location
    assert again != own
    assert "Start the game" in client.get(again).text


def test_the_others_are_told_that_a_rematch_is_open(client: FlaskClient, session: Session) -> None:
    game = friends(session)
    opener, friend = (f"/play/{one.key}" for one in game.table)
    assert "data-rematch" not in client.get(f"{friend}/turn").text, "it goes on"
    assert send(client, f"{seat(session, game)}/leave") == 303
    told = "The rematch is open"
    for page in (friend, f"{friend}/turn"):
        shown = client.get(page).text
        assert (shown.count("data-rematch"), told in shown) == (1, False)
    assert send(client, f"{opener}/rematch") == 303
    assert all(told in client.get(page).text for page in (friend, f"{friend}/turn"))
    alone = friends(session, 1, bots=(house_bot(session, "drawing", "unix:/nowhere"),))
    pages = [client.get(f"/play/{one.table[0].key}").text for one in (friends(session), alone)]
    assert ["play/again" in page for page in pages] == [True, False]


def test_who_opens_a_rematch_is_told_how_the_others_come(
    client: FlaskClient, session: Session
) -> None:
    how = "Tell the others to press “Rematch”"
    game = friends(session)
    last = [f"/play/{one.key}" for one in game.table]
    assert send(client, f"{seat(session, game)}/leave") == 303
    opener, friend = (post(client, f"{path}/rematch").location for path in last)
    assert how in client.get(opener).text
    assert send(client, f"{opener}/accept", nonce="") == 303
    assert how in client.get(opener).text, "while it waits"
    there = client.get(friend).text
    assert how in there
    assert opener not in there, "a seat that somebody else has"
    assert '<li>Guest 1 <span data-ready role="status">ready</span></li>' in there


def test_a_hint_is_shown_beside_the_choices(
    client: FlaskClient, session: Session, tmp_path: Path
) -> None:
    with served(HouseBot, f"unix:{tmp_path}/bot") as address:
        game = friends(session, 1, bots=(house_bot(session, "drawing", address),))
        assert "drawing is playing" in client.get(f"/play/{game.table[0].key}").text
        answer(session, game)
        assert game.deciding == 0
    own = seat(session, game)
    told = [frame["type"] for frame in json.loads(client.get(f"{own}/frames").text)["frames"]]
    assert told[0] == "start"
    assert len(told) > 1
    assert "gap" not in told
    form = {"csrf_token": token(client), "decision": str(game.decisions)}
    assert client.post(f"{own}/hint", data={**form, "decision": "99"}).status_code == 409
    assert "would choose" not in client.get(own).text
    assert client.post(f"{own}/hint", data=form).status_code == 303
    page = client.get(own).text
    assert "greedy would choose:" in page
    assert page.count("data-hinted") == 1
    part = client.post(f"{seat(session, friends(session))}/hint", data={**form, "part": "1"})
    assert "There are no more hints in this game." in part.text


def test_a_guest_has_five_open_games_at_most(client: FlaskClient) -> None:
    form = {"csrf_token": token(client), "opponent": "friend"}
    opened = [client.post("/play", data=form) for _ in range(6)]
    assert [answer.status_code for answer in opened] == [303] * 5 + [409]
    assert "You have 5 games that are not over" in opened[-1].text
    assert send(client, f"{opened[0].location}/leave") == 303
    assert client.post("/play", data=form).status_code == 303


def test_a_form_that_comes_twice_opens_one_game(client: FlaskClient, session: Session) -> None:
    forms = [client.get("/play").text for _ in "12"]
    key, fresh = (re.findall(r'name="key" value="([\w-]{24})"', form)[0] for form in forms)
    assert key != fresh

    def opened(key: str, opponents: int = 1) -> str:
        location = post(client, "/play", opponent=["friend"] * opponents, key=key).location
        return str(location.rpartition("/")[2])

    assert [opened(key), opened(key), opened(fresh)] == [key, key, fresh]
    assert opened(key, 2) not in (key, fresh), "who went back wishes another table"
    friend = session.scalars(select(CasualSeat.key).where(CasualSeat.seat == 1)).first()
    assert friend is not None
    assert opened(friend) not in (key, friend), "that is no way to the opener's seat"
    assert post(client, f"/play/{key}/leave").status_code == 303
    assert opened(key) != key, "that one is over"


def test_one_address_leaves_games_of_a_bot_to_others(app: Flask, session: Session) -> None:
    """Though it drops its cookies, so that it is a new guest each time."""
    bot = open_to_people(session, house_bot(session, "zorro"))
    session.execute(update(Bot).values(house=False))
    session.commit()

    def begun(address: str) -> int:
        client = app.test_client()
        client.environ_base["REMOTE_ADDR"] = address
        opened = post(client, "/play", opponent=str(bot))
        post(client, f"{opened.location}/accept")
        return post(client, f"{opened.location}/accept").status_code  # sent again, it is no other

    most = opponents.GAMES // 2
    assert [begun("8.8.8.8") for _ in range(most + 1)] == [303] * most + [429]
    assert begun("9.9.9.9") == 303


def test_a_browser_that_is_closed_still_knows_the_games(client: FlaskClient) -> None:
    opened = post(client, "/play", opponent="friend", pace="none")
    (cookie,) = (one for one in opened.headers.getlist("Set-Cookie") if "santiago-forms" in one)
    assert "Expires=" in cookie
    seen = client.get(opened.location.removeprefix("."))
    assert "Set-Cookie" not in seen.headers, "pages are not the place to renew it"


def test_a_guest_who_signs_in_still_finds_the_game(client: FlaskClient, session: Session) -> None:
    make(session, "ana")
    own = post(client, "/play", opponent="friend", pace="none").location.removeprefix(".")
    assert sign_in(client).status_code == 303
    assert own in client.get("/play").text
    assert post(client, "/sign-out").status_code == 303
    assert own not in client.get("/play").text, "the next one at this browser is somebody else"


def test_a_shared_first_place_is_not_called_won(client: FlaskClient, session: Session) -> None:
    ana = make(session)
    game = opening.open_game(session, Wish((None,)), ana)
    for seat in game.table:
        opening.accept(session, str(seat.key), b"x")
    session.commit()
    play(session, game)
    for seat in game.table:
        seat.rank = 1
    session.commit()
    sign_in(client)
    assert "<strong>shared first</strong>" in client.get("/play").text


def test_a_game_names_nobody_who_has_left(client: FlaskClient, session: Session) -> None:
    ana = sign_up(session)
    game = opening.open_game(session, Wish((None,)), ana)
    for seat in game.table:
        assert seat.key is not None
        opening.accept(session, seat.key, b"x")
    session.commit()
    play(session, game)
    address = f"/play/{game.table[1].key}"
    session.commit()
    availability.leave(session, ana, password=PASSWORD)
    session.commit()
    names = [seat.name for seat in read(client.get(f"{address}/replay.santiago").data).seats]
    assert names == ["deleted-1", "Guest 2"]
    assert f">{ana.name}<" not in client.get(address).text


def test_nor_does_a_game_that_goes_on(client: FlaskClient, session: Session) -> None:
    ana = sign_up(session)
    game = opening.open_game(session, Wish((None,)), ana)
    session.commit()
    friend = f"/play/{game.table[1].key}"
    assert client.get(f"{friend}/frames").get_json()["seats"][0]["label"] == ana.name
    make(session, "luz")
    sign_in(client, "luz")
    assert post(client, f"{friend}/accept", nonce="").status_code == 303
    own = f"/play/{game.table[0].key}"
    assert client.get(f"{own}/frames").get_json()["seats"][1]["label"] == "luz"
    session.commit()
    availability.leave(session, ana, password=PASSWORD)
    session.commit()
    assert client.get(f"{friend}/frames").get_json()["seats"][0]["label"] == "deleted-1"
    assert f">{ana.name}<" not in client.get(friend).text
