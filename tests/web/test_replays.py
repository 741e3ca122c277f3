import gzip
import json
import re
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from referee.replay import read, verify
from tests.web.arena import AnyMove, GivesUp, play_next, register, tournament
from web.languages import LANGUAGES
from web.words import words_of
from web.words.en import WORDS as ENGLISH


@pytest.fixture
def match_id(session: Session) -> int:
    return play_next(session, tournament(session, register(session, ["ana", "luz"])))


def test_the_frames_of_a_whole_game(client: FlaskClient, match_id: int) -> None:
    document = client.get(f"/api/v1/matches/{match_id}/frames").get_json()
    frames = document["frames"]
    assert [frames[0]["type"], frames[-1]["type"]] == ["start", "end"]
    assert all(frame["text"].endswith(".") for frame in frames)
    assert {seat["label"] for seat in document["seats"]} == {"ana", "luz"}


def test_frames_are_compressed_for_whoever_accepts_that(client: FlaskClient, match_id: int) -> None:
    address = f"/api/v1/matches/{match_id}/frames"
    packed = client.get(address, headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    plain = client.get(address, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert json.loads(gzip.decompress(packed.data)) == plain.get_json()


def test_a_game_that_is_over_is_compressed_well(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey", "sol"]), seats=4)
    address = f"/matches/{play_next(session, cup)}/frames"
    packed = client.get(address, headers={"Accept-Encoding": "gzip"}).data
    assert len(packed) < len(gzip.compress(gzip.decompress(packed), 4)), "as running games are"


def test_frames_that_the_browser_has_are_not_sent_again(client: FlaskClient, match_id: int) -> None:
    address = f"/api/v1/matches/{match_id}/frames"
    tag = client.get(address).headers["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_page_gets_its_frames_in_its_own_language(
    client: FlaskClient, match_id: int, code: str
) -> None:
    wish = {"Accept-Language": code}
    assert f'data-replay="/matches/{match_id}/frames"' in client.get(f"/matches/{match_id}").text
    own = client.get(f"/matches/{match_id}/frames", headers=wish)
    assert own.get_json()["labels"] == words_of(code).labels
    assert own.get_json()["names"] == words_of(code).names
    assert {"Accept-Encoding", "Accept-Language", "Cookie"} <= set(own.vary)
    of_api = client.get(f"/api/v1/matches/{match_id}/frames", headers=wish)
    assert of_api.get_json()["labels"] == ENGLISH.labels
    assert "Accept-Language" not in of_api.vary
    same = own.headers["ETag"] == of_api.headers["ETag"]
    assert same == (words_of(code) is ENGLISH)


def test_the_replay_file_can_be_verified(client: FlaskClient, match_id: int) -> None:
    answer = client.get(f"/matches/{match_id}/replay.santiago")
    assert f'filename="match-{match_id}.santiago"' in answer.headers["Content-Disposition"]
    verify(read(answer.data))


def test_a_game_is_there_in_words_without_javascript(client: FlaskClient, match_id: int) -> None:
    page = client.get(f"/matches/{match_id}/words").text
    assert "sit down to play." in page
    assert f'<a href="/matches/{match_id}?at=0">' in page


def test_steps_are_links_without_javascript(client: FlaskClient, match_id: int) -> None:
    states = [
        frame["state"]
        for frame in client.get(f"/api/v1/matches/{match_id}/frames").get_json()["frames"]
    ]
    turns, ships = (
        [at for at, (one, then) in enumerate(pairwise(states), 1) if one[what] != then[what]]
        for what in ("turn", "ship")
    )
    at = turns[2] + 1
    page = client.get(f"/matches/{match_id}?at={at}").text
    assert re.findall(r'<a href="\?at=(\d+)#moment" title="([^"]+)"', page) == [
        ("0", "Start"),
        (str(max([0, *(ship for ship in ships if ship < at)])), "Previous ship"),
        (str(turns[2]), "Previous turn"),
        (str(at - 1), "Step back"),
        (str(at + 1), "Step"),
        (str(turns[3]), "Next turn"),
        (str(min(ship for ship in ships if ship > at)), "Next ship"),
        (str(len(states) - 1), "End"),
    ]


def test_a_game_begins_before_its_first_turn(client: FlaskClient, match_id: int) -> None:
    page = client.get(f"/matches/{match_id}?at=0").text
    assert f"{ENGLISH.labels['setup']} · " in page
    assert 'class="player seat-0 active' not in page


def test_who_has_the_most_points_is_marked_until_the_end(
    client: FlaskClient, match_id: int
) -> None:
    frames = client.get(f"/api/v1/matches/{match_id}/frames").get_json()["frames"]
    points = [[player["vp"] for player in frame["state"]["players"]] for frame in frames]
    apart = next(at for at, vp in enumerate(points) if len(set(vp)) > 1)
    leaders = [seat for seat, vp in enumerate(points[apart]) if vp == max(points[apart])]
    for at, marked in ((0, []), (apart, leaders), (len(frames) - 1, [])):
        page = client.get(f"/matches/{match_id}?at={at}").text
        assert re.findall(r'class="player seat-(\d)[^"]* leads', page) == [*map(str, marked)]


def test_a_seat_that_gave_up_is_told_of(client: FlaskClient, session: Session) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
    match_id = play_next(session, cup, [AnyMove(1), GivesUp(10), AnyMove(2)])
    document = client.get(f"/api/v1/matches/{match_id}/frames").get_json()
    (fault,) = [frame for frame in document["frames"] if frame["type"] == "fault"]
    assert "faults (closed)" in fault["text"]
    assert document["ranks"][1] == 3
    assert "fault</span>" in client.get("/matches").text


@pytest.mark.parametrize("path", ["words", "replay.santiago"])
def test_a_match_that_is_not_over_has_no_replay(
    client: FlaskClient, session: Session, path: str
) -> None:
    tournament(session, register(session, ["ana", "luz"]))
    page = client.get(f"/matches/1/{path}")
    assert page.status_code == 404
    assert "Match 1 has no replay" in page.text
