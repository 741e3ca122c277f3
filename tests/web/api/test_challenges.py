"""Challenges by the API."""

import pytest
from sqlalchemy.orm import Session

from ladder.bots import availability
from ladder.contests.challenges import MOST_WAITING
from tests.web.api.programs import Arena, Program, problem


def test_an_author_challenges_others(ana: Program, stranger: Program, arena: Arena) -> None:
    answer = ana.post("/challenges", bot=arena.own, opponents=list(arena.bots))
    made = answer.get_json()
    assert (answer.status_code, made["kind"], made["state"], made["rated"]) == (
        *(201, "challenge", "queued"),
        False,
    )
    assert {seat["bot_id"] for seat in made["seats"]} == {arena.own, *arena.bots}
    assert stranger.get(f"/matches/{made['id']}").get_json() == made


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"opponents": []}, 422, "opponents"),
        ({"opponents": [1, 2, 3, 4]}, 422, "opponents"),
        ({"opponents": ["2"]}, 422, "opponents.0"),
        ({"opponents": [2, 2]}, 422, "opponents"),
        ({"opponents": [999]}, 404, None),
        ({"bot": 2}, 404, None),
        ({"bot": None}, 422, "bot"),
    ],
)
def test_what_is_no_challenge(
    ana: Program, arena: Arena, given: dict[str, object], code: int, field: str | None
) -> None:
    whole = {"bot": arena.own, "opponents": [arena.bots[0]], **given}
    told = problem(ana.post("/challenges", **whole))
    assert (told[0], told[2]) == (code, field)


def test_too_many_opponents_are_counted_in_our_words(ana: Program, arena: Arena) -> None:
    told = problem(ana.post("/challenges", bot=arena.own, opponents=[1, 2, 3, 4]))
    assert told[1] == "Opponents: it should have at most 3 items."


def test_who_does_not_play_is_not_challenged(ana: Program, session: Session, arena: Arena) -> None:
    availability.pause_for(session, arena.bots[0], "It faulted.")
    session.commit()
    code, detail, _ = problem(ana.post("/challenges", bot=arena.own, opponents=[arena.bots[0]]))
    assert (code, "can't play now" in detail) == (409, True)


def test_few_at_a_time_and_with_a_token(
    ana: Program, stranger: Program, organiser: Program, arena: Arena
) -> None:
    body = {"bot": arena.own, "opponents": [arena.bots[0]]}
    for _ in range(MOST_WAITING):
        assert ana.post("/challenges", **body).status_code == 201
    assert problem(ana.post("/challenges", **body))[0] == 409
    assert problem(stranger.post("/challenges", **body))[0] == 401
    assert problem(organiser.post("/challenges", **body))[0] == 403, "its token lacks the scope"
