"""The analysis of a match: its page, what the viewer gets of it, and turning points in words."""

import re
import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder import model
from ladder.analyses import queue
from ladder.config import Settings
from referee.analysis import Decision, GameAnalysis, Mark
from referee.engine import VERSION
from referee.rules import move_text
from tests.ladder.databases import new_ladder, session_on
from tests.referee.games import moments
from tests.web.arena import AnyMove, GivesUp, analyse, play_next, register, tournament
from web.languages import LANGUAGES
from web.viewer.scripted import ScriptedGame, following

MATCH, NOT_ANALYSED = 1, 2


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GameAnalysis]:
    """A ladder with two matches, and what was found in the first, in which a bot gave up."""
    file = tmp_path_factory.mktemp("analysed") / "ladder.db"
    with session_on(new_ladder(file)) as session:
        cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
        play_next(session, cup, [AnyMove(5), GivesUp(10), AnyMove(6)])
        play_next(session, cup)
        return file, analyse(session, MATCH)


@pytest.fixture
def settings(settings: Settings, analysed: tuple[Path, GameAnalysis]) -> Settings:
    """A copy of that ladder."""
    shutil.copy(analysed[0], settings.database_url.removeprefix("sqlite:///"))
    return settings


@pytest.fixture
def found(analysed: tuple[Path, GameAnalysis]) -> GameAnalysis:
    return analysed[1]


def labels(client: FlaskClient) -> list[str]:
    seats = client.get(f"/matches/{MATCH}/frames").get_json()["seats"]
    return [seat["label"] for seat in seats]


def test_anybody_may_ask_and_the_page_says_how_it_stands(
    client: FlaskClient, session: Session
) -> None:
    address = f"/matches/{NOT_ANALYSED}/analysis"
    assert "Analyse this game" in client.get(address).text
    queue.ask(session, NOT_ANALYSED)
    session.commit()
    waiting = client.get(address).text
    assert "is waiting for its turn" in waiting
    assert "Analyse this game" not in waiting
    assert "is waiting for its turn" in client.get(f"{address}/part").text


def test_why_an_analysis_failed(client: FlaskClient, session: Session) -> None:
    session.add(
        model.Analysis(
            match_id=NOT_ANALYSED,
            failed="The engine was ended by signal 9.",
            failed_engine=VERSION,
            failed_at=model.now(session),
        )
    )
    session.commit()
    page = client.get(f"/matches/{NOT_ANALYSED}/analysis").text
    assert "The analysis failed: The engine was ended by signal 9." in page
    assert "Analyse this game" in page


def test_the_page_needs_no_script(client: FlaskClient, found: GameAnalysis) -> None:
    page = client.get(f"/matches/{MATCH}/analysis").text
    assert page.count("<h2 id=") == 2  # below the page's heading, and not a level further down
    assert re.findall(r'data-at="(\d+)" href="/matches/\d+\?at=\1"', page) == [
        str(moment) for moment in found.turning
    ]
    for seat, name in enumerate(labels(client)):
        made = sum(one.seat == seat for one in found.decisions)
        assert f'{name}</th><td class="number">{made}</td>' in page


def test_the_document_has_all_that_the_viewer_draws(
    client: FlaskClient, found: GameAnalysis
) -> None:
    document = client.get(f"/matches/{MATCH}/analysis/document").get_json()
    frames = client.get(f"/matches/{MATCH}/frames").get_json()["frames"]
    assert len(document["chances"]) == len(frames)
    assert all(abs(sum(chances) - 1) < 0.01 for chances in document["chances"])
    for decision in found.decisions:
        shown, frame = document["decisions"][str(decision.moment)], frames[decision.moment]
        values = dict(zip(frame["legal"], shown["shares"], strict=True))
        assert values == {move_text(one.move): one.share for one in decision.values}
        assert (shown["seat"], shown["mark"]) == (frame["seat"], decision.mark)
    assert [one["at"] for one in document["turning"]] == list(found.turning)


@pytest.mark.parametrize("code", LANGUAGES)
def test_turning_points_are_told_in_each_language(
    client: FlaskClient, found: GameAnalysis, code: str
) -> None:
    address, wish = f"/matches/{MATCH}", {"Accept-Language": code}
    document = client.get(f"{address}/analysis/document", headers=wish).get_json()
    told = [one["text"] for one in document["turning"]]
    assert len(told) == len(found.turning)
    assert all("%" in text and text.endswith(".") for text in told)
    words = client.get(f"{address}/words", headers=wish).text
    assert re.findall(r'<p class="turning">(.*?)</p>', words) == told


def test_a_turning_point_says_who_what_and_how_the_chances_changed(
    client: FlaskClient, found: GameAnalysis
) -> None:
    document = client.get(f"/matches/{MATCH}/analysis/document").get_json()
    frames = client.get(f"/matches/{MATCH}/frames").get_json()["frames"]
    fault = next(at for at, frame in enumerate(frames) if frame["type"] == "fault")
    told = {one["at"]: one["text"] for one in document["turning"]}[fault]
    seat = frames[fault]["seat"]
    name, before = labels(client)[seat], found.chances[fault - 1][seat][0]
    falls = f"{name}’s chance to win falls from {before:.0%} to 0%."
    assert told.startswith(f"{name} drops out of the game. {falls} ")
    assert "chance to win rises from" in told


def test_a_turning_point_calls_a_mistake_as_large_as_its_mark_says(
    client: FlaskClient, found: GameAnalysis
) -> None:
    document = client.get(f"/matches/{MATCH}/analysis/document").get_json()
    told = {one["at"]: one["text"] for one in document["turning"]}
    marks = {one.moment: one.mark for one in found.decisions if one.moment in told}
    losses = (Mark.SMALL, Mark.CLEAR, Mark.BIG)
    assert any(mark in losses for mark in marks.values())
    for moment, text in told.items():
        words = re.findall(r"makes a (\w+) mistake; better: ", text)
        assert words == [mark for mark in losses if mark == marks.get(moment)]


def test_the_best_lines_follow_the_rules_from_the_moment_before(
    client: FlaskClient, found: GameAnalysis
) -> None:
    for decision in found.decisions:
        told = client.get(f"/matches/{MATCH}/analysis/lines/{decision.moment}").get_json()
        assert [frame["move"] for frame in told if frame["by"] != "forced"] == [
            move_text(move) for move in decision.line
        ]


def test_a_best_line_is_told_as_the_viewer_tells_moves(
    client: FlaskClient, found: GameAnalysis
) -> None:
    decision = max(found.decisions, key=lambda one: len(one.line))
    frames = client.get(f"/matches/{MATCH}/frames").get_json()["frames"]
    told = client.get(f"/matches/{MATCH}/analysis/lines/{decision.moment}").get_json()
    assert told[0]["seat"] == decision.seat
    assert told[0]["legal"] == frames[decision.moment]["legal"]
    assert all(frame["text"].endswith(".") for frame in told)


def test_the_played_move_as_best_line_leads_to_what_was_played(
    client: FlaskClient, found: GameAnalysis
) -> None:
    def is_best(decision: Decision) -> bool:
        return decision.move == decision.line[0]

    decision = next(filter(is_best, found.decisions))
    frames = client.get(f"/matches/{MATCH}/frames").get_json()["frames"]
    told = client.get(f"/matches/{MATCH}/analysis/lines/{decision.moment}").get_json()
    assert told[0]["state"] == frames[decision.moment]["state"]
    assert told[0]["changes"] == frames[decision.moment]["changes"]


def test_what_is_not_there_is_not_found(client: FlaskClient, found: GameAnalysis) -> None:
    address = f"/matches/{NOT_ANALYSED}/analysis"
    assert client.get(f"{address}/document").status_code == 404
    assert client.get(f"{address}/lines/3").status_code == 404
    assert client.get("/matches/999/analysis").status_code == 404
    quiet = next(at for at in range(1, 99) if at not in {one.moment for one in found.decisions})
    assert client.get(f"/matches/{MATCH}/analysis/lines/{quiet}").status_code == 404


def test_signs_and_names_of_all_marks(client: FlaskClient, found: GameAnalysis) -> None:
    assert found.players == 3
    document = client.get(f"/matches/{MATCH}/analysis/document").get_json()
    assert document["marks"].keys() == set(Mark)
    assert len({one["glyph"] for one in document["marks"].values()}) == len(Mark)
    assert len({one["name"] for one in document["marks"].values()}) == len(Mark)


def test_a_line_goes_as_far_as_it_is_legal_with_the_forced_moves_on_its_way() -> None:
    forced = next(one for one in moments(1) if len(one.legal_moves) == 1)
    (move,) = forced.legal_texts()
    game = ScriptedGame(forced)
    game.force()
    assert [(frame["move"], frame["by"]) for frame in game.frames[1:2]] == [(move, "forced")]
    assert len(game.position.legal_moves) != 1
    free = next(one for one in moments(1) if len(one.legal_moves) > 1)
    first = free.legal_texts()[0]
    assert following(free, [first, "drive 99"])[0]["move"] == first
    assert following(free, ["drive 99"]) == []


def test_a_line_says_if_dice_come_after_it() -> None:
    told = {
        (after.kind == "roll", "before_dice" in frames[-1])
        for one in moments(1)
        for move in one.legal_texts()
        if (frames := following(after := one.copy(), [move]))
    }
    assert told == {(True, True), (False, False)}
