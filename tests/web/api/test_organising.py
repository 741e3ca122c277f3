"""What organisers do by the API, and nobody else."""

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from ladder.people.roles import named
from tests.web.api.programs import Arena, Program, problem


def cup(arena: Arena, **given: object) -> dict[str, object]:
    return {"name": "Liga", "bots": list(arena.bots), "deals": 1, **given}


def test_a_tournament_from_its_making_to_its_end(organiser: Program, arena: Arena) -> None:
    answer = organiser.post("/tournaments", **cup(arena, clock={"bank": 5}, grace=1))
    made = answer.get_json()
    assert (answer.status_code, made["state"], made["total"]) == (201, "created", 2)
    assert (made["organiser"], made["clock"]["bank"], made["clock"]["move_limit"]) == (
        "olga",
        5,
        10,
    )
    path = f"/tournaments/{made['id']}"
    for step, state in (
        ("start", "running"),
        ("pause", "paused"),
        ("resume", "running"),
        ("cancel", "cancelled"),
    ):
        assert organiser.post(f"{path}/{step}").get_json()["state"] == state
    code, detail, _ = problem(organiser.post(f"{path}/start"))
    assert (code, detail) == (
        409,
        f"Tournament {made['id']} is cancelled: it can't be started now.",
    )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": ""}, "Name: it should have at least 1 character."),
        ({"bots": []}, "Bots: it should have at least 2 items."),
        ({"deals": 1001}, "Deals: it should be less than or equal to 1000."),
        ({"clock": "fast"}, "Clock: it should be a JSON object."),
    ],
)
def test_what_is_wrong_is_told_in_plain_words(
    organiser: Program, arena: Arena, given: dict[str, object], sentence: str
) -> None:
    assert problem(organiser.post("/tournaments", **cup(arena, **given)))[1] == sentence


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"bots": [1]}, 422, "bots"),
        ({"bots": [2, 2]}, 422, "bots"),
        ({"bots": [2, 999]}, 404, None),
        ({"bots": [2, 2**63]}, 422, "bots.1"),
        ({"bots": ["2", "3"]}, 422, "bots.0"),
        ({"name": "x" * 61}, 422, "name"),
        ({"format": "knock-out"}, 422, "format"),
        ({"rounds": 3}, 422, "rounds"),
        ({"clock": {"bank": -1}}, 422, "clock"),
        ({"clock": {"bank": "5"}}, 422, "clock.bank"),
        ({"clock": {"bonk": 5}}, 422, "clock.bonk"),
        ({"rated": "no"}, 422, "rated"),
        ({"grace": 1e308}, 422, "grace"),
        ({"seed": 1}, 422, "seed"),
    ],
)
def test_what_makes_no_tournament(
    organiser: Program, arena: Arena, given: dict[str, object], code: int, field: str | None
) -> None:
    told = problem(organiser.post("/tournaments", **cup(arena, **given)))
    assert (told[0], told[2]) == (code, field)
    assert len(organiser.get("/tournaments").get_json()["tournaments"]) == 1


def test_authors_lead_none(ana: Program, stranger: Program, arena: Arena) -> None:
    for program, code in ((ana, 403), (stranger, 401)):
        assert problem(program.post("/tournaments", **cup(arena)))[0] == code
        assert problem(program.post(f"/tournaments/{arena.cup}/cancel"))[0] == code
        assert problem(program.post(f"/matches/{arena.match}/annul", reason="x"))[0] == code
    assert stranger.get(f"/tournaments/{arena.cup}").get_json()["state"] == "running"


def test_an_organisers_token_for_own_bots_withdraws_no_others(
    client: FlaskClient, session: Session, organiser: Program, arena: Arena
) -> None:
    made, one = organiser.post("/tournaments", **cup(arena)).get_json(), arena.bots[0]
    for_bots = Program.of(client, session, named(session, "olga"), "bots")
    withdrawal = for_bots.post(f"/tournaments/{made['id']}/bots/{one}/withdraw")
    detail = "Only its author or an organiser can withdraw a bot."
    assert problem(withdrawal) == (403, detail, None)
    assert organiser.post(f"/tournaments/{made['id']}/withdraw", bot=one).status_code == 200


def test_bots_withdraw(organiser: Program, ana: Program, arena: Arena) -> None:
    made = organiser.post("/tournaments", **cup(arena, bots=[*arena.bots, arena.own])).get_json()
    path, (one, _) = f"/tournaments/{made['id']}", arena.bots
    assert problem(organiser.post(f"{path}/play-forfeits"))[0] == 409  # it has not begun
    assert problem(ana.post(f"{path}/withdraw", bot=one))[0] == 403
    assert problem(ana.post(f"{path}/bots/{one}/withdraw"))[0] == 403
    assert ana.post(f"{path}/bots/{arena.own}/withdraw").get_json()["id"] == made["id"]
    assert organiser.post(f"{path}/withdraw", bot=one, annul=True).status_code == 200
    assert problem(organiser.post(f"{path}/withdraw", bot=one))[0] == 409
    entries = organiser.get(f"{path}/entries").get_json()["entries"]
    assert [entry["withdrew"] for entry in entries] == [True, False, True]
    rows = organiser.get(f"{path}/standing").get_json()["rows"]
    assert [row["withdrew"] for row in rows] == [False, True, True]
    assert {row["absences"] for row in rows} == {0}


def test_a_match_is_annulled(organiser: Program, stranger: Program, arena: Arena) -> None:
    path = f"/matches/{arena.match}/annul"
    assert problem(organiser.post(path, reason=" "))[2] == "reason"
    annulled = organiser.post(path, reason="The host stood still.").get_json()
    assert annulled["annul_reason"] == "The host stood still."
    assert problem(organiser.post(path, reason="Again."))[0] == 409
    assert all(row["games"] == 0 for row in stranger.get("/standings/2").get_json()["standings"])
    (row,) = stranger.get("/export/results").text.splitlines()[1:]
    assert '"annulled":true' in row
