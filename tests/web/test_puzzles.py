"""The pages of puzzles: the list, the question, the answer, the best line step by step."""

import re

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.model import Puzzle, PuzzleState
from tests.web.arena import open_puzzle, play_next, register, tournament


@pytest.fixture
def match_id(session: Session) -> int:
    bots = register(session, ["ana", "luz", "rey"])
    return play_next(session, tournament(session, bots, seats=3))


def moves(page: str) -> list[str]:
    """The choices of a page, by their notation."""
    return re.findall(r'<button name="move" value="([^"]+)"', page)


def test_without_puzzles_the_list_says_where_they_come_from(client: FlaskClient) -> None:
    page = client.get("/puzzles").text
    assert "No puzzles yet" in page
    assert "games that were analysed" in page
    assert "The puzzle of the day" not in client.get("/").text


def test_the_list_has_a_board_for_each(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    drive, visit = open_puzzle(session, match_id), open_puzzle(session, match_id, "tribute", 3)
    page = client.get("/puzzles").text
    assert "2 puzzles wait for you" in page
    assert "The puzzle of the day" in page
    for puzzle in (drive, visit):
        assert f'href="/puzzles/{puzzle.id}"' in page
        assert f"/board.svg?form=small&amp;at={puzzle.moment - 1}" in page
    hard = client.get("/puzzles?level=3").text.partition("all-title")[2]
    assert f'href="/puzzles/{visit.id}"' in hard
    assert f'href="/puzzles/{drive.id}"' not in hard
    assert "No puzzle matches these filters" in client.get("/puzzles?kind=drive&level=3").text
    assert "“level” can be 1, 2, 3." in client.get("/puzzles?level=9").text


def test_a_puzzle_that_is_alone_stands_in_the_list_once(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    link = f'href="/puzzles/{puzzle.id}"'
    assert client.get("/puzzles").text.count(link) == 1
    assert client.get(f"/puzzles?before={puzzle.id + 1}").text.count(link) == 1
    open_puzzle(session, match_id, "tribute", 3)
    assert "All puzzles" in client.get("/puzzles").text


def test_the_puzzle_of_the_day_by_the_api(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    today = "/api/v1/puzzles/daily"
    assert client.get(today).status_code == 404
    puzzle = open_puzzle(session, match_id)
    told = client.get(today).get_json()
    assert told == client.get(f"/api/v1/puzzles/{puzzle.id}").get_json()
    assert (told["id"], told["best"]) == (puzzle.id, puzzle.move)


def test_a_question_does_not_give_its_answer_away(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    page = client.get(f"/puzzles/{puzzle.id}").text
    assert "has to choose. One choice is better than all others by far" in page
    assert puzzle.move in moves(page)
    assert len(moves(page)) > 3
    asked = f'content="How far to drive: {len(moves(page))} choices. One choice is better than all'
    assert page.count(asked) == 2  # for search engines, and for links to it
    for told in ("82%", "The best choice", "The best line", "played in the game"):
        assert told not in page


def test_a_choice_lies_where_the_board_has_its_place(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    game = client.get(f"/matches/{match_id}/frames").get_json()
    car = game["frames"][puzzle.moment - 1]["state"]["car"]
    first = game["setup"]["citizens"][car] if car < 9 else None
    page = client.get(f"/puzzles/{puzzle.id}").text
    place = f"citizen:{first}" if first else "pier"
    assert f'value="drive 1" data-place-of="{place}"' in page


def test_the_right_choice(client: FlaskClient, session: Session, match_id: int) -> None:
    puzzle = open_puzzle(session, match_id)
    page = client.get(f"/puzzles/{puzzle.id}", query_string={"move": puzzle.move}).text
    assert "Right!" in page
    assert page.count("<meter") == len(moves(client.get(f"/puzzles/{puzzle.id}").text))
    assert "82%" in page
    assert f'href="/matches/{match_id}?at={puzzle.moment - 1}"' in page
    assert moves(page) == []
    assert '<meta name="robots" content="noindex">' in page


def test_a_wrong_choice_shows_the_right_one(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    wrong = next(m for m in moves(client.get("/puzzles/1").text) if m != puzzle.move)
    page = client.get("/puzzles/1", query_string={"move": wrong}).text
    assert "No, there is something better." in page
    assert "your choice" in page
    assert "The best choice:" in page


def test_the_best_line_is_stepped_by_links(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    asked = {"move": puzzle.move}
    before = client.get("/puzzles/1", query_string=asked).text
    after = client.get("/puzzles/1", query_string=asked | {"step": "1"}).text
    assert 'aria-current="step"' in after
    assert "Back to the position" in after
    board = re.compile(r'data-part="board".*?</section>', re.DOTALL)
    assert board.findall(before) != board.findall(after)
    assert client.get("/puzzles/1", query_string=asked | {"step": "99"}).status_code == 200


def test_a_part_alone_for_the_script(client: FlaskClient, session: Session, match_id: int) -> None:
    puzzle = open_puzzle(session, match_id)
    part = client.get("/puzzles/1", query_string={"part": "1", "move": puzzle.move}).text
    assert "Right!" in part
    assert "<html" not in part


@pytest.mark.parametrize("move", ["fly", "", "pass", "<i>"])
def test_what_is_no_choice_shows_the_question(
    client: FlaskClient, session: Session, match_id: int, move: str
) -> None:
    open_puzzle(session, match_id)
    page = client.get("/puzzles/1", query_string={"move": move}).text
    assert moves(page)
    assert "<i>" not in page


def test_a_retired_puzzle_says_so(client: FlaskClient, session: Session, match_id: int) -> None:
    open_puzzle(session, match_id)
    session.execute(update(Puzzle).values(state=PuzzleState.RETIRED))
    session.commit()
    assert "This puzzle is retired" in client.get("/puzzles/1").text
    assert "No puzzles yet" in client.get("/puzzles").text


def test_there_is_no_such_puzzle(client: FlaskClient) -> None:
    answer = client.get("/puzzles/7")
    assert answer.status_code == 404
    assert "There is no puzzle 7" in answer.text


def test_search_engines_find_it(client: FlaskClient, session: Session, match_id: int) -> None:
    puzzle = open_puzzle(session, match_id)
    sitemap = client.get("/sitemap.xml").text
    for path in ("/puzzles", f"/puzzles/{puzzle.id}"):
        assert f"{path}</loc>" in sitemap


def test_it_is_a_page_in_all_languages(
    client: FlaskClient, session: Session, match_id: int
) -> None:
    puzzle = open_puzzle(session, match_id)
    for code in ("de", "es", "fr", "it"):
        page = client.get(f"/{code}/puzzles/{puzzle.id}").text
        assert f'<html lang="{code}">' in page
        assert "better than all others" not in page
        assert f'hreflang="{code}"' in page
